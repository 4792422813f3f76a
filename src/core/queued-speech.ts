import { FRAME_MS } from '../transcode/pcm.ts'
import type { Utterance } from './utterance.ts'
import type { UtteranceReader } from './utterance-audio.ts'

/** An utterance as far as playing it goes. */
export type Speech = Pick<Utterance, 'id' | 'audio' | 'speechEndedAt'> & Partial<Pick<Utterance, 'arrivals'>>

/** An utterance in a lane: how much of it was taken, and how much of that went out. */
export class QueuedSpeech {
  readonly speech: Speech
  /** When it came (clock ms). */
  readonly arrivedAt: number
  /** Its first sample went out. */
  begun = false
  /** Where it lies in what was read ahead of the lane's output (samples); `from` is −1 while nothing of it was. */
  from = -1
  to = -1
  readonly #reader: UtteranceReader
  /** Keeps its beginning, which is read ahead, until others can take their places in it. */
  #beginning: UtteranceReader | undefined

  constructor(speech: Speech, arrivedAt: number) {
    this.speech = speech
    this.arrivedAt = arrivedAt
    this.#reader = speech.audio.reader()
  }

  /** Frames taken. */
  get at(): number {
    return this.#reader.at
  }

  /** Audio known to be left (ms). */
  get leftMs(): number {
    return Math.max(0, this.speech.audio.durationMs - this.at * FRAME_MS)
  }

  /** All of it was taken, and no more comes. */
  get taken(): boolean {
    const { audio } = this.speech
    return audio.complete && this.at >= audio.frames
  }

  /** The next frame, for what is played at once. */
  next(): Int16Array | undefined {
    return this.#reader.next()
  }

  /** The next frame, for what is played later: it lies at sample `at` of what was read ahead. */
  readAhead(at: number): Int16Array | undefined {
    if (!this.begun) this.#beginning ??= this.speech.audio.reader()
    const frame = this.#reader.next()
    if (!frame) return undefined
    if (this.from < 0) this.from = at
    this.to = at + frame.length
    return frame
  }

  /** Its first sample went out, and who wanted a place at its beginning has taken it. */
  release(): void {
    this.#beginning?.close()
    this.#beginning = undefined
  }

  /** Gives its audio back. */
  close(): void {
    this.release()
    this.#reader.close()
  }
}

/**
 * The queue in which `unheard`, of which somebody holds the beginnings, are played again from there, and then what else
 * was `waiting`; `lost` are those whose beginning is not there any more. `now`: clock ms.
 */
export function beginAgain(
  unheard: readonly Speech[],
  waiting: readonly QueuedSpeech[],
  now: number,
): { readonly queue: QueuedSpeech[]; readonly lost: Speech[] } {
  const known = new Set(unheard.map(({ id }) => id))
  // When their speakers were done was told when they first began.
  const again = unheard.map(
    ({ id, audio }) => new QueuedSpeech({ id, audio, speechEndedAt: Number.NaN }, now),
  )
  const others = waiting.filter(({ speech }) => !known.has(speech.id))
  const queue = [
    ...again,
    ...others.filter(({ begun }) => !begun).map(({ speech }) => new QueuedSpeech(speech, now)),
  ]
  for (const queued of waiting) queued.close()
  return { queue, lost: others.filter(({ begun }) => begun).map(({ speech }) => speech) }
}
