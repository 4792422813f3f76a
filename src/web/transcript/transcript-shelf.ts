import type { RoomLife } from '../captions/timed-caption.ts'
import type { Transcript, TranscriptEntry, TranscriptSummary } from './transcript.ts'

/** Takes a transcript as it grows. */
export interface TranscriptWriter {
  /** Takes one more entry; a later one of the same utterance replaces it. */
  write(entry: TranscriptEntry): void
  /** Forgets all entries. */
  clear(): void
  /** The room has ended: the transcript goes to the shelf. Settles when it is there; never rejects. */
  finish(transcript: Omit<Transcript, 'endedAt' | 'deletedAt'>): Promise<void>
}

/** Where transcripts are when their rooms have ended. Each is deleted when its time is over. */
export interface TranscriptShelf {
  /** Transcripts kept now, times that one could not be written, and those deleted before their time. */
  readonly stats: { readonly kept: number; readonly failed: number; readonly evicted: number }
  begin(life: RoomLife): TranscriptWriter
  list(): readonly TranscriptSummary[]
  read(id: string): Promise<Transcript | undefined>
  /** False when there is none. */
  delete(id: string): Promise<boolean>
  /** Deletes what is past its time. Never rejects. */
  sweep(): Promise<void>
}
