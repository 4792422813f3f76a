import type { EndReason } from '../../../common/errors.ts'
import type { LanguageId } from '../../../common/language.ts'
import type { Leg, LegUplink } from '../../../core/model/leg.ts'
import { assertFrames } from '../../../transcode/pcm.ts'
import { EarQueue } from './ear-queue.ts'

/** Capacity of the queue (2 s). */
const CAPACITY_FRAMES = 100
/** Queue length from which the leg is congested (300 ms; the playout runs 200 ms ahead). */
const CONGESTED_FRAMES = 15
/** Maximum number of pending marks; further ones are dropped. */
const MARKS_MOST = 200

/** The parts of `ChannelVoice` that an ear needs. */
export interface EarOwner {
  /** Audio reaches the channel. */
  readonly open: boolean
  /** Called when there is audio to send. */
  wake(): void
  left(ear: EarLeg): void
  dropped(frames: number): void
}

/** Output of one language to a voice channel. Its audio is mixed into the one stream of its `ChannelVoice`. */
export class EarLeg implements Leg {
  readonly id: string
  readonly channel = 'discord'
  readonly language: LanguageId
  readonly ended: Promise<EndReason>
  /** For the owner: the gain at the end of its last frame, and when it started to sound (slots). */
  gain = 1
  soundingSince = 0
  readonly #owner: EarOwner
  readonly #queue = new EarQueue(CAPACITY_FRAMES)
  readonly #settle: (reason: EndReason) => void
  #uplink: LegUplink | undefined
  #over = false

  constructor(id: string, language: LanguageId, owner: EarOwner) {
    this.id = id
    this.language = language
    this.#owner = owner
    const { promise, resolve } = Promise.withResolvers<EndReason>()
    this.ended = promise
    this.#settle = resolve
  }

  /** Also true while the channel cannot receive: translations wait for it. */
  get congested(): boolean {
    return !this.#owner.open || this.#queue.frames >= CONGESTED_FRAMES
  }

  attach(uplink: LegUplink): void {
    this.#uplink = uplink
  }

  play(frames: Int16Array): void {
    assertFrames(frames)
    if (this.#over) return
    const dropped = this.#queue.push(frames)
    if (dropped > 0) this.#owner.dropped(dropped)
    this.#owner.wake()
  }

  mark(name: string): void {
    if (this.#over) return
    if (this.#queue.marks >= MARKS_MOST) return
    this.#queue.mark(name)
    this.#owner.wake()
  }

  flush(): void {
    this.#queue.clear()
  }

  async close(reason: EndReason): Promise<void> {
    if (this.#over) return
    this.#over = true
    this.#queue.clear()
    this.#uplink = undefined
    this.#owner.left(this)
    this.#settle(reason)
  }

  /** For the owner: the next frame to send, borrowed for this slot. */
  take(): Int16Array | undefined {
    return this.#queue.take()
  }

  get waiting(): boolean {
    return this.#queue.frames > 0 || this.#queue.marks > 0
  }

  /** For the owner: all frames taken so far have been sent. */
  sent(): void {
    if (this.#queue.marks === 0) return
    for (let name = this.#queue.takeMark(); name !== undefined; name = this.#queue.takeMark())
      this.#uplink?.marked(name)
  }
}
