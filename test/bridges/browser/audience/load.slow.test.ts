import { expect, test } from 'vitest'
import { cpuOf } from '../../../../bench/proc-stat.ts'
import { ScriptedService, type ScriptedSession } from '../../../../simulator/index.ts'
import { ListenerClient } from '../../../support/browser/listener-client.ts'
import { Talker } from '../../../support/browser/page-client.ts'
import { Shell } from '../../../support/shell.ts'
import { sine } from '../../../support/transcode/tone.ts'
import { pause, until } from '../../../support/until.ts'

const TARGETS = ['es-es', 'de-de', 'fr-fr', 'it-it']
const LISTENERS = 200
const WINDOW_MS = 20_000
const KEY = 'the-key-of-this-test-only'
/** The share of one core that the server may use. */
const MOST = 0.6

/** Speaks for 3 s of every 4 s, in real time, until it is stopped. */
function speech(talker: Talker): () => void {
  const loud = sine(300, 20)
  const silent = new Int16Array(320)
  const since = performance.now()
  let said = 0
  const timer = setInterval(() => {
    for (; said * 20 < performance.now() - since; said++) talker.say(said % 200 < 150 ? loud : silent)
  }, 20)
  return () => clearInterval(timer)
}

test('200 listeners in four languages need four sessions and less than 60 % of one core', async () => {
  /** Open sessions. */
  const sessions = new Set<ScriptedSession>()
  await using service = await ScriptedService.listen({
    onSession: session => {
      sessions.add(session)
      void session.ended.then(() => sessions.delete(session))
    },
    http: ({ url = '' }, response) => {
      const all = ['en-us', ...TARGETS]
      const languages = all.map(languageId => ({
        ...{ languageId, name: languageId, transcription: true, synthesis: true },
        translation: all.filter(each => each !== languageId),
      }))
      response.end(JSON.stringify(url.startsWith('/api/voices') ? [] : languages))
    },
  })
  await using shell = await Shell.open()
  const server = shell.startWith(
    {
      DRAGOMAN_SERVICE_URL: service.url,
      DRAGOMAN_SERVICE_API_KEY: service.apiKey,
      DRAGOMAN_CONTROL_KEYS: JSON.stringify([{ name: 'test', key: KEY }]),
    },
    ...['serve', '--port', '0'],
  )
  const [, address = ''] = await server.says(/on the line at (\S+)/)
  const link = async (path: string) => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
    const answer = await fetch(`${address}/v1/rooms${path}`, {
      method: 'POST',
      headers,
      body: path === '' ? '{"name":"hall"}' : '{}',
    })
    return ((await answer.json()) as { token: string }).token
  }
  await link('')
  const talker = await Talker.open(address)
  await talker.hello({ link: await link('/hall/links'), speaks: 'en-us', hears: 'en-us', alone: 'en-us' })
  const stop = speech(talker)
  const share = async () => {
    const before = cpuOf(server.pid)
    const since = performance.now()
    await pause(WINDOW_MS)
    const now = cpuOf(server.pid)
    return (now.user + now.system - before.user - before.system) / (performance.now() - since)
  }
  await pause(3_000)
  const alone = await share()
  const token = await link('/hall/listen/links')
  const listeners: ListenerClient[] = []
  for (let n = 0; n < LISTENERS; n++) {
    const one = await ListenerClient.open(address, { link: token, hears: TARGETS[n % 4] })
    await one.expect('hearing', ({ live }) => live)
    listeners.push(one)
  }
  await until(() => sessions.size === 4, 20_000, 'four sessions')
  for (const one of listeners) one.packets.length = 0
  const full = await share()
  console.log(
    `CPU of the server: ${percent(alone)} with the speaker alone, ${percent(full)} with ${LISTENERS} listeners`,
  )
  const seconds = listeners.map(({ packets }) => packets.length / 10)
  // Nobody missed more than a second of 20.
  expect(Math.min(...seconds)).toBeGreaterThan(WINDOW_MS / 1_000 - 1)
  expect(new Set(listeners.map(({ closed }) => closed))).toEqual(new Set([undefined]))
  expect(Array.from(sessions, ({ to }) => to).sort()).toEqual([...TARGETS].sort())
  expect(full).toBeLessThan(MOST)
  stop()
  for (const { socket } of [...listeners, talker]) socket.terminate()
  expect(await server.end('SIGTERM')).toBe(0)
}, 180_000)

const percent = (share: number) => `${(100 * share).toFixed(1)} %`
