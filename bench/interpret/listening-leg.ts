import type { EndReason } from '../../src/common/lifecycle.ts'
import type { Leg, LegUplink } from '../../src/core/model/leg.ts'
import { FRAME_MS, FRAME_SAMPLES } from '../../src/transcode/pcm.ts'

/** Frames as a phone plays them: one after the other from its queue, in real time. */
export class ListeningLeg implements Leg {
  readonly id: string
  readonly channel = 'simulated'
  readonly ended: Promise<EndReason>
  readonly congested = false
  uplink: LegUplink | undefined
  readonly #now: () => number
  readonly #hear: (frame: Int16Array, atMs: number) => void
  #marks: { readonly name: string; readonly at: number }[] = []
  #drainsAt = 0
  #end!: (reason: EndReason) => void

  /** `hear` gets each frame, borrowed, and the time at which it plays (clock ms). */
  constructor(id: string, now: () => number, hear: (frame: Int16Array, atMs: number) => void) {
    this.id = id
    this.#now = now
    this.#hear = hear
    this.ended = new Promise(resolve => {
      this.#end = resolve
    })
  }

  attach(uplink: LegUplink): void {
    this.uplink = uplink
  }

  play(frames: Int16Array): void {
    this.#drainsAt = Math.max(this.#drainsAt, this.#now())
    for (let at = 0; at < frames.length; at += FRAME_SAMPLES) {
      this.#hear(frames.subarray(at, at + FRAME_SAMPLES), this.#drainsAt)
      this.#drainsAt += FRAME_MS
    }
  }

  mark(name: string): void {
    this.#marks.push({ name, at: this.#drainsAt })
  }

  flush(): void {
    this.#marks = []
    this.#drainsAt = 0
  }

  async close(reason: EndReason): Promise<void> {
    this.#end(reason)
  }

  /** Confirms the marks of what has been played by now. */
  confirm(): void {
    while (this.#marks[0] && this.#marks[0].at <= this.#now()) this.uplink?.marked(this.#marks.shift()!.name)
  }
}
