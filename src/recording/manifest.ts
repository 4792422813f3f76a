import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../common/json.ts'
import { writeFileAtomic } from '../storage/atomic-file.ts'

/** Metadata file in a recording’s folder, which describes the others. */
const NOTES_FILE = 'recording.json'

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
  await writeFileAtomic(join(folder, NOTES_FILE), `${JSON.stringify(notes, null, 2)}\n`)
}

/** Names of recording folders, so that other folders are never deleted. */
const RECORDING_FOLDER = /^\d{8}T\d{6}Z-[0-9a-f]{12}$/

/** The end of a recording in its metadata. */
const endSchema = z.object({
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
  durationMs: z.number().optional(),
  pauses: z.array(z.object({ forMs: z.number() })).default([]),
})

export interface Retention {
  /** Recordings that ended earlier are deleted (ms since 1970). */
  readonly olderThan: number
  /** Folders of this process’s recordings in progress. */
  readonly running: readonly string[]
}

/**
 * Deletes the recordings in `folder` that ended too long ago and returns their number. Recordings in progress are kept:
 * those of this process by name, those of others because they are being written. Other files are kept. A failed
 * deletion is retried next time.
 */
export async function deleteOldRecordings(
  folder: string,
  { olderThan, running }: Retention,
): Promise<number> {
  const going = new Set(running.map(path => basename(path)))
  const names = await readdir(folder).catch(() => [])
  let deleted = 0
  for (const name of names) {
    if (!RECORDING_FOLDER.test(name) || going.has(name)) continue
    const path = join(folder, name)
    try {
      if ((await endOf(path)) >= olderThan) continue
      await rm(path, { recursive: true })
      deleted++
    } catch {
      // Another process is deleting.
    }
  }
  return deleted
}

/**
 * Marks the recording in `path` as in progress for other processes with the same folder, even while the recorder does not write.
 */
export async function markRunning(path: string, now: number): Promise<void> {
  await utimes(join(path, NOTES_FILE), now / 1_000, now / 1_000).catch(() => {})
}

/**
 * Returns when the recording in `path` ended, from its metadata; without an end, when it was last written (ms since
 * 1970).
 */
async function endOf(path: string): Promise<number> {
  const text = await readFile(join(path, NOTES_FILE), 'utf8').catch(() => '')
  const notes = endSchema.safeParse(parseJson(text)).data
  if (notes?.endedAt !== undefined) return Date.parse(notes.endedAt)
  // Written by a version that did not store the end.
  if (notes?.durationMs !== undefined)
    return Date.parse(notes.startedAt) + notes.durationMs + sum(notes.pauses.map(({ forMs }) => forMs))
  const files = await readdir(path)
  const times = await Promise.all(files.map(async file => (await stat(join(path, file))).mtimeMs))
  return files.length > 0 ? Math.max(...times) : (await stat(path)).mtimeMs
}

function sum(values: readonly number[]): number {
  return values.reduce((all, each) => all + each, 0)
}
