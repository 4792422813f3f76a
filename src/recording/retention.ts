import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { NOTES_FILE } from './recording-notes.ts'

/** Names of folders that hold a recording, so that nothing else is ever deleted. */
const RECORDING_FOLDER = /^\d{8}T\d{6}Z-[0-9a-f]{12}$/

/** What the notes say about the end. */
const endSchema = z.object({
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().optional(),
  durationMs: z.number().optional(),
  pauses: z.array(z.object({ forMs: z.number() })).default([]),
})

export interface Retention {
  /** Recordings that ended before this are deleted (ms since 1970). */
  readonly olderThan: number
  /** Folders of recordings of this process that go on. */
  readonly running: readonly string[]
}

/**
 * Deletes the recordings in `folder` that ended too long ago; says how many. Those that go on stay, whatever their age: the ones
 * of this process by name, those of another one since they are written to. What is no recording stays; one that cannot be deleted
 * is left for the next time.
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
      // Somebody else's turn.
    }
  }
  return deleted
}

/** Tells other processes with the same folder that the recording in `path` goes on, also while nothing is written to it. */
export async function markRunning(path: string, now: number): Promise<void> {
  await utimes(join(path, NOTES_FILE), now / 1_000, now / 1_000).catch(() => {})
}

/** When the recording in `path` ended, by its notes; of one that was cut off, or goes on, when it was last written to (ms since 1970). */
async function endOf(path: string): Promise<number> {
  const text = await readFile(join(path, NOTES_FILE), 'utf8').catch(() => '')
  const notes = endSchema.safeParse(parsed(text)).data
  if (notes?.endedAt !== undefined) return Date.parse(notes.endedAt)
  // Written by a version that did not note the end itself.
  if (notes?.durationMs !== undefined)
    return Date.parse(notes.startedAt) + notes.durationMs + sum(notes.pauses.map(({ forMs }) => forMs))
  const files = await readdir(path)
  const times = await Promise.all(files.map(async file => (await stat(join(path, file))).mtimeMs))
  return files.length > 0 ? Math.max(...times) : (await stat(path)).mtimeMs
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((all, each) => all + each, 0)
}
