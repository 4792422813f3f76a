import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeWhole } from '../../src/files/whole-file.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'whole-'))
})
afterEach(() => rm(folder, { recursive: true }))

test('a file is made, and replaced, for its owner alone; nothing else is left', async () => {
  const path = join(folder, 'a.json')
  await writeWhole(path, 'one')
  await chmod(path, 0o644)
  await writeWhole(path, 'two')
  expect(await readFile(path, 'utf8')).toBe('two')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readdir(folder)).toEqual(['a.json'])
})

test('nobody sees half a file, however many write at once', async () => {
  const path = join(folder, 'a.json')
  const texts = Array.from({ length: 8 }, (_, n) => `${n}`.repeat(200_000))
  await writeWhole(path, texts[0]!)
  const seen: string[] = []
  let writing = true
  const reading = (async () => {
    while (writing) seen.push(await readFile(path, 'utf8'))
  })()
  await Promise.all(texts.map(text => writeWhole(path, text)))
  writing = false
  await reading
  expect(seen.every(text => texts.includes(text))).toBe(true)
  expect(texts).toContain(await readFile(path, 'utf8'))
  expect(await readdir(folder)).toEqual(['a.json'])
})

test('a link stays a link', async () => {
  await mkdir(join(folder, 'real'))
  await writeFile(join(folder, 'real', 'a.json'), 'one')
  await symlink(join(folder, 'real', 'a.json'), join(folder, 'link.json'))
  await writeWhole(join(folder, 'link.json'), 'two')
  expect(await readFile(join(folder, 'real', 'a.json'), 'utf8')).toBe('two')
  expect((await readdir(folder)).sort()).toEqual(['link.json', 'real'])
})

test('where it cannot be written, the file of before stays, and the disk says why', async () => {
  const path = join(folder, 'a.json')
  await mkdir(path)
  await writeFile(join(path, 'inside'), 'one')
  await expect(writeWhole(path, 'two')).rejects.toMatchObject({ code: expect.stringMatching(/^E/) })
  await expect(writeWhole(join(folder, 'none', 'a'), 'x')).rejects.toMatchObject({ code: 'ENOENT' })
  expect(await readdir(folder)).toEqual(['a.json'])
})
