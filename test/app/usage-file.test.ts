import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { openUsageFile, UsageFile } from '../../src/app/call-usage-file.ts'
import type { CarrierSections } from '../../src/app/carriers.ts'
import { NumberQuota } from '../../src/bridges/phone/call-policy.ts'
import { CARRIERS } from '../../src/bridges/phone/carriers.ts'
import type { IncomingCall } from '../../src/bridges/phone/index.ts'
import { CallUsage } from '../../src/bridges/phone/outbound/usage-limits.ts'
import { FakeClock } from '../../src/simulator/fakes/fake-clock.ts'
import { LogLines } from '../support/log-lines.ts'
import { until } from '../support/until.ts'

const ANA = '+34600111222'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const folder = mkdtempSync(join(tmpdir(), 'usage-'))
const file = join(folder, 'calls.json')
afterEach(() => rmSync(file, { force: true, recursive: true }))

/** Runs of the server with one file and one clock, which starts at 10:00 on an arbitrary day. */
function server() {
  onTestFinished(() => rmSync(file, { force: true, recursive: true }))
  const clock = new FakeClock()
  const log = new LogLines()
  let jumpMs = 0
  const wallClock = () => 20_000 * DAY_MS + 10 * HOUR_MS + clock.now() + jumpMs
  const run = () => UsageFile.open({ file, key: 'a secret', clock, wallClock, log })
  const kept = () => JSON.parse(readFileSync(file, 'utf8')) as { day: string; runs: Record<string, object> }
  const jump = (ms: number) => {
    jumpMs += ms
  }
  return { clock, log, wallClock, run, kept, jump }
}

/** Waits until a write has completed, so that the file is as a crash would leave it. */
const written = (minutes: number, kept: () => unknown) =>
  until(() => JSON.stringify(attempt(kept))?.includes(`[${minutes},`), 5_000, `${minutes} min in the file`)

function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

