import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { FakeLeg, FakeTranslator, TwilioSimulator } from '../../simulator/index.ts'
import { loadConfig } from '../../src/app/settings/load.ts'
import { buildApp } from '../../src/index.ts'
import { FakeAnnouncer } from '../support/relay/fake-announcer.ts'
import { sine } from '../support/transcode/tone.ts'
import { snippets } from './pages.ts'

const KEY = 'a-long-random-key-of-the-test'
/** Pages whose commands are run by other tests, and compared with the responses below them. */
const ELSEWHERE = ['docs/guides/control-from-a-program.md', 'docs/service/http.md']
/** Maximum time of one page. */
const PATIENCE_MS = 60_000

/** Each page's commands with `curl`, in order. */
const byPage = Map.groupBy(
  snippets('sh')
    .filter(({ page }) => !ELSEWHERE.includes(page))
    .flatMap(({ page, code }) =>
      code
        .replace(/\\\n\s*/g, ' ')
        .split('\n')
        .filter(line => line.startsWith('curl '))
        .map(command => ({ page, command })),
    ),
  ({ page }) => page,
)

/** Speaks every text as a tone. */
class Voice extends FakeAnnouncer {
  override async say() {
    return { name: 'words', pcm: sine(900, 200) }
  }
}

it('there are commands', () => expect(byPage.size).toBeGreaterThan(4))

it.each(Array.from(byPage))(
  '%s: every request is accepted by a server',
  async (_page, commands) => {
    const folder = await mkdtemp(join(tmpdir(), 'dragoman-curl-'))
    await using twilio = await TwilioSimulator.listen({ numbers: { '+15551234567': {} } })
    twilio.subscriber('+12125550123', { answerAfterMs: 60_000 })
    const overrides = {
      port: 0,
      host: '127.0.0.1',
      stateFile: join(folder, 'dragoman.db'),
      publicUrl: 'https://bridge.example.com',
      control: { keys: [{ name: 'test', key: KEY }] },
      recording: { mode: 'asked' as const, folder },
      twilio: {
        authToken: twilio.account.authToken,
        outbound: {
          accountSid: twilio.account.sid,
          from: '+15551234567',
          allowedPrefixes: ['+1212'],
          apiUrl: twilio.url,
        },
      },
    }
    const config = loadConfig({ env: {}, overrides, starts: 'bridge' })
    await using app = await buildApp(config, { translator: new FakeTranslator(), announcer: new Voice() })
    const address = await app.listen()
    for (const [id, room] of Object.entries({ anna: 'desk', bob: 'desk', eva: 'stage', max: 'stage' }))
      app.relay.admit(new FakeLeg(id), {
        room,
        speaks: id === 'bob' ? 'es-es' : 'en-us',
        hears: id === 'max' ? 'es-es' : 'en-us',
      })
    for (const { command } of commands) {
      const line = command
        .replace(/http:\/\/localhost:8080/g, address)
        .replace('curl ', `curl -sS -w '\\nstatus %{http_code}' `)
      const env = { PATH: process.env.PATH, KEY, BASE: address }
      const { stdout, code } = await promisify(execFile)('sh', ['-c', line], { env }).catch(error => error)
      // 28: it continued until curl's time limit.
      if (!(code === 28 && / -m /.test(command))) expect(code ?? 0, `${command}\n${stdout}`).toBe(0)
      if (code !== 28) expect(stdout, command).toMatch(/status 2\d\d$/)
    }
    await app.close()
    await rm(folder, { recursive: true, force: true })
  },
  PATIENCE_MS,
)
