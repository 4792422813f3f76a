import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { KeyFile } from '../../../src/service/server/keys/key-store.ts'
import { THEN } from './key-date.ts'

/** Path of a key file that does not exist yet, in a folder that is removed after the test. */
export async function keyFilePath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-keys-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'keys.json')
}

/** A key file with a key for each of `names`. */
export async function keyFileWith(...names: string[]) {
  const path = await keyFilePath()
  const file = new KeyFile(path)
  const keys: string[] = []
  for (const name of names) keys.push(await file.add(name, THEN))
  return { path, file, keys }
}