describe('the usage of today', () => {
  test('is restored after a restart, in total and by name, from a file without phone numbers', async () => {
    const { run } = server()
    const first = run()
    first.note('all', { minutes: 7, spend: 0.7 })
    first.note(`number ${ANA}`, { minutes: 3, spend: 0.3 })
    await first[Symbol.asyncDispose]()
    const second = run()
    expect(second.earlier('all')).toEqual({ minutes: 7, spend: 0.7 })
    expect(second.earlier(`number ${ANA}`)).toEqual({ minutes: 3, spend: 0.3 })
    expect(second.earlier('number +1')).toEqual({ minutes: 0, spend: 0 })
    expect(readFileSync(file, 'utf8')).not.toContain(ANA.slice(1))
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('is written immediately after a quiet time, then every 2 s', async () => {
    const { clock, run, kept } = server()
    const one = run()
    one.note('all', { minutes: 1, spend: 0 })
    await written(1, kept)
    await until(() => clock.pending === 1, 5_000, 'the end of the write')
    const { ino } = statSync(file)
    for (let minutes = 2; minutes <= 50; minutes++) {
      one.note('all', { minutes, spend: 0 })
      clock.advance(38)
    }
    await new Promise(resolve => setTimeout(resolve, 20))
    expect(statSync(file).ino).toBe(ino)
    clock.advance(200)
    await written(50, kept)
    expect(run().earlier('all').minutes).toBe(50)
  })

  test('is zero on the next day, regardless of the file', async () => {
    const { clock, run, kept } = server()
    const first = run()
    first.note('all', { minutes: 7, spend: 0 })
    await first[Symbol.asyncDispose]()
    const second = run()
    second.note('all', { minutes: 2, spend: 0 })
    clock.advance(14 * HOUR_MS)
    expect(second.earlier('all').minutes).toBe(0)
    second.note('all', { minutes: 1, spend: 0 })
    await second[Symbol.asyncDispose]()
    expect(kept().day).toBe('2024-10-05')
    expect(run().earlier('all').minutes).toBe(1)
  })

  test('counts for the current day when the clock was set back past midnight', async () => {
    const { run, jump } = server()
    const first = run()
    first.note('all', { minutes: 7, spend: 0 })
    await first[Symbol.asyncDispose]()
    jump(-DAY_MS)
    expect(run().earlier('all').minutes).toBe(7)
  })

  test('is the sum of concurrent runs, even when one overwrote the part of the other', async () => {
    const { clock, run } = server()
    const [old, fresh] = [run(), run()]
    // Each reads the file before the other has written it.
    old.note('all', { minutes: 5, spend: 0 })
    fresh.note('all', { minutes: 3, spend: 0 })
    await until(() => clock.pending === 2, 5_000, 'both writes')
    old.note('all', { minutes: 6, spend: 0 })
    await old[Symbol.asyncDispose]()
    fresh.note('all', { minutes: 4, spend: 0 })
    await fresh[Symbol.asyncDispose]()
    expect(fresh.earlier('all').minutes).toBe(6)
    expect(run().earlier('all').minutes).toBe(10)
  })

  test('is complete for a process restarted all day long, in a file that stays small', async () => {
    const { run, kept } = server()
    for (let n = 0; n < 100; n++) {
      const one = run()
      expect(one.earlier('all').minutes).toBe(n)
      one.note('all', { minutes: 1, spend: 0.5 })
      await one[Symbol.asyncDispose]()
    }
    expect(run().earlier('all')).toEqual({ minutes: 100, spend: 50 })
    expect(Object.keys(kept().runs).length).toBeLessThanOrEqual(34)
  })
})

describe('a damaged usage file', () => {
  test.each([
    ['a truncated text', '{"version":1,"day":"2024-10-04","ru'],
    ['no content', ''],
    ['other content', '{"keys":{}}'],
    ['impossible usage', '{"version":1,"day":"2024-10-04","runs":{"a":{"all":[-1,0]}}}'],
  ])(
    'with %s blocks calls that have a usage limit until the day is over, is reported and left unchanged',
    async (_what, text) => {
      const { clock, log, wallClock, run } = server()
      writeFileSync(file, text)
      const ledger = run()
      expect(ledger.known).toBe(false)
      expect(log.complaints).toHaveLength(1)
      expect(JSON.stringify(log.all)).not.toContain('2024')
      const usage = new CallUsage({ maxMinutesPerDay: 100 }, clock, wallClock, ledger)
      expect(usage.left(ANA)).toBe(0)
      expect(new CallUsage({}, clock, wallClock, ledger).left(ANA)).toBe(Number.POSITIVE_INFINITY)
      ledger.note('all', { minutes: 1, spend: 0 })
      await ledger[Symbol.asyncDispose]()
      expect(readFileSync(file, 'utf8')).toBe(text)
      clock.advance(14 * HOUR_MS)
      expect(usage.left(ANA)).toBe(100)
      ledger.note('all', { minutes: 2, spend: 0 })
      await ledger[Symbol.asyncDispose]()
      expect(run().earlier('all').minutes).toBe(2)
    },
  )

  test('is rewritten from memory while in use', async () => {
    const { log, run } = server()
    const first = run()
    first.note('all', { minutes: 7, spend: 0 })
    await first[Symbol.asyncDispose]()
    const second = run()
    writeFileSync(file, 'oops')
    second.note('all', { minutes: 1, spend: 0 })
    await second[Symbol.asyncDispose]()
    expect(log.complaints).toHaveLength(1)
    expect(run().earlier('all').minutes).toBe(8)
  })

  test('that cannot be read leaves the usage unknown', () => {
    const { log, run } = server()
    mkdirSync(file)
    expect(run().known).toBe(false)
    expect(log.all.at(-1)).toMatchObject({ fields: { fault: 'EISDIR' } })
  })

  test('that cannot be written is logged once, and counting continues', async () => {
    const { clock, log, wallClock } = server()
    const place = join(folder, 'no', 'such', 'folder')
    const one = UsageFile.open({ file: place, key: 'a secret', clock, wallClock, log })
    for (let minutes = 1; minutes < 5; minutes++) {
      one.note('all', { minutes, spend: 0 })
      await until(() => clock.pending === 1, 5_000, 'the end of the write')
      clock.advance(2_000)
    }
    await one[Symbol.asyncDispose]()
    expect(one.known).toBe(true)
    expect(log.complaints).toHaveLength(1)
  })

  test('never throws, for any content', () => {
    const { run } = server()
    const part = fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.tuple(fc.nat(), fc.nat())))
    const close = fc.record({
      version: fc.constant(1),
      day: fc.constant('2024-10-04'),
      runs: fc.dictionary(fc.string(), part),
    })
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      close.map(value => JSON.stringify(value)),
    )
    fc.assert(
      fc.property(text, content => {
        writeFileSync(file, content)
        const one = run()
        expect(one.earlier('all').minutes).toBeGreaterThanOrEqual(0)
        expect(typeof one.known).toBe('boolean')
      }),
      { numRuns: 200 },
    )
  })
})

