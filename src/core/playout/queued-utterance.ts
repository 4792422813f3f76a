import { FRAME_MS } from '../../transcode/pcm.ts'
import type { SpeechAudio, SpeechReader } from '../utterance/speech-audio.ts'
import type { Utterance } from '../utterance/utterance.ts'

/** The part of an utterance that playback needs. */
export type SpokenUtterance = Pick<Utterance, 'id' | 'speechEndedAt'> &
  Partial<Pick<Utterance, 'arrivals' | 'words' | 'parts' | 'languages' | 'loudnessDb'>> & {
    readonly audio: SpeechAudio
  }

/** An utterance in a queue: how much has been read, and how much of that has been sent. */
export class QueuedSpeech {
  readonly speech: SpokenUtterance
  /** Arrival time (clock ms); later by the time in which it had nothing to play, because the rest had not arrived. */
  arrivedAt: number
  /** Its first sample was sent. */
  begun = false
  /** Its parts that have started. */
  parts = 0
  /** Its position in the audio read ahead of the queue's output (samples); `from` is −1 until any was read. */
  from = -1
  to = -1
  /** Its audio, for immediate playback. */
  readonly reader: SpeechReader
  /** Keeps the start, which is read ahead, until other readers can start from it. */
  #beginning: SpeechReader | undefined

  constructor(speech: SpokenUtterance, arrivedAt: number) {
    this.speech = speech
    this.arrivedAt = arrivedAt
    this.reader = speech.audio.reader()
  }

  /** Frames read. */
  get at(): number {
    return this.reader.at
  }

  /** Known audio that remains (ms). */
  get leftMs(): number {
    return Math.max(0, this.speech.audio.durationMs - this.at * FRAME_MS)
  }

  /** True if all of it was read and no more follows. */
  get taken(): boolean {
    return this.reader.done
  }

  /** Returns when the words of the part that has just started were said (clock ms); undefined if none has. */
  startedPart(): number | undefined {
    const { parts = [] } = this.speech
    let saidAt: number | undefined
    for (let next = parts[this.parts]; next && this.at * FRAME_MS > next.atMs; next = parts[++this.parts])
      saidAt = next.saidAt
    return saidAt
  }

  /** Returns the next frame, for later playback: it is at sample `at` of the audio read ahead. */
  readAhead(at: number): Int16Array | undefined {
    if (!this.begun) this.#beginning ??= this.speech.audio.reader()
    const frame = this.reader.next()
    if (!frame) return undefined
    if (this.from < 0) this.from = at
    this.to = at + frame.length
    return frame
  }

  /** Its first sample was sent, and other readers have started from there. */
  release(): void {
    this.#beginning?.close()
    this.#beginning = undefined
  }

  /** Releases its audio. */
  close(): void {
    this.release()
    this.reader.close()
  }
}

/**
 * Returns a queue that plays `unheard` again from the start (other readers keep their audio), then the rest of
 * `waiting`. `lost` lists utterances whose start is no longer available. `now`: clock ms.
 */
export function restart(
  unheard: readonly SpokenUtterance[],
  waiting: readonly QueuedSpeech[],
  now: number,
): { readonly queue: QueuedSpeech[]; readonly lost: SpokenUtterance[] } {
  const known = new Set(unheard.map(({ id }) => id))
  // The end of their speech was reported when they first started.
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
