import { join } from 'node:path'
import { writeWhole } from '../files/whole-file.ts'

/** The file in a recording's folder that says what the others are. */
export const NOTES_FILE = 'recording.json'

/** One voice of a recording. */
export interface TrackNotes {
  /** Beside the notes. */
  readonly file: string
  readonly kind: 'original' | 'translation'
  /** The speaker's id. */
  readonly participant: string
  readonly name?: string
  readonly channel?: string
  /** What is spoken on this track, as far as known. */
  readonly language?: string
  /** Once it has ended. */
  readonly lostMs?: number
  readonly failed?: boolean
}

/** What a recording is, for people and programs. All tracks begin at the same moment. */
export interface RecordingNotes {
  readonly version: 1
  readonly id: string
  readonly room: string
  /** ISO 8601, when the first sound was kept. */
  readonly startedAt: string
  /** ISO 8601; absent while it goes on, or when it was cut off. */
  readonly endedAt?: string
  /** Absent like `endedAt`. */
  readonly durationMs?: number
  /** Where sound was left out: at this time of the recording, for this long. */
  readonly pauses: readonly { readonly atMs: number; readonly forMs: number }[]
  readonly tracks: readonly TrackNotes[]
}

/** Writes the notes of the recording in `folder`, replacing those there as a whole. Rejects as the disk does. */
export async function writeNotes(folder: string, notes: RecordingNotes): Promise<void> {
  await writeWhole(join(folder, NOTES_FILE), `${JSON.stringify(notes, null, 2)}\n`)
}
