import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { NOTES_FILE } from './recording-notes.ts'

/** Names of folders that hold a recording, so that nothing else is ever deleted. */
const RECORDING_FOLDER = /^\d{8}T\d{6}Z-[0-9a-f]{12}$/

/**
 * Deletes the recordings in `folder` whose notes were last written before `olderThan` (ms since 1970). Says how many.
 * What is no recording stays; one that cannot be deleted is left for the next time.
 */
export async function deleteOldRecordings(folder: string, olderThan: number): Promise<number> {
  const names = await readdir(folder).catch(() => [])
  let deleted = 0
  for (const name of names) {
    if (!RECORDING_FOLDER.test(name)) continue
    const path = join(folder, name)
    try {
      const { mtimeMs } = await stat(join(path, NOTES_FILE))
      if (mtimeMs >= olderThan) continue
      await rm(path, { recursive: true })
      deleted++
    } catch {
      // Not complete, or somebody else's turn.
    }
  }
  return deleted
}
