import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { noopLogger } from '../../../src/common/log.ts'
import { StateFile } from '../../../src/storage/database.ts'
import { SeededRandom } from '../../fuzz/random.ts'
import { fakeService, KEY } from '../../support/service/fake-service.ts'
import { THEN } from '../../support/service/key-date.ts'
import { keyFileWith } from '../../support/service/key-files.ts'
import { upload } from '../../support/service/upload.ts'
import { stateFolder } from '../../support/state.ts'

const second = Buffer.alloc(32_000)
const MINUTE_MS = 60_000

/** A service that counts usage in a state file, and a later one on a continuous timeline. */
async function counting(minutesPerDay: number) {
  const { file } = await keyFileWith()
  const key = await file.add('desk', THEN, { minutesPerDay })
  const kept = stateFolder()
  let now = THEN.getTime()
  const random = new SeededRandom(1)
  const begin = async (log = noopLogger) => {
    // Each process has a separate clock with an arbitrary origin.
    const clock = new FakeClock(random.next() / 4_096)
    const offset = now - clock.now()
    const wallClock = () => clock.now() + offset
    const running = await fakeService(
      { apiKeys: [], keyFile: file.path, stateFile: kept.file },
      { clock, wallClock, log },
    )
    return {
      ...running,
      clock,
      /** Sends this many fragments of a second in a separate session; returns the result of the last. */
      async speak(seconds: number): Promise<unknown> {
        const client = running.connect('/stt', {}, key)
        await client.until('start')
        let taken: unknown
        for (let n = 0; n < seconds; n++) taken = await client.send(second)
        client.close()
        return taken
      },
      /** Result of a session. */
      async session(): Promise<string> {
        const client = running.connect('/stt', {}, key)
        const refused = client.until<{ error: string }>('connect_error').then(({ error }) => error)
        return await Promise.race([client.until('start').then(() => 'start'), refused])
      },
      pass(ms: number): void {
        clock.advance(ms)
        now = wallClock()
      },
    }
  }
  const later = (ms: number) => {
    now += ms
  }
  return { begin, file, key, kept, later }
}

test('the usage of a key survives a restart, and expires after a day', async () => {
  const { begin, later } = await counting(1)
  const first = await begin()
  expect(await first.speak(40)).toBe(true)
  await first.service.close()
  later(5 * MINUTE_MS)
  const next = await begin()
  expect(await next.speak(20)).toBe(true)
  expect(await next.session()).toBe('minutes_used_up')
  await next.service.close()
  later(24 * 60 * MINUTE_MS)
  const early = await begin()
  expect(await early.session()).toBe('minutes_used_up')
  await early.service.close()
  later(10 * MINUTE_MS)
  expect(await (await begin()).speak(60)).toBe(true)
})

test('usage is saved every second, so that a crash loses little', async () => {
  const { begin } = await counting(1)
  const crashes = await begin()
  await crashes.speak(59)
  crashes.pass(1_000)
  const next = await begin()
  expect(await next.speak(1)).toBe(true)
  expect(await next.session()).toBe('minutes_used_up')
})

test('two services with one state file count together', async () => {
  const { begin } = await counting(2)
  const one = await begin()
  const other = await begin()
  await one.speak(60)
  await other.speak(60)
  await one.service.close()
  other.pass(1_000)
  expect(await other.session()).toBe('minutes_used_up')
  await other.service.close()
  expect(await (await begin()).session()).toBe('minutes_used_up')
})

test('the file contains digests of keys; configured keys with limits appear by name', async () => {
  const { begin, kept, file } = await counting(1)
  const stored = () => kept.open().database.prepare('SELECT * FROM key_usage').all()
  const service = await begin()
  await service.speak(3)
  await service.service.close()
  const [entry] = (await file.read()) ?? []
  const slice = Math.floor(THEN.getTime() / (15 * MINUTE_MS))
  expect(stored()).toEqual([{ mark: entry!.sha256, slice, amount: 3_000 }])
  const configured = [{ name: 'wall', key: KEY, minutesPerDay: 1 }, 'a key without limits']
  const wall = await fakeService({ apiKeys: configured, stateFile: kept.file })
  const { client } = await wall.ready('/stt')
  await client.send(second)
  await wall.connect('/stt', {}, 'a key without limits').until('start')
  await wall.service.close()
  expect(stored().map(({ mark }) => mark)).toEqual(['settings: wall'])
})

test('a damaged state file prevents the start', async () => {
  const { kept } = await counting(1)
  await writeFile(kept.file, 'damaged '.repeat(1_000))
  await expect(fakeService({ stateFile: kept.file })).rejects.toThrow(kept.file)
})

test('a full disk is reported once, and counting continues', async () => {
  const { begin, kept } = await counting(1)
  const lock = StateFile.open(kept.file, noopLogger)
  lock.database.exec("CREATE TRIGGER full BEFORE INSERT ON key_usage BEGIN SELECT RAISE(ABORT, 'full'); END")
  const errors: object[] = []
  const log = { ...noopLogger, error: (fields: object) => void errors.push(fields) }
  const service = await begin(log)
  await service.speak(30)
  service.pass(2_000)
  await service.speak(30)
  expect(await service.session()).toBe('minutes_used_up')
  service.pass(2_000)
  expect(errors).toEqual([expect.objectContaining({ code: 'STORAGE', file: kept.file })])
  lock.database.exec('DROP TRIGGER full')
  lock[Symbol.dispose]()
  await service.service.close()
  expect(await (await begin()).session()).toBe('minutes_used_up')
})

test('text counts as the audio needed to speak it: a second for 15 characters', async () => {
  const apiKeys = [{ name: 'one', key: KEY, minutesPerDay: 1 }]
  const clock = new FakeClock()
  const { connect, url } = await fakeService({ apiKeys, maxSessions: 8 }, { clock })
  const text = (length: number) => 'good morning '.repeat(100).slice(0, length).trim().padEnd(length, '.')
  const translator = connect('/translator')
  const speaker = connect('/tts')
  await Promise.all([translator.until('start'), speaker.until('start')])
  expect(await translator.socket.emitWithAck('text', text(300))).toBe(true)
  expect(await speaker.socket.emitWithAck('text', text(300))).toBe(true)
  const batch = (mode: string, length: number) =>
    upload(url, { mode, text: text(length), languageIdSource: 'en-us', languageIdTarget: 'es-es' })
  expect((await batch('translator', 150)).status).toBe(200)
  expect((await batch('tts', 120)).status).toBe(200)
  const refused = await batch('translator', 31)
  expect([refused.status, await refused.json()]).toMatchObject([429, { error: 'minutes_used_up' }])
  expect(await translator.socket.emitWithAck('text', text(30))).toBe(true)
  speaker.socket.emit('text', text(2))
  expect(await speaker.error()).toMatchObject({ code: 'limit', error: 'minutes_used_up' })
  await speaker.until('disconnect')
  expect(translator.names).not.toContain('error')
})
