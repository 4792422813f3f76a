import type { RoomLife } from '../captions/timed-caption.ts'
import type { Transcript, TranscriptEntry, TranscriptSummary } from './transcript.ts'

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
