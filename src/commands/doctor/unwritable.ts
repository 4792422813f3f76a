import { mkdir, mkdtemp, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * The code of the error when one tries to write into a folder, which is made for that if need be; undefined when one can. Nothing is
 * left behind: trying is the only way to know, as rights, quotas and kinds of file systems say it in different ways.
 */
export async function unwritable(folder: string): Promise<string | undefined> {
  const made: string[] = []
  try {
    // One by one: all at once (`recursive`) never ends where a file system says of its own folders that they are not there.
    for (const path of await missing(folder)) {
      await mkdir(path, { mode: 0o700 })
      made.unshift(path)
    }
    await rmdir(await mkdtemp(join(folder, '.doctor-')))
    return undefined
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  } finally {
    // Only what is empty goes: somebody else may have begun to write there.
    for (const path of made) await rmdir(path).catch(() => {})
  }
}

/** What is not there of the way to a folder, from the outside in. */
async function missing(folder: string): Promise<string[]> {
  const paths: string[] = []
  for (let path = folder; path !== dirname(path); path = dirname(path)) {
    const there = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    if (there) break
    paths.unshift(path)
  }
  return paths
}
