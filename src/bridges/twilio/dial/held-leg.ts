import type { EndReason } from '../../../core/errors.ts'
import type { Leg, LegUplink } from '../../../core/leg.ts'
import { SILENT_FRAME } from '../../../transcode/pcm.ts'

/**
 * A leg whose party hears everything and is not heard until `release`: somebody picked up who may be a machine. Silence
 * takes the place of their voice, so that clocks run on. Everything else is the leg's own.
 */
export class HeldLeg implements Leg {
  readonly id: string
  readonly channel: string
  readonly call: string | undefined
  readonly ended: Promise<EndReason>
  readonly #leg: Leg
  #held = true

  constructor(leg: Leg) {
    this.#leg = leg
    this.id = leg.id
    this.channel = leg.channel
    this.call = leg.call
    this.ended = leg.ended
  }

  /** The party is heard from now on. Idempotent. */
  release(): void {
    this.#held = false
  }

  attach(uplink: LegUplink): void {
    this.#leg.attach({
      write: frame => uplink.write(this.#held ? SILENT_FRAME : frame),
      marked: name => uplink.marked(name),
      dtmf: digit => uplink.dtmf(digit),
    })
  }

  play(frames: Int16Array): void {
    this.#leg.play(frames)
  }

  mark(name: string): void {
    this.#leg.mark(name)
  }

  flush(): void {
    this.#leg.flush()
  }

  get congested(): boolean {
    return this.#leg.congested
  }

  close(reason: EndReason): Promise<void> {
    return this.#leg.close(reason)
  }
}
