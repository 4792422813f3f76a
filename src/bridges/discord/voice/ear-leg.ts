import type { EndReason } from '../../../core/errors.ts'
import type { LanguageId } from '../../../core/languages.ts'
import type { Leg, LegUplink } from '../../../core/leg.ts'
import { assertFrames } from '../../../transcode/pcm.ts'
import { EarQueue } from './ear-queue.ts'

/** The queue's bound (2 s). */
const CAPACITY_FRAMES = 100
/** So many frames wait: no more should come (300 ms, where the playout runs 200 ms ahead). */
const CONGESTED_FRAMES = 15
/** Marks that wait, at most; older ones are forgotten. */
const MARKS_MOST = 200

/** What an ear needs of the voice that it is a part of. */
export interface EarOwner {
  /** What is played reaches the channel. */
  readonly open: boolean
  /** There is something to send. */
  wake(): void
  left(ear: EarLeg): void
  dropped(frames: number): void
}

/** One language that a voice channel hears. What it is played goes into the one stream of its `ChannelVoice`. */
export class EarLeg implements Leg {
  readonly id: string
  readonly channel = 'discord'
  readonly language: LanguageId
  readonly ended: Promise<EndReason>
  /** For the owner: the gain that its last frame ended with, and when it began to sound (slots). */
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

  /** True also while the channel cannot hear: translations wait for it. */
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

  /** For the owner: all that was taken has been sent. */
  sent(): void {
    if (this.#queue.marks === 0) return
    for (let name = this.#queue.takeMark(); name !== undefined; name = this.#queue.takeMark())
      this.#uplink?.marked(name)
  }
}