describe('a usage limit applies', () => {
  test('to a process that crashes after every call, including unanswered ones', async () => {
    const { clock, wallClock, run, kept } = server()
    let placed = 0
    for (let n = 1; n <= 30; n++) {
      const usage = new CallUsage({ maxMinutesPerDay: 10, prices: {} }, clock, wallClock, run())
      if (usage.left(ANA) < 1) continue
      usage.placed(String(n), ANA)
      placed++
      await until(() => Object.keys(attempt(kept)?.runs ?? {}).length === placed, 5_000, 'the write')
    }
    expect(placed).toBe(10)
  })

  test('to minutes and money of the previous run, in total, by number and by key', async () => {
    const { clock, wallClock, run } = server()
    const limits = {
      ...{ prices: { '+34': 0.5 }, maxMinutesPerDay: 100, maxSpendPerDay: 20 },
      ...{ maxMinutesPerNumber: 20, maxSpendPerKey: 6 },
    }
    const first = run()
    const before = new CallUsage(limits, clock, wallClock, first)
    before.placed('1', ANA, 'desk')
    before.pickedUp('1')
    clock.advance(8 * MINUTE_MS)
    before.note()
    // A call in progress when the process ends counts with its started minute.
    clock.advance(1)
    before.note()
    await first[Symbol.asyncDispose]()
    const after = new CallUsage(limits, clock, wallClock, run())
    expect([after.minutes, after.spend]).toEqual([9, 4.5])
    expect(after.left(ANA)).toBe(11)
    expect(after.left(ANA, 'desk')).toBe(3)
    expect(after.left('+34900', 'desk')).toBe(3)
    expect(after.left('+34900')).toBe(20)
  })

  test('to the minutes of calls to a number', async () => {
    const { clock, wallClock, run } = server()
    const there = new Set<string>()
    const desk = '+15005550001'
    const open = (ledger: UsageFile) =>
      new NumberQuota({
        numbers: { [desk]: { maxMinutesPerDay: 10 } },
        isInProgress: callId => there.has(callId),
        ...{ language: 'en-us', clock, wallClock, ledger },
      })
    const call = (limits: NumberQuota, callId: string) => {
      there.add(callId)
      const told = limits.within(() => ({ room: 'r', hears: 'es-es' }))
      return 'refused' in told({ callId, to: desk, query: {}, answers: {} } as unknown as IncomingCall)
    }
    const first = run()
    using before = open(first)
    expect(call(before, '1')).toBe(false)
    clock.advance(9 * MINUTE_MS + 2_000)
    await first[Symbol.asyncDispose]()
    there.clear()
    using after = open(run())
    expect(after.minutesOf(desk)).toBe(10)
    expect(call(after, '2')).toBe(true)
    expect(after.rejected.minutes).toBe(1)
  })

  test('with a usage file only when a limit is configured', () => {
    const { clock, wallClock, log } = server()
    const parts = { clock, wallClock, log }
    const outbound = { accountId: 'AC1', from: '+15005550001', allowedPrefixes: ['+34'] }
    const open = (settings: object) =>
      openUsageFile(
        {
          ...(Object.fromEntries(CARRIERS.map(({ name }) => [name, {}])) as unknown as CarrierSections),
          twilio: { authTokens: ['x'], usageFile: file, ...settings },
        },
        parts,
      )
    expect(open({})).toBeUndefined()
    expect(open({ outbound, numbers: { '+1': { maxCalls: 3 } } })).toBeUndefined()
    expect(open({ outbound: { ...outbound, maxSpendPerKey: 3 } })).toBeDefined()
    expect(open({ numbers: { '+1': { maxMinutesPerDay: 3 } } })).toBeDefined()
    expect(open({ numbers: { '+1': { maxMinutesPerDay: 3 } }, usageFile: undefined })).toBeUndefined()
  })
})
