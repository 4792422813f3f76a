import type { EndReason } from '../../../common/errors.ts'
import type { Leg, LegUplink } from '../../../core/model/leg.ts'
import { SILENT_FRAME } from '../../../transcode/pcm.ts'

/**
 * A leg that neither hears nor is heard until `release`, because the call may have been answered by a machine, which
 * would record what it hears. Its audio is replaced by silence, so that clocks keep running. Output waits, as for a
 * congested peer, and originals are dropped. Everything else passes through.
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

  /** Connects the participant’s audio in both directions. Idempotent. */
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
