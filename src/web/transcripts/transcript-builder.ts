import type { TimedCaption } from '../captions/timed-caption.ts'
import type { TranscriptEntry } from './transcript.ts'

/** Entries of one transcript: days of talk. */
const MOST_ENTRIES = 20_000

/** Builds a transcript from captions: only complete utterances, each once, in the order of their start. */
export class TranscriptBuilder {
  readonly #most: number
  readonly #entries = new Map<string, TranscriptEntry>()
  #dropped = 0

  constructor(most = MOST_ENTRIES) {
    this.#most = most
  }

  /** Entries dropped because of the limit, oldest first. */
  get dropped(): number {
    return this.#dropped
  }

  get size(): number {
    return this.#entries.size
  }

  /** Adds a caption and returns its entry; undefined if it is not final or empty. */
  add(caption: TimedCaption): TranscriptEntry | undefined {
    if (!caption.final) return undefined
    const before = this.#entries.get(caption.utterance)
    const { utterance, speaker, name, system, from, to, startMs, endMs } = caption
    const text = caption.text ?? before?.text ?? ''
    const translation = caption.translation ?? before?.translation ?? ''
    if (text.trim() === '' && translation.trim() === '') return undefined
    const entry = {
      utterance,
      speaker,
      ...(name === undefined ? {} : { name }),
      ...(system ? { system } : {}),
      from,
      to,
      text,
      translation,
      startMs,
      endMs: Math.max(endMs, before?.endMs ?? 0),
    }
    this.put(entry)
    return entry
  }

  /** Takes an entry as it is: a later one of the same utterance replaces it. */
  put(entry: TranscriptEntry): void {
    this.#entries.set(entry.utterance, entry)
    if (this.#entries.size <= this.#most) return
    this.#entries.delete(this.#entries.keys().next().value!)
    this.#dropped++
  }

  clear(): void {
    this.#entries.clear()
    this.#dropped = 0
  }

  /** Returns the entries by start time, then by arrival. */
  entries(): TranscriptEntry[] {
    return Array.from(this.#entries.values()).sort((a, b) => a.startMs - b.startMs)
  }
}
