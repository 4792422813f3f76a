import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import { withLock } from '../../../../src/service/server/keys/file-lock.ts'
import { KeyFile } from '../../../../src/service/server/keys/key-store.ts'
import { THEN } from '../../../support/service/key-date.ts'
import { keyFilePath, keyFileWith } from '../../../support/service/key-files.ts'

test('a key is 192 random bits; the file contains only its digest and is readable by its owner only', async () => {
  const { path, file, keys } = await keyFileWith('desk')
  expect(keys[0]).toMatch(/^dgm_[\w-]{32}$/)
  const text = await readFile(path, 'utf8')
  expect(text).not.toContain(keys[0]!.slice(4))
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readdir(dirname(path))).toEqual(['keys.json'])
  expect(await file.read()).toEqual([
    { name: 'desk', sha256: expect.stringMatching(/^[0-9a-f]{64}$/), createdAt: '2026-01-02T03:04:05.000Z' },
  ])
})

test('a change keeps the mode of the file', async () => {
  const { path, file } = await keyFileWith('desk')
  await chmod(path, 0o640)
  await file.add('door', THEN)
  expect((await stat(path)).mode & 0o777).toBe(0o640)
})

test('a change through a symbolic link keeps the link', async () => {
  const { path, file } = await keyFileWith('desk')
  const link = join(dirname(path), 'link.json')
  await symlink(path, link)
  await new KeyFile(link).add('door', THEN)
  expect((await file.read())?.map(key => key.name)).toEqual(['desk', 'door'])
})

const NAMES = ['desk', 'door', 'shop'] as const
const operation = fc.record({
  kind: fc.constantFrom('add', 'revoke', 'list'),
  name: fc.constantFrom(...NAMES),
})
type Operation = { kind: string; name: string }

/** Returns true if the change was made; a rejection is a `RangeError`. */
async function did(file: KeyFile, { kind, name }: Operation): Promise<boolean> {
  try {
    if (kind === 'add') await file.add(name, THEN, { sessions: 2 })
    else if (kind === 'revoke') await file.revoke(name)
    else await file.read()
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(RangeError)
    return false
  }
}

test('sequential changes: the file equals a list in memory', async () => {
  const run = fc.asyncProperty(fc.array(operation, { maxLength: 12 }), async operations => {
    const file = new KeyFile(await keyFilePath())
    let model: string[] = []
    for (const { kind, name } of operations) {
      const has = model.includes(name)
      expect(await did(file, { kind, name })).toBe(kind === 'list' || has === (kind === 'revoke'))
      if (kind === 'revoke') model = model.filter(each => each !== name)
      if (kind === 'add' && !has) model.push(name)
      expect(((await file.read()) ?? []).map(key => key.name)).toEqual(model)
    }
  })
  await fc.assert(run, { numRuns: 30 })
})

test('concurrent changes: none is lost or repeated, and readers never see an incomplete file', async () => {
  const run = fc.asyncProperty(fc.array(operation, { maxLength: 12 }), async operations => {
    const path = await keyFilePath()
    const done = await Promise.all(operations.map(each => did(new KeyFile(path), each)))
    const left = ((await new KeyFile(path).read()) ?? []).map(key => key.name)
    for (const name of NAMES) {
      const times = (kind: string) =>
        operations.filter((each, n) => done[n] && each.kind === kind && each.name === name)
      expect(times('add').length - times('revoke').length).toBe(left.filter(each => each === name).length)
    }
    expect(await readdir(dirname(path))).toEqual(
      left.length > 0 || done.some((ok, n) => ok && operations[n]!.kind === 'add') ? ['keys.json'] : [],
    )
  })
  await fc.assert(run, { numRuns: 20 })
})

test('two processes and this one add keys concurrently: every key is stored', async () => {
  const path = await keyFilePath()
  const script = new URL('../../../support/service/key-adder.ts', import.meta.url)
  const children = ['left', 'right'].map(name => fork(script, [path, name, '15'], { execArgv: [] }))
  const file = new KeyFile(path)
  const ends = children.map(child => once(child, 'exit'))
  for (let n = 0; n < 15; n++) await file.add(`here-${n}`, THEN)
  expect((await Promise.all(ends)).map(([code]) => code)).toEqual([0, 0])
  const names = (await file.read())!.map(key => key.name)
  const expected = ['left', 'right', 'here'].flatMap(who =>
    Array.from({ length: 15 }, (_, n) => `${who}-${n}`),
  )
  expect(names.toSorted()).toEqual(expected.toSorted())
})

const entry = (more: object) => ({
  name: 'desk',
  sha256: 'a'.repeat(64),
  createdAt: THEN.toISOString(),
  ...more,
})
const filed = (...keys: object[]) => JSON.stringify({ version: 1, keys })

