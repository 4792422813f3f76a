import type { LanguageId } from '../../common/language.ts'
import type { RoomLife, TimedCaption } from '../captions/caption-feed.ts'

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

/** Writes a growing transcript. */
export interface TranscriptWriter {
  /** Writes an entry; a later one of the same utterance replaces it. */
  write(entry: TranscriptEntry): void
  /** Removes all entries. */
  clear(): void
  /** The room has ended: stores the transcript. Settles when it is stored; never rejects. */
  finish(transcript: Omit<Transcript, 'endedAt' | 'deletedAt'>): Promise<void>
}

/** Storage for transcripts of ended rooms. Each is deleted when it expires. */
export interface TranscriptShelf {
  /** Transcripts kept now, times that one could not be written, and those deleted before their time. */
  readonly stats: { readonly kept: number; readonly failed: number; readonly evicted: number }
  begin(life: RoomLife): TranscriptWriter
  list(): readonly TranscriptSummary[]
  read(id: string): Promise<Transcript | undefined>
  /** Resolves to false if it does not exist. */
  delete(id: string): Promise<boolean>
  /** Deletes expired transcripts. Never rejects. */
  sweep(): Promise<void>
}

/** One utterance as it was said and translated. Who hears two languages is translated twice: two entries. */
export interface TranscriptEntry {
  readonly utterance: string
  /** The participant's id. */
  readonly speaker: string
  readonly name?: string
  /** The system said it for a program. */
  readonly system?: true
  readonly from: LanguageId
  readonly to: LanguageId
  readonly text: string
  readonly translation: string
  /** From the room's opening. */
  readonly startMs: number
  readonly endMs: number
}

/** What is known of a transcript without reading it. */
export interface TranscriptSummary {
  /** The id of the room's life. */
  readonly id: string
  readonly room: string
  /** ISO 8601. */
  readonly openedAt: string
  /** Absent while the room lives. */
  readonly endedAt?: string
  /** When it will be deleted; absent while the room lives. */
  readonly deletedAt?: string
}

/** What was said in a room during one of its lives, in the order of what was said. */
export interface Transcript extends TranscriptSummary {
  readonly entries: readonly TranscriptEntry[]
  /** Entries that were forgotten, since there were too many. */
  readonly dropped: number
}
