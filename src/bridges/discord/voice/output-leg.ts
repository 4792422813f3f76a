import type { LanguageId } from '../../../common/language.ts'
import type { EndReason } from '../../../common/lifecycle.ts'
import type { Leg, LegUplink } from '../../../core/model/leg.ts'
import { assertFrames, FRAME_SAMPLES } from '../../../transcode/pcm.ts'
import type { ChannelOutput } from './channel-output.ts'

/** Queue of frames to send, in preallocated memory, with marks between them. */
class OutputQueue {
  readonly #slots: readonly Int16Array[]
  readonly #marks: { readonly name: string; readonly behind: number }[] = []
  /** Total frames added and removed. */
  #in = 0
  #out = 0

  constructor(capacityFrames: number) {
    this.#slots = Array.from({ length: capacityFrames }, () => new Int16Array(FRAME_SAMPLES))
  }

  get frames(): number {
    return this.#in - this.#out
  }

  /** Copies whole frames. Returns the number of frames that did not fit. */
  push(frames: Int16Array): number {
    const count = frames.length / FRAME_SAMPLES
    for (let n = 0; n < count; n++) {
      if (this.frames === this.#slots.length) return count - n
      const slot = this.#slots[this.#in++ % this.#slots.length]!
      const from = n * FRAME_SAMPLES
      for (let at = 0; at < FRAME_SAMPLES; at++) slot[at] = frames[from + at]!
    }
    return 0
  }

  /** Returns the next frame, borrowed until the next `push`, or undefined. */
  take(): Int16Array | undefined {
    return this.frames === 0 ? undefined : this.#slots[this.#out++ % this.#slots.length]!
  }

  /** Adds a mark after the frames added so far. */
  mark(name: string): void {
    this.#marks.push({ name, behind: this.#in })
  }

  get marks(): number {
    return this.#marks.length
  }

  /** Returns the next mark whose preceding frames have all been removed, or undefined. */
  takeMark(): string | undefined {
    const [first] = this.#marks
    return first !== undefined && first.behind <= this.#out ? this.#marks.shift()?.name : undefined
  }

  /** Drops frames and marks. */
  clear(): void {
    this.#out = this.#in
    this.#marks.length = 0
  }
}

/** Capacity of the queue (2 s). */
const CAPACITY_FRAMES = 100
/** Queue length from which the leg is congested (300 ms; the playout runs 200 ms ahead). */
const CONGESTED_FRAMES = 15
/** Maximum number of pending marks; further ones are dropped. */
const MARKS_MOST = 200

/** Output of one language to a voice channel. Its audio is mixed into the one stream of its `ChannelOutput`. */
export class OutputLeg implements Leg {
  readonly id: string
  readonly channel = 'discord'
  readonly language: LanguageId
  readonly ended: Promise<EndReason>
  /** For the channel output: the gain at the end of its last frame, and when it started to sound (slots). */
  gain = 1
  soundingSince = 0
  readonly #output: ChannelOutput
  readonly #queue = new OutputQueue(CAPACITY_FRAMES)
  readonly #settle: (reason: EndReason) => void
  #uplink: LegUplink | undefined
  #over = false

  constructor(id: string, language: LanguageId, output: ChannelOutput) {
    this.id = id
    this.language = language
    this.#output = output
    const { promise, resolve } = Promise.withResolvers<EndReason>()
    this.ended = promise
    this.#settle = resolve
  }

  /** Also true while the channel cannot receive: translations wait for it. */
  get congested(): boolean {
    return !this.#output.open || this.#queue.frames >= CONGESTED_FRAMES
  }

  attach(uplink: LegUplink): void {
    this.#uplink = uplink
  }

  play(frames: Int16Array): void {
    assertFrames(frames)
    if (this.#over) return
    const dropped = this.#queue.push(frames)
    if (dropped > 0) this.#output.dropped(dropped)
    this.#output.wake()
  }

  mark(name: string): void {
    if (this.#over) return
    if (this.#queue.marks >= MARKS_MOST) return
    this.#queue.mark(name)
    this.#output.wake()
  }

  flush(): void {
    this.#queue.clear()
  }

  async close(reason: EndReason): Promise<void> {
    if (this.#over) return
    this.#over = true
    this.#queue.clear()
    this.#uplink = undefined
    this.#output.remove(this)
    this.#settle(reason)
  }

  /** For the channel output: the next frame to send, borrowed for this slot. */
  take(): Int16Array | undefined {
    return this.#queue.take()
  }

  get waiting(): boolean {
    return this.#queue.frames > 0 || this.#queue.marks > 0
  }

  /** For the channel output: all frames taken so far have been sent. */
  sent(): void {
    if (this.#queue.marks === 0) return
    for (let name = this.#queue.takeMark(); name !== undefined; name = this.#queue.takeMark())
      this.#uplink?.marked(name)
  }
}
