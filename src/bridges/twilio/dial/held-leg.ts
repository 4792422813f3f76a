import type { EndReason } from '../../../core/errors.ts'
import type { Leg, LegUplink } from '../../../core/leg.ts'
import { SILENT_FRAME } from '../../../transcode/pcm.ts'

/**
 * A leg whose party neither hears nor is heard until `release`: somebody picked up who may be a machine, which would keep
 * what it hears. Silence takes the place of their voice, so that clocks run on; what is for them waits, as for a far side
 * that does not read, and originals go by. Everything else is the leg's own.
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

  /** The party hears, and is heard, from now on. Idempotent. */
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
    if (!this.#held) this.#leg.play(frames)
  }

  mark(name: string): void {
    if (!this.#held) this.#leg.mark(name)
  }

  flush(): void {
    this.#leg.flush()
  }

  get congested(): boolean {
    return this.#held || this.#leg.congested
  }

  close(reason: EndReason): Promise<void> {
    return this.#leg.close(reason)
  }
}