test.each([
  ['', 'not JSON'],
  ['{"version":1,"keys":[{"name":"dgm_hidden', 'not JSON'],
  ['[]', 'is invalid: unexpected value'],
  [JSON.stringify({ version: 2, keys: [] }), 'version'],
  [filed(entry({ sha256: 'dgm_hidden' })), 'keys.0.sha256'],
  [filed(entry({ sha256: 'a'.repeat(65) })), 'keys.0.sha256'],
  [filed(entry({ minutesPerDay: 0 })), 'keys.0.minutesPerDay'],
  [filed(entry({ name: 'dgm hidden' })), 'keys.0.name'],
  [filed(entry({ dgm_hidden: 1 })), 'keys.0'],
  [filed(entry({ sessions: 0 })), 'keys.0.sessions'],
  [filed(entry({ minutesPerDay: 'dgm_hidden' })), 'keys.0.minutesPerDay'],
  [filed(entry({}), entry({ sha256: 'b'.repeat(64) })), 'is invalid: duplicate name'],
  [filed(entry({}), entry({ name: 'shop' })), 'is invalid: duplicate key'],
])('rejects an invalid key file without showing or changing it: %.30s', async (text, where) => {
  const path = await keyFilePath()
  await writeFile(path, text)
  const file = new KeyFile(path)
  for (const attempt of [() => file.read(), () => file.add('shop', THEN), () => file.revoke('desk')]) {
    const error = await attempt().catch(failure => failure)
    expect(error).toMatchObject({ code: 'CONFIG', message: expect.stringContaining(where) })
    expect(error.message).toContain(path)
    expect(error.message).not.toContain('hidden')
  }
  expect(await readFile(path, 'utf8')).toBe(text)
  expect(await readdir(dirname(path))).toEqual(['keys.json'])
})

test('rejects a path that is a folder, or in a missing folder, by name', async () => {
  const path = await keyFilePath()
  await expect(new KeyFile(dirname(path)).read()).rejects.toMatchObject({
    code: 'CONFIG',
    message: `the key file ${dirname(path)} cannot be read (EISDIR)`,
    cause: { code: 'EISDIR' },
  })
  await expect(new KeyFile(join(path, 'deeper', 'keys.json')).add('desk', THEN)).rejects.toThrow('deeper')
})

const BAD_NAME = "a key's name: a name consists of letters, digits and . _ -, at most 64"

test.each([
  ['a name', {}, BAD_NAME],
  ['', {}, BAD_NAME],
  ['-x', {}, BAD_NAME],
  ['x'.repeat(65), {}, BAD_NAME],
  ['desk', { sessions: 0 }, "a key's sessions: "],
  ['desk', { minutesPerDay: 0.5 }, "a key's minutesPerDay: "],
  ['desk', { sessions: 0, minutesPerDay: 0 }, /^a key's sessions: .*; minutesPerDay: /],
])('creates no key for %j with %j', async (name, limits, message) => {
  const path = await keyFilePath()
  const attempt = new KeyFile(path).add(name, THEN, limits)
  await expect(attempt).rejects.toThrow(RangeError)
  await expect(attempt).rejects.toThrow(message)
  expect(await new KeyFile(path).read()).toBeUndefined()
})

test('an error names the key that already exists or does not exist', async () => {
  const { file } = await keyFileWith('desk')
  await expect(file.add('desk', THEN)).rejects.toThrow('a key named desk already exists')
  await expect(file.revoke('shop')).rejects.toThrow('there is no key named shop')
})

test('the stamp changes whenever the file changes', async () => {
  const { path, file } = await keyFileWith('desk')
  const seen = new Set<string | undefined>()
  for (let n = 0; n < 5; n++) {
    seen.add(await file.stamp())
    await file.add(`key-${n}`, THEN)
  }
  seen.add(await file.stamp())
  expect(seen.size).toBe(6)
  // Inode, size and both times, in nanoseconds.
  expect(await file.stamp()).toMatch(/^\d+ \d+ \d{19} \d{19}$/)
  expect(await new KeyFile(`${path}.missing`).stamp()).toBeUndefined()
  expect(await new KeyFile(join(path, 'below')).stamp()).toBe('unreadable ENOTDIR')
})

test('a process killed during a change blocks no other', async () => {
  const { path, file } = await keyFileWith('desk')
  const module = new URL('../../../../src/service/server/keys/file-lock.ts', import.meta.url).href
  const clock = new URL('../../../../src/common/clock.ts', import.meta.url).href
  const script = `const { withLock } = await import(${JSON.stringify(module)})
    const { systemClock } = await import(${JSON.stringify(clock)})
    await withLock(${JSON.stringify(path)}, systemClock, () => {
      console.log('held')
      // The timer keeps the promise, and with it the lock, out of the reach of garbage collection.
      return new Promise(never => setInterval(() => {}, 1_000, never))
    })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  const waiting = file.revoke('desk').then(() => 'revoked')
  expect(await Promise.race([waiting, new Promise(resolve => setTimeout(resolve, 100, 'waits'))])).toBe(
    'waits',
  )
  child.kill('SIGKILL')
  expect(await waiting).toBe('revoked')
  expect(await file.read()).toEqual([])
  expect(await readdir(dirname(path))).toEqual(['keys.json'])
})

test('a stale lock file of an earlier version blocks no process', async () => {
  const { path, file } = await keyFileWith('desk')
  await writeFile(`${path}.lock`, '999999999')
  await file.revoke('desk')
  expect(await file.read()).toEqual([])
})

test('a folder that another process keeps locked is reported after a while', async () => {
  const { path } = await keyFileWith('desk')
  const release = Promise.withResolvers<void>()
  const held = withLock(path, new FakeClock(), () => release.promise)
  const clock = new FakeClock()
  const attempt = new KeyFile(path, clock).revoke('desk').catch(error => error)
  const settled = attempt.then(() => true)
  while (!(await Promise.race([settled, new Promise(resolve => setImmediate(resolve, false))])))
    clock.advance(20)
  expect(await attempt).toMatchObject({ code: 'CONFIG', message: expect.stringContaining('is locked') })
  release.resolve()
  await held
})
