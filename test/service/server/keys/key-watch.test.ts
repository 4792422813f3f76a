import { rm, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import { BridgeError } from '../../../../src/common/errors.ts'
import type { Logger } from '../../../../src/common/log.ts'
import type { ServiceError } from '../../../../src/service/server/errors.ts'
import { ApiKeys } from '../../../../src/service/server/keys/api-keys.ts'
import { KeyFile } from '../../../../src/service/server/keys/key-store.ts'
import { KeyWatch } from '../../../../src/service/server/keys/key-watch.ts'
import { THEN } from '../../../support/service/key-date.ts'
import { keyFilePath, keyFileWith } from '../../../support/service/key-files.ts'

async function watching(path: string, file = new KeyFile(path)) {
  const clock = new FakeClock()
  const keys = new ApiKeys({ apiKeys: ['configured'], open: false, maxAttemptsPerMinute: 1_000 }, clock)
  const lines: string[] = []
  const note = (_fields: object, message: string) => void lines.push(message)
  const log: Logger = { debug: note, info: note, warn: note, error: note }
  const watch = await KeyWatch.start(file, keys, clock, log)
  const good = (key: string) => {
    try {
      return keys.holderOf(key, 'the test', '127.0.0.1').name
    } catch (error) {
      return (error as ServiceError).specific
    }
  }
  return { clock, keys, lines, watch, good }
}

test('key changes in the file apply half a second later; configured keys stay', async () => {
  const path = await keyFilePath()
  const file = new KeyFile(path)
  const { clock, good, watch } = await watching(path)
  const key = await file.add('desk', THEN)
  expect(good(key)).toBe('key_wrong')
  clock.advance(500)
  await expect.poll(() => good(key)).toBe('desk')
  await file.revoke('desk')
  clock.advance(500)
  await expect.poll(() => good(key)).toBe('key_wrong')
  expect(good('configured')).toBe('key 1')
  watch[Symbol.dispose]()
  expect(clock.pending).toBe(0)
})

test('a revoked key ends its sessions and starts none; others are not affected', async () => {
  const { path, file, keys } = await keyFileWith('desk', 'door')
  const { watch, keys: known } = await watching(path)
  const holders = keys.map(key => known.holderOf(key, 'the test', undefined))
  const ended: string[] = []
  for (const holder of holders) holder.enter(error => ended.push(`${holder.name} ${error.specific}`))
  await file.revoke('desk')
  await watch.check()
  expect(ended).toEqual(['desk key_revoked'])
  expect(() => holders[0]!.enter(() => {})).toThrow('revoked')
  expect(holders[1]!.sessions).toBe(1)
})

test('an invalid file changes nothing, and is reported once', async () => {
  const { path, keys } = await keyFileWith('desk')
  const { watch, good, lines } = await watching(path)
  await writeFile(path, '{ "version": 1, "keys"')
  for (let n = 0; n < 5; n++) await watch.check()
  expect(good(keys[0]!)).toBe('desk')
  expect(lines.filter(line => line.includes('key file invalid'))).toHaveLength(1)
  await writeFile(path, '{ "version": 1, "keys": [] }')
  await watch.check()
  expect(good(keys[0]!)).toBe('key_wrong')
})

test('a temporarily missing file keeps its keys, a deleted one does not', async () => {
  const { path, file, keys } = await keyFileWith('desk')
  const { watch, good, lines } = await watching(path)
  await rm(path)
  await watch.check()
  expect(good(keys[0]!)).toBe('desk')
  await watch.check()
  await watch.check()
  expect(good(keys[0]!)).toBe('key_wrong')
  expect(lines.filter(line => line.includes('key file deleted'))).toHaveLength(1)
  const next = await file.add('door', THEN)
  await watch.check()
  expect(good(next)).toBe('door')
})

test('limits change without ending a session', async () => {
  const { path, keys } = await keyFileWith('desk')
  const { watch, keys: known } = await watching(path)
  const holder = known.holderOf(keys[0], 'the test', undefined)
  holder.enter(() => expect.unreachable())
  const [entry] = (await new KeyFile(path).read())!
  await writeFile(path, JSON.stringify({ version: 1, keys: [{ ...entry, sessions: 1 }] }))
  await watch.check()
  expect(known.holderOf(keys[0], 'the test', undefined)).toBe(holder)
  expect(() => holder.assertRoom()).toThrow('all 1 sessions')
})

test('rejects an invalid file at startup', async () => {
  const path = await keyFilePath()
  await writeFile(path, 'no')
  await expect(watching(path)).rejects.toMatchObject({ code: 'CONFIG' })
})

/** A file whose reads fail with a disk error. */
class FailingFile extends KeyFile {
  code: string | undefined
  override async read() {
    if (this.code === undefined) return super.read()
    throw new BridgeError('CONFIG', 'cannot be read', {
      cause: Object.assign(new Error(), { code: this.code }),
    })
  }
  override async stamp() {
    return this.code === undefined ? super.stamp() : `unreadable ${this.code}`
  }
}

test('an unreadable file revokes its keys and ends their sessions, and is logged once', async () => {
  const { path, keys } = await keyFileWith('desk')
  const file = new FailingFile(path)
  const { watch, good, lines, keys: known } = await watching(path, file)
  const ended: string[] = []
  known.holderOf(keys[0], 'the test', undefined).enter(error => ended.push(error.specific))
  file.code = 'EACCES'
  await watch.check()
  expect(good(keys[0]!)).toBe('desk')
  for (let n = 0; n < 5; n++) await watch.check()
  expect(good(keys[0]!)).toBe('key_wrong')
  expect(good('configured')).toBe('key 1')
  expect(ended).toEqual(['key_revoked'])
  expect([watch.status, watch.revision]).toEqual(['unreadable', undefined])
  expect(lines.filter(line => line.includes('key file unreadable'))).toHaveLength(1)
  file.code = undefined
  await watch.check()
  expect(good(keys[0]!)).toBe('desk')
  expect(watch.status).toBe('current')
})

test('a process that is short of file descriptors keeps the keys', async () => {
  const { path, keys } = await keyFileWith('desk')
  const file = new FailingFile(path)
  const { watch, good, lines } = await watching(path, file)
  file.code = 'EMFILE'
  for (let n = 0; n < 5; n++) await watch.check()
  expect(good(keys[0]!)).toBe('desk')
  expect(lines.filter(line => line.includes('not read'))).toHaveLength(1)
})

test('a file that is unreadable at startup has no keys until it can be read', async () => {
  const { path, keys } = await keyFileWith('desk')
  const file = new FailingFile(path)
  file.code = 'EACCES'
  const { watch, good, lines } = await watching(path, file)
  expect(good(keys[0]!)).toBe('key_wrong')
  expect(lines.filter(line => line.includes('key file unreadable'))).toHaveLength(1)
  file.code = undefined
  await watch.check()
  expect(good(keys[0]!)).toBe('desk')
})
