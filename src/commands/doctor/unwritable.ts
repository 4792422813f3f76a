import { mkdir, mkdtemp, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * The code of the error when one tries to write into a folder, which is made for that if need be; undefined when one can. Nothing is
 * left behind: trying is the only way to know, as rights, quotas and kinds of file systems say it in different ways.
 */
export async function unwritable(folder: string): Promise<string | undefined> {
  let first: string | undefined
  try {
    first = await mkdir(folder, { recursive: true, mode: 0o700 })
    await rmdir(await mkdtemp(join(folder, '.doctor-')))
    return undefined
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  } finally {
    // Only what is empty goes: somebody else may have begun to write there.
    if (first !== undefined) await removed(folder, first)
  }
}

async function removed(folder: string, first: string): Promise<void> {
  try {
    for (let path = folder; ; path = dirname(path)) {
      await rmdir(path)
      if (path === first || path === dirname(path)) return
    }
  } catch {}
}
