import { execFile } from 'node:child_process'
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeFileAtomic } from '../../src/storage/atomic-file.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'whole-'))
})
afterEach(() => rm(folder, { recursive: true }))

test('a new file is private to its owner, a replaced one keeps its mode; no other file remains', async () => {
  const path = join(folder, 'a.json')
  await writeFileAtomic(path, 'one')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  for (const mode of [0o640, 0o600, 0o664]) {
    await chmod(path, mode)
    await writeFileAtomic(path, 'two')
    expect(await readFile(path, 'utf8')).toBe('two')
    expect((await stat(path)).mode & 0o777).toBe(mode)
  }
  expect(await readdir(folder)).toEqual(['a.json'])
})

test('readers never see an incomplete file, with any number of concurrent writers', async () => {
  const path = join(folder, 'a.json')
  const texts = Array.from({ length: 8 }, (_, n) => `${n}`.repeat(200_000))
  await writeFileAtomic(path, texts[0]!)
  const seen: string[] = []
  let writing = true
  const reading = (async () => {
    while (writing) seen.push(await readFile(path, 'utf8'))
  })()
  await Promise.all(texts.map(text => writeFileAtomic(path, text)))
  writing = false
  await reading
  expect(seen.every(text => texts.includes(text))).toBe(true)
  expect(texts).toContain(await readFile(path, 'utf8'))
  expect(await readdir(folder)).toEqual(['a.json'])
})

test('a symbolic link remains a link', async () => {
  await mkdir(join(folder, 'real'))
  await writeFile(join(folder, 'real', 'a.json'), 'one')
  await symlink(join(folder, 'real', 'a.json'), join(folder, 'link.json'))
  await writeFileAtomic(join(folder, 'link.json'), 'two')
  expect(await readFile(join(folder, 'real', 'a.json'), 'utf8')).toBe('two')
  expect((await readdir(folder)).sort()).toEqual(['link.json', 'real'])
})

test("a failed write keeps the previous file and reports the disk's error", async () => {
  const path = join(folder, 'a.json')
  await mkdir(path)
  await writeFile(join(path, 'inside'), 'one')
  await expect(writeFileAtomic(path, 'two')).rejects.toMatchObject({ code: expect.stringMatching(/^E/) })
  await expect(writeFileAtomic(join(folder, 'none', 'a'), 'x')).rejects.toMatchObject({ code: 'ENOENT' })
  expect(await readdir(folder)).toEqual(['a.json'])
})

/** Requires a user who can change file owners. CI runs as root; other users can only test the error. */
const asRoot = test.skipIf(process.geteuid?.() !== 0)

asRoot('a replaced file keeps its owner and group; a new one gets those of its folder', async () => {
  const path = join(folder, 'a.json')
  await writeFile(path, 'one')
  await chmod(path, 0o640)
  await chown(path, 65_534, 12_345)
  await writeFileAtomic(path, 'two')
  expect(await stat(path)).toMatchObject({ uid: 65_534, gid: 12_345 })
  expect((await stat(path)).mode & 0o777).toBe(0o640)
  await chown(folder, 65_534, 12_345)
  await writeFileAtomic(join(folder, 'new.json'), 'three')
  expect(await stat(join(folder, 'new.json'))).toMatchObject({ uid: 65_534, gid: 12_345 })
})

asRoot('a user who cannot preserve the owner gets an error, and the file remains', async () => {
  const path = join(folder, 'a.json')
  await writeFile(path, 'one')
  await chmod(path, 0o644)
  await chmod(folder, 0o777)
  const module = new URL('../../src/storage/atomic-file.ts', import.meta.url).href
  const script = `import(${JSON.stringify(module)}).then(({ writeFileAtomic }) => writeFileAtomic(${JSON.stringify(path)}, 'two'))
    .then(() => console.log('written'), error => console.log(error.code, error.message))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    uid: 65_534,
    gid: 65_534,
    cwd: '/',
  })
  expect(stdout).toMatch(/^EPERM EPERM: .*a\.json belongs to uid 0, gid 0/)
  expect(await readFile(path, 'utf8')).toBe('one')
  expect(await readdir(folder)).toEqual(['a.json'])
})
