import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { ScriptedService, tones } from '../../simulator/index.ts'
import { type AppConfig, type AppOptions, buildApp } from '../../src/app/app.ts'
import type { SimulatedCallView } from '../../src/web/dashboard/state.ts'
import { pause, until } from '../support/until.ts'

const KEY = 'a-key-that-nobody-would-guess'
const PHONE = { speaks: 'en-us', hears: 'es-es', recording: 'sense-and-sensibility-2' }

/** Union of the fields of all responses. */
interface Told extends SimulatedCallView {
  readonly error: string
  readonly description: string
  readonly recordings: readonly object[]
}

async function app(config: Partial<AppConfig> = {}, parts: AppOptions = {}) {
  const service = await ScriptedService.listen({ apiKey: 'k', answer: tones({ everyMs: 1_000 }) })
  const built = await buildApp(
    {
      ...{ host: '127.0.0.1', port: 0, service: { url: service.url, apiKey: 'k' } },
      languages: { speaks: 'en-us', hears: 'es-es' },
      twilio: { authToken: ['a token of the account that nobody has'] },
      control: { keys: [{ name: 'test', key: KEY }] },
      ...config,
    },
    { ownAuthTokens: true, ...parts },
  )
  const url = await built.listen()
  onTestFinished(async () => {
    await built.close()
    await service.close()
  })
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${url}/dashboard${path}`, {
      method,
      headers: { authorization: `Bearer ${KEY}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return { status: response.status, body: (await response.json()) as Told }
  }
  const place = (...phones: object[]) => ask('POST', '/calls', { phones })
  return { ...built, app: built, service, url, ask, place }
}

test('places a call with its own token, has it translated, and hangs it up', async () => {
  const { place, relay, service, ask } = await app()
  const { status, body } = await place(PHONE)
  expect([status, body.id]).toEqual([201, 'simulated-1'])
  expect(
    [...(relay.rooms.get('simulated-1')?.participants.values() ?? [])].map(({ state }) => state),
  ).toMatchObject([{ speaks: 'en-us', hears: 'es-es' }])
  await until(() => service.sessions.some(({ to }) => to === 'es-es'), 20_000, 'the translation')
  expect((await ask('DELETE', '/calls/simulated-1')).status).toBe(200)
  await until(() => relay.legs === 0, 10_000, 'the end of the call')
  expect((await ask('DELETE', '/calls/simulated-1')).status).toBe(404)
})

test('lets two phones talk in one room, in turns, each in its own languages', async () => {
  const { place, relay, service } = await app()
  const { body } = await place(PHONE, { ...PHONE, speaks: null, hears: 'fr-fr' })
  const room = relay.rooms.get(body.room)
  expect([...room!.participants.values()].map(({ state }) => [state.speaks, state.hears])).toEqual([
    ['en-us', 'es-es'],
    [undefined, 'fr-fr'],
  ])
  await until(() => service.sessions.some(({ to }) => to === 'fr-fr'), 10_000, 'a translation for the second')
})

test('keeps a listening phone silent, even alone in the room, and does not wait for it', async () => {
  const { place, relay, ask } = await app()
  expect((await place({ ...PHONE, speaks: null })).status).toBe(201)
  const { body } = await place(PHONE, { ...PHONE, speaks: null })
  const [speaker, listener] = relay.rooms.get(body.room)!.participants.values()
  await speaker!.hangUp()
  // A speaking phone would have repeated its recording by now.
  await pause(500)
  expect([listener!.present, relay.rooms.get(body.room)?.participants.size]).toEqual([true, 1])
  expect((await ask('DELETE', `/calls/${body.id}`)).status).toBe(200)
  await until(() => relay.legs === 1, 10_000, 'the end of the second call')
})

test.each(['https://bridge.example.com', 'https://example.com/calls/'])(
  'signs for the configured public URL without connecting to it: %s',
  async publicUrl => {
    const { place, relay } = await app({
      publicUrl,
      twilio: { authToken: ['a token of the account that nobody has'] },
    })
    expect((await place(PHONE)).status).toBe(201)
    expect(relay.legs).toBe(1)
  },
)

test('places calls when signatures are disabled', async () => {
  const { place } = await app({ twilio: { authToken: [], insecure: true } })
  expect((await place(PHONE)).status).toBe(201)
})

test('limits the number of calls and rejects unknown recordings', async () => {
  const { place, url, server } = await app({ dashboard: { simulatedCalls: 1 } })
  const unknown = await place({ ...PHONE, recording: 'none' })
  expect([unknown.status, unknown.body.error]).toEqual([400, 'value_not_allowed'])
  expect(unknown.body.description).toContain('sense-and-sensibility-1')
  expect((await place(PHONE)).status).toBe(201)
  const second = await place(PHONE)
  expect([second.status, second.body.error]).toEqual([503, 'capacity'])
  // Metrics count the calls and the viewers.
  const stop = new AbortController()
  const look = () =>
    fetch(`${url}/dashboard/state`, {
      headers: { authorization: `Bearer ${KEY}`, accept: 'text/event-stream' },
      signal: stop.signal,
    })
  expect((await look()).status).toBe(200)
  const text = await server.metrics.metrics()
  for (const line of ['dragoman_simulated_calls 1', 'dragoman_dashboard_viewers 1'])
    expect(text).toContain(`\n${line}\n`)
  stop.abort()
})

test('places no call while the server is overloaded', async () => {
  const { place, relay, overload } = await app({}, { memoryShare: () => 0.99 })
  await until(() => overload.reason, 10_000, 'the strain')
  const answer = await place(PHONE)
  expect([answer.status, answer.body.error, relay.legs]).toEqual([503, 'capacity', 0])
  expect(answer.body.description).toContain('memory')
})

test('ends simulated calls and rejects new ones when the server shuts down', async () => {
  const { app: it, place, relay } = await app()
  await place(PHONE)
  expect(relay.legs).toBe(1)
  await it.leave()
  expect(relay.legs).toBe(0)
  expect((await place(PHONE)).status).toBe(503)
})

test('can be disabled in the settings', async () => {
  const { ask, place } = await app({ dashboard: { simulatedCalls: 0 } })
  expect((await ask('GET', '/offer')).body.recordings).toEqual([])
  expect((await place(PHONE)).status).toBe(409)
})

test('reports a call that is not answered and leaves nothing behind', async () => {
  const stranger = createServer((_request, response) => response.writeHead(404).end())
  await new Promise<void>(resolve => stranger.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void stranger.close())
  const { LoopbackCalls } = await import('../../src/app/simulated-calls.ts')
  const { systemClock } = await import('../../src/common/clock.ts')
  const { noopLogger } = await import('../../src/common/log.ts')
  const calls = new LoopbackCalls({
    settings: { simulatedCalls: 1 },
    ...{ publicUrl: undefined, token: undefined, clock: systemClock, wall: () => 0, log: noopLogger },
    address: () => stranger.address(),
    overloadCheck: { rejection: () => undefined },
    drain: { draining: false },
  })
  await expect(calls.place({ phones: [PHONE] })).rejects.toMatchObject({ specific: 'not_now' })
  expect(calls.calls).toEqual([])
  await calls[Symbol.asyncDispose]()
})
