import { z } from 'zod'
import type { DeepReadonly } from '../../common/setting-fields.ts'
import type { RoomLife, TimedCaption } from '../captions/caption-feed.ts'

/** Maximum number of entries of a transcript: days of conversation. */
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
      name,
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

  /** Adds an entry unchanged; it replaces an earlier one of the same utterance. */
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
export interface TranscriptStore {
  /** Number of transcripts that could not be written. */
  readonly failed: number
  begin(life: RoomLife): TranscriptWriter
  list(): readonly TranscriptSummary[]
  read(id: string): Promise<Transcript | undefined>
  /** Resolves to false if it does not exist. */
  delete(id: string): Promise<boolean>
  /** Deletes expired transcripts. Never rejects. */
  sweep(): Promise<void>
}

const language = z.string().describe('Like `en-us`.')
const time = z.string().describe('ISO 8601.')

/** An utterance with one translation. An utterance translated into two languages has two entries. */
export const transcriptEntrySchema = z.strictObject({
  utterance: z.string(),
  /** ID of the participant. */
  speaker: z.string(),
  name: z.string().optional(),
  system: z.literal(true).optional().describe('Spoken by `say`; the speaker is `system`.'),
  from: language,
  to: language,
  text: z.string(),
  translation: z.string(),
  startMs: z.number().describe('Time since the room opened.'),
  endMs: z.number(),
})

export type TranscriptEntry = Readonly<z.infer<typeof transcriptEntrySchema>>

/** Summary of a transcript, available without reading it. */
export const transcriptSummarySchema = z.strictObject({
  /** ID of the room’s life. */
  id: z.string(),
  room: z.string(),
  openedAt: time,
  endedAt: time.optional().describe('Absent while the room is open.'),
  deletedAt: time.optional().describe('Time of its deletion.'),
})

export type TranscriptSummary = Readonly<z.infer<typeof transcriptSummarySchema>>

/** The transcript of one life of a room, in the order of speech. */
export const transcriptSchema = z.strictObject({
  ...transcriptSummarySchema.shape,
  entries: z.array(transcriptEntrySchema),
  dropped: z.number().describe('Entries dropped because of the limit.'),
})

export type Transcript = DeepReadonly<z.infer<typeof transcriptSchema>>
