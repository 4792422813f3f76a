import { mkdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { noopLogger } from '../../../src/common/log.ts'
import { usagePath } from '../../../src/service/server/keys/usage-file.ts'
import { FakeClock } from '../../../src/simulator/fakes/fake-clock.ts'
import { SeededRandom } from '../../fuzz/random.ts'
import { fakeService, KEY } from '../../support/service/fake-service.ts'
import { THEN } from '../../support/service/key-date.ts'
import { keyFilePath, keyFileWith } from '../../support/service/key-files.ts'
import { upload } from '../../support/service/upload.ts'

const second = Buffer.alloc(32_000)
const MINUTE_MS = 60_000

/** A service that counts usage in a key file, and a later one on a continuous timeline. */
async function counting(minutesPerDay: number) {
  const { file } = await keyFileWith()
  const key = await file.add('desk', THEN, { minutesPerDay })
  let now = THEN.getTime()
  const random = new SeededRandom(1)
  const begin = async (log = noopLogger) => {
    // Each process has a separate clock with an arbitrary origin.
    const clock = new FakeClock(random.next() / 4_096)
    const offset = now - clock.now()
    const wallClock = () => clock.now() + offset
    const running = await fakeService({ apiKeys: [], keyFile: file.path }, { clock, wallClock, log })
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
  return { begin, file, key, usage: usagePath(file.path), later }
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

test('usage is saved regularly, so that a crash loses little', async () => {
  const { begin, usage } = await counting(1)
  const crashes = await begin()
  await crashes.speak(59)
  await expect(stat(usage)).rejects.toThrow('ENOENT')
  crashes.pass(15_000)
  await expect.poll(() => stat(usage).then(({ mode }) => mode & 0o777, String)).toBe(0o600)
  const next = await begin()
  expect(await next.speak(1)).toBe(true)
  expect(await next.session()).toBe('minutes_used_up')
})

test('two services with one key file count together', async () => {
  const { begin } = await counting(2)
  const one = await begin()
  const other = await begin()
  await one.speak(60)
  await other.speak(60)
  await one.service.close()
  other.pass(15_000)
  await expect.poll(() => other.session()).toBe('minutes_used_up')
  await other.service.close()
  expect(await (await begin()).session()).toBe('minutes_used_up')
})

test('the file contains digests, times and milliseconds, but no keys; configured keys appear by name', async () => {
  const { begin, usage, key, file } = await counting(1)
  const service = await begin()
  await service.speak(3)
  await service.service.close()
  const [entry] = (await file.read()) ?? []
  const text = await readFile(usage, 'utf8')
  expect(text).not.toContain(key)
  expect(JSON.parse(text)).toEqual({
    version: 1,
    keys: { [entry!.sha256]: { '2026-01-02T03:00:00.000Z': 3_000 } },
  })
  const configured = [{ name: 'wall', key: KEY, minutesPerDay: 1 }, 'a key without limits']
  const wall = await fakeService({ apiKeys: configured, keyFile: file.path })
  const { client } = await wall.ready('/stt')
  await client.send(second)
  await wall.connect('/stt', {}, 'a key without limits').until('start')
  await wall.service.close()
  expect(Object.keys(JSON.parse(await readFile(usage, 'utf8')).keys)).toEqual(['settings: wall'])
})

test('a service without key limits writes nothing', async () => {
  const path = await keyFilePath()
  const { ready, service } = await fakeService({ keyFile: path })
  const { client } = await ready('/stt')
  await client.send(second)
  await service.close()
  await expect(stat(usagePath(path))).rejects.toThrow('ENOENT')
})

test.each(['{ half', '{}', '{"version":1,"keys":{"a":{"yesterday":5}}}', '{"version":1,"keys":{"a":7}}'])(
  'reports an invalid file (%s) and restarts counting',
  async text => {
    const { begin, usage } = await counting(1)
    await writeFile(usage, text)
    const errors: string[] = []
    const log = { ...noopLogger, error: (_fields: object, message: string) => void errors.push(message) }
    const service = await begin(log)
    expect(errors).toEqual(['key usage not read, counting restarted'])
    await service.speak(60)
    await service.service.close()
    expect(errors).toHaveLength(1)
    expect(await (await begin()).session()).toBe('minutes_used_up')
  },
)

test('reports a full disk once, and continues counting', async () => {
  const { begin, usage } = await counting(1)
  await mkdir(usage)
  const errors: string[] = []
  const log = { ...noopLogger, error: (_fields: object, message: string) => void errors.push(message) }
  const service = await begin(log)
  await service.speak(30)
  service.pass(15_000)
  await expect.poll(() => errors.at(-1)).toMatch('key usage not saved')
  await service.speak(30)
  expect(await service.session()).toBe('minutes_used_up')
  service.pass(15_000)
  await rmdir(usage)
  await service.service.close()
  expect(errors).toHaveLength(2)
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
