import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../simulator/fakes/fake-clock.ts'
import { CarrierDialer } from '../../../src/bridges/phone/index.ts'
import twilioBridge from '../../../src/bridges/phone/twilio/index.ts'
import { LogLines } from '../../support/log-lines.ts'
import { FakeCarrierApi } from '../../support/phone/fake-carrier-api.ts'
import {
  fieldsOf,
  Harness,
  PUBLIC_URL,
  resumeUrlIn,
  TestRelay,
} from '../../support/phone/twilio-bridge-harness.ts'
import { FakeAnnouncer } from '../../support/relay/fake-announcer.ts'

const streamIn = (twiml: string) => /<Stream url="([^"]+)"/.exec(twiml)?.[1]

describe('a bridge below a prefix', () => {
  it.each([
    ['with an own prefix', '/calls', '', '/calls/twilio'],
    ['with the prefix of a scope', undefined, '/api', '/api/twilio'],
    ['with both prefixes', '/calls', '/api', '/api/calls/twilio'],
  ])('%s: passes out valid addresses, and verifies them', async (_what, prefix, within, mount) => {
    await using bridge = await Harness.open(prefix === undefined ? {} : { prefix }, within)
    expect(bridge.mount).toBe(mount)
    const { body } = await bridge.post(`${mount}/voice`, fieldsOf('CA1'))
    expect(streamIn(body)).toBe(`wss://bridge.example.com${mount}/media`)
    expect(resumeUrlIn(body)).toMatch(`${PUBLIC_URL}${mount}/resume?`)
    const { party, admitted } = await bridge.call('CA2')
    party.media()
    expect(admitted.invitation.room).toBe('CA2')
    // The stream broke: its resume address continues the call.
    party.socket.terminate()
    const again = new URL(resumeUrlIn((await bridge.post(`${mount}/voice`, fieldsOf('CA3'))).body))
    const resumed = await bridge.post(again.pathname + again.search, {
      ...fieldsOf('CA3'),
      CallStatus: 'in-progress',
    })
    expect(streamIn(resumed.body)).toBe(`wss://bridge.example.com${mount}/media`)
    const over = await bridge.post(`${mount}/status`, { ...fieldsOf('CA3'), CallStatus: 'completed' })
    expect(over.status).toBe(204)
    expect((await bridge.post('/twilio/voice', fieldsOf('CA4'))).status).toBe(404)
  })

  it('prompts callers and serves the prompts there', async () => {
    const announcer = new FakeAnnouncer()
    await using bridge = await Harness.open({
      prefix: '/calls',
      announcer,
      invite: () => ({ ask: 'language', languages: ['en-us', 'es-es'] }),
    })
    const { body } = await bridge.post('/calls/twilio/voice', fieldsOf('CA1'))
    expect(body).toContain(`action="${PUBLIC_URL}/calls/twilio/menu?`)
    const [, sound = ''] = /<Play>([^<]+)<\/Play>/.exec(body) ?? []
    const { pathname, search } = new URL(sound.replaceAll('&amp;', '&'))
    expect(pathname).toMatch(/^\/calls\/twilio\/menu\/sound\//)
    expect((await bridge.app.inject(pathname + search)).statusCode).toBe(200)
  })

  it('handles the webhooks of outbound calls there', async () => {
    const clock = new FakeClock()
    const api = new FakeCarrierApi()
    const dialer = new CarrierDialer(
      { from: '+15005550001', allowedPrefixes: ['+1'] },
      { api, clock, log: new LogLines() },
    )
    await using _bridge = await Harness.open({ prefix: '/calls', dialer, clock })
    dialer.dial({ to: '+12125550123', invitation: { room: 'r' } })
    expect(JSON.stringify(api.orders)).toContain(`${PUBLIC_URL}/calls/twilio/dial/answer?`)
    expect(JSON.stringify(api.orders)).toContain(`${PUBLIC_URL}/calls/twilio/dial/status?`)
  })

  it('accepts paths with and without a trailing slash, even if the host equates them', async () => {
    const host = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
    await host.register(twilioBridge, {
      ...{ relay: new TestRelay(), invite: () => ({ room: 'r' }) },
      ...{ publicUrl: PUBLIC_URL, authTokens: ['t'] },
    })
    expect((await host.inject('/twilio/media/')).statusCode).toBe(403)
    await host.close()
  })

  it.each([
    ['a parameter', { prefix: '/:tenant' }, ''],
    ['a parameter around it', {}, '/:tenant'],
    ['a wildcard', { prefix: '/a/*' }, ''],
    ['an empty part', { prefix: '/a//b' }, ''],
    ['a query', { path: '/twilio?a=1' }, ''],
  ])('with %s is rejected: its addresses could not be built', async (_what, options, within) => {
    await expect(Harness.open(options, within)).rejects.toMatchObject({
      code: 'CONFIG',
      message: expect.stringContaining('plain path'),
    })
  })
})
