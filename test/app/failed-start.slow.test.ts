import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import { FakeTranslator } from '../../simulator/fakes/fake-translator.ts'
import { type AppConfig, buildApp } from '../../src/app/app.ts'
import { LeakWatch } from '../support/leaks.ts'

const folder = mkdtempSync(join(tmpdir(), 'dragoman-failed-start-'))
const file = join(folder, 'a file')
writeFileSync(file, '')
afterAll(() => rmSync(folder, { recursive: true }))

const config: AppConfig = {
  host: '127.0.0.1',
  port: 0,
  service: {},
  languages: { speaks: 'en-us', hears: 'es-es' },
  recording: { mode: 'asked', folder },
  transcripts: { store: 'disk', folder },
  tracing: { url: 'http://127.0.0.1:9' },
  calls: { callerLanguages: { key: 'k' } },
  twilio: { authToken: [], insecure: true },
}

// Handles that a process opens once, such as its standard output, exist before the first case.
beforeAll(async () => await (await buildApp(config, { translator: new FakeTranslator() })).close())

test.each<[string, Partial<AppConfig>, string | RegExp]>([
  ['an unknown proxy', { trustProxy: ['nowhere'] }, 'nowhere'],
  ['invalid settings of recording', { recording: { mode: 'never' as 'off' } }, /mode/],
  ['a folder of transcripts that is a file', { transcripts: { store: 'disk', folder: file } }, 'EEXIST'],
  [
    'settings that the embedded service rejects',
    { embedded: { capacity: { maxSessions: -1 } } as never },
    /./,
  ],
  ['a bridge that cannot be registered', { twilio: { authToken: [] } }, 'publicUrl'],
])(
  '%s leaves no process, timer or connection behind',
  async (_, change, message) => {
    const clock = new FakeClock()
    using leaks = new LeakWatch()
    await expect(buildApp({ ...config, ...change }, { clock })).rejects.toThrow(message)
    expect(clock.pending, 'timers of the app').toBe(0)
    await leaks.settled()
  },
  60_000,
)
