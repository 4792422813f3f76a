import type { EndReason } from '../../common/errors.ts'
import type { Leg, LegUplink } from '../../core/model/leg.ts'

/** A leg that keeps nothing: played audio goes to `hear`, and counts as heard at the next `confirm`. */
export class Ear implements Leg {
  readonly id: string
  readonly channel = 'simulated'
  readonly ended: Promise<EndReason>
  readonly congested = false
  uplink: LegUplink | undefined
  readonly #hear: (frames: Int16Array) => void
  #marks: string[] = []
  #end!: (reason: EndReason) => void

  /** `hear` borrows the frames. */
  constructor(id: string, hear: (frames: Int16Array) => void) {
    this.id = id
    this.#hear = hear
    this.ended = new Promise(resolve => {
      this.#end = resolve
    })
  }

  attach(uplink: LegUplink): void {
    this.uplink = uplink
  }

  play(frames: Int16Array): void {
    this.#hear(frames)
  }

  mark(name: string): void {
    this.#marks.push(name)
  }

  flush(): void {
    this.#marks = []
  }

  async close(reason: EndReason): Promise<void> {
    this.#end(reason)
  }

  /** Confirms everything played so far as heard. */
  confirm(): void {
    if (this.#marks.length === 0) return
    const marks = this.#marks
    this.#marks = []
    for (const name of marks) this.uplink?.marked(name)
  }
}
