import { expect, test } from 'vitest'
import { FakeLeg } from '../../simulator/fakes/fake-leg.ts'
import { FakeTranslator } from '../../simulator/fakes/fake-translator.ts'
import { ScriptedService } from '../../simulator/service/scripted-service.ts'
import { type AppConfig, buildApp } from '../../src/app/app.ts'
import { hello } from '../support/relay/hello.ts'

const config: AppConfig = {
  host: '127.0.0.1',
  port: 0,
  service: {},
  languages: { speaks: 'en-us', hears: 'es-es' },
  twilio: { authToken: [], insecure: true },
}

test('rejects unusable settings before anything is started', async () => {
  await expect(buildApp({ ...config, relay: { maxLagMs: 50 } })).rejects.toThrow('maxLagMs')
  await expect(buildApp({ ...config, service: { url: 'ftp://x' } })).rejects.toThrow('ftp://x')
  const translator = new FakeTranslator()
  await expect(buildApp({ ...config, twilio: { authToken: [] } }, { translator })).rejects.toMatchObject({
    code: 'CONFIG',
  })
})

test('programs name only the settings that differ from their defaults', async () => {
  const translator = new FakeTranslator()
  await using app = await buildApp({ port: 0, twilio: { insecure: true } }, { translator })
  expect(new URL(await app.listen()).hostname).toBe('127.0.0.1')
  const signed = { publicUrl: 'https://bridge.example.com', twilio: { authToken: 'the only one' } }
  await using other = await buildApp(signed, { translator: new FakeTranslator() })
  expect((await other.server.inject({ method: 'POST', url: '/twilio/voice' })).statusCode).toBe(403)
})

test('the status page is for load balancers and people, and closing is idempotent', async () => {
  const app = await buildApp(config, { translator: new FakeTranslator() })
  const health = await app.server.inject('/health')
  expect(health.json()).toEqual({ status: 'ok', name: 'dragoman', legs: 0, rooms: 0, untranslated: 0 })
  const page = await app.server.inject('/')
  expect(page.headers['content-type']).toContain('text/plain')
  expect(page.body).toContain('/twilio/voice')
  expect(app.close()).toBe(app.close())
  await app.close()
})

test('a second service of the settings takes over, with its own key', async () => {
  const second = await ScriptedService.listen({ apiKey: 'second-key' })
  const service = {
    url: 'http://127.0.0.1:9',
    apiKey: 'first-key',
    fallbacks: [{ url: second.url, apiKey: 'second-key' }],
  }
  await using app = await buildApp({ ...config, service })
  const anna = new FakeLeg('anna')
  app.relay.admit(anna, { room: 'r', speaks: 'en-us', hears: 'es-es' })
  hello(anna)
  const session = await second.sessionOf(1)
  expect([session.from, session.to]).toEqual(['en-us', 'es-es'])
  expect(second.refused).toEqual([])
  await app.close()
  await second.close()
})

test('counts wrong keys behind a trusted proxy by the forwarded address', async () => {
  const control = { keys: [{ name: 'desk', key: 'a-key-that-nobody-would-guess' }] }
  for (const [trustProxy, other] of [
    [['loopback'], 401],
    [[], 429],
  ] as const) {
    const parts = { translator: new FakeTranslator(), serverLimits: { maxAttemptsPerMinute: 1 } }
    await using app = await buildApp({ ...config, control, trustProxy }, parts)
    const status = async (client: string) => {
      const headers = { authorization: 'Bearer wrong', 'x-forwarded-for': client }
      const asked = { url: '/v1/rooms', remoteAddress: '127.0.0.1', headers }
      return (await app.server.inject(asked)).statusCode
    }
    expect(await status('203.0.113.1')).toBe(401)
    expect(await status('203.0.113.1')).toBe(429)
    expect(await status('203.0.113.2')).toBe(other)
  }
})

test('with the default settings admits the relay’s maximum; the next caller hears that all lines are busy', async () => {
  await using app = await buildApp(config, { translator: new FakeTranslator() })
  const voice = async (CallSid: string) => {
    const payload = new URLSearchParams({ CallSid, CallStatus: 'in-progress', From: '+1', To: '+2' })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    return (
      await app.server.inject({ method: 'POST', url: '/twilio/voice', headers, payload: payload.toString() })
    ).body
  }
  const admit = (n: number) =>
    app.twoPartyCalls.admit(new FakeLeg(`leg-${n}`), { room: `room ${n}`, speaks: 'en-us', hears: 'es-es' })
  for (let n = 0; n < 299; n++) admit(n)
  expect(await voice('CA1')).toContain('<Stream')
  admit(299)
  expect(Array.from(app.relay.rooms.keys()).filter(name => name.startsWith('full'))).toEqual([])
  expect([app.relay.rooms.size, app.relay.legs]).toEqual([300, 300])
  const refused = await voice('CA2')
  expect(refused).toContain('<Say')
  expect(refused).not.toContain('<Stream')
  expect(() => admit(300)).toThrow('limit of 300 legs reached')
})
