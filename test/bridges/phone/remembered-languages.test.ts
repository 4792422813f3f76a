import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { RememberedLanguages } from '../../../src/bridges/phone/remembered-languages.ts'
import { FakeClock } from '../../../src/simulator/fakes/fake-clock.ts'
import { LogLines } from '../../support/log-lines.ts'

const DAY_MS = 86_400_000
const ANA = '+15005550006'
const BEN = '+15005550007'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dragoman-languages-'))
  file = join(folder, 'languages.json')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function open({ key = 'a key for tests only', days }: { key?: string; days?: number } = {}) {
  const clock = new FakeClock()
  const log = new LogLines()
  const time = { now: 20_000 * DAY_MS }
  const memory = new RememberedLanguages({ file, key, days }, { clock, log, wallClock: () => time.now })
  return { clock, log, time, memory }
}

test('restores the language a caller chose last at the next start', async () => {
  const first = open()
  expect(first.memory.find(ANA)).toBeUndefined()
  first.memory.remember(ANA, 'es-es')
  first.memory.remember(ANA, 'fr-fr')
  expect(first.memory.find(ANA)).toBe('fr-fr')
  await first.memory[Symbol.asyncDispose]()
  const second = open()
  expect([second.memory.find(ANA), second.memory.find(BEN)]).toEqual(['fr-fr', undefined])
  expect(first.log.complaints).toEqual([])
})

test('writes a file readable by its owner only, without numbers and useless without the key', async () => {
  const { memory } = open()
  memory.remember(ANA, 'es-es')
  await memory[Symbol.asyncDispose]()
  const text = await readFile(file, 'utf8')
  expect(text).toContain('es-es')
  expect(text).not.toMatch(/5005550006/)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readdir(folder)).toEqual(['languages.json'])
  expect(open({ key: 'another key for tests' }).memory.find(ANA)).toBeUndefined()
})

test('writes changes together, and nothing without a change', async () => {
  const { memory, clock } = open()
  memory.remember(ANA, 'es-es')
  memory.remember(BEN, 'en-us')
  expect(clock.pending).toBe(1)
  clock.advance(2_000)
  await memory[Symbol.asyncDispose]()
  expect(Object.keys(JSON.parse(await readFile(file, 'utf8')).callers)).toHaveLength(2)
  memory.remember(ANA, 'es-es')
  expect(clock.pending).toBe(0)
})

test('forgets callers after the configured days, in memory and in the file', async () => {
  const { memory, time } = open({ days: 30 })
  memory.remember(ANA, 'es-es')
  time.now += 20 * DAY_MS
  memory.remember(BEN, 'en-us')
  time.now += 10 * DAY_MS
  expect(memory.find(ANA)).toBe('es-es')
  time.now += DAY_MS
  expect([memory.find(ANA), memory.find(BEN)]).toEqual([undefined, 'en-us'])
  await memory[Symbol.asyncDispose]()
  expect(Object.keys(JSON.parse(await readFile(file, 'utf8')).callers)).toHaveLength(1)
})

test.each(['anonymous', '', 'sip:ana@example.com', 'client:ana', '+1'])(
  'does not remember a caller without a number: %s',
  from => {
    const { memory, clock } = open()
    memory.remember(from, 'es-es')
    expect([memory.find(from), clock.pending]).toEqual([undefined, 0])
  },
)

test.each([
  ['other content', '{"port": 8080}'],
  ['a truncated text', '{"version":1,"call'],
  ['another version', '{"version":2,"callers":{}}'],
  ['invalid languages', '{"version":1,"callers":{"x":["Spanish",1]}}'],
  ['no content', ''],
])('leaves a file with %s unchanged and refuses to start', async (_what, text) => {
  await writeFile(file, text)
  expect(() => open()).toThrow(
    expect.objectContaining({ code: 'CONFIG', message: expect.stringContaining(file) }),
  )
  expect(await readFile(file, 'utf8')).toBe(text)
})

test('reports a file that cannot be written and continues in memory', async () => {
  file = join(folder, 'missing', 'languages.json')
  const { memory, log } = open()
  memory.remember(ANA, 'es-es')
  await memory[Symbol.asyncDispose]()
  expect(memory.find(ANA)).toBe('es-es')
  expect(log.complaints).toEqual([expect.stringContaining('ENOENT')])
  expect(log.complaints.join()).not.toContain('5005550006')
})
