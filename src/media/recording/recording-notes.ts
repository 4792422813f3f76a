import { join } from 'node:path'
import { writeWhole } from '../../storage/atomic-file.ts'

/** Metadata file in a recording’s folder, which describes the others. */
export const NOTES_FILE = 'recording.json'

/** A track of a recording. */
export interface TrackNotes {
  /** In the same folder as the metadata. */
  readonly file: string
  readonly kind: 'original' | 'translation'
  /** ID of the speaker. */
  readonly participant: string
  readonly name?: string
  readonly channel?: string
  /** Language of this track, if known. */
  readonly language?: string
  /** Present once it has ended. */
  readonly lostMs?: number
  readonly failed?: boolean
}

/** Metadata of a recording, for people and programs. All tracks start at the same time. */
export interface RecordingNotes {
  readonly version: 1
  readonly id: string
  readonly room: string
  /** Start of the first recorded audio, ISO 8601. */
  readonly startedAt: string
  /** ISO 8601; absent while it is in progress, or if it was cut off. */
  readonly endedAt?: string
  /** Absent like `endedAt`. */
  readonly durationMs?: number
  /** Omitted audio: position in the recording, and duration. */
  readonly pauses: readonly { readonly atMs: number; readonly forMs: number }[]
  readonly tracks: readonly TrackNotes[]
}

/** Replaces the metadata of the recording in `folder` atomically. Rejects with the disk’s error. */
export async function writeNotes(folder: string, notes: RecordingNotes): Promise<void> {
  await writeWhole(join(folder, NOTES_FILE), `${JSON.stringify(notes, null, 2)}\n`)
}
