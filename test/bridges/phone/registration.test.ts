import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import twilioBridge, { type TwilioBridgeOptions } from '../../../src/bridges/phone/twilio/index.ts'
import { LogLines } from '../../support/log-lines.ts'
import { fieldsOf, Harness, TestRelay, tokenIn, until } from '../../support/phone/twilio-bridge-harness.ts'

async function register(options: Partial<TwilioBridgeOptions>) {
  const app = Fastify()
  await app.register(twilioBridge, { relay: new TestRelay(), invite: () => ({ room: 'r' }), ...options })
  await app.close()
}

describe('registering the bridge', () => {
  it.each([
    ['neither tokens nor address', {}],
    ['no tokens', { publicUrl: 'https://a.example' }],
    ['an empty list of tokens', { publicUrl: 'https://a.example', authTokens: [] }],
    ['an empty token', { publicUrl: 'https://a.example', authTokens: [''] }],
    ['no address', { authTokens: ['t'] }],
    ['an http address', { publicUrl: 'http://a.example', authTokens: ['t'] }],
    ['unlimited messages', { insecure: true, limits: { maxMessageBytes: 1_000_000 } }],
    ['a limit that is not a number', { insecure: true, limits: { closeWithinMs: Number.NaN } }],
    ['tokens and insecure', { publicUrl: 'https://a.example', authTokens: ['t'], insecure: true }],
  ])('fails with %s', async (_what, options) => {
    await expect(register(options)).rejects.toMatchObject({ code: 'CONFIG' })
  })

  it('warns that it is insecure', async () => {
    const log = new LogLines()
    await register({ insecure: true, log })
    expect(log.complaints).toEqual([expect.stringContaining('INSECURE')])
  })

  it('leaves other routes their own content types', async () => {
    const app = Fastify()
    await app.register(twilioBridge, {
      relay: new TestRelay(),
      invite: () => ({ room: 'r' }),
      insecure: true,
    })
    app.post('/other', request => request.body)
    const answer = await app.inject({ method: 'POST', url: '/other', payload: { a: 1 } })
    expect(answer.json()).toEqual({ a: 1 })
    await app.close()
  })

  it('ends all streams when the server closes', async () => {
    const bridge = await Harness.open()
    const { party, admitted } = await bridge.call('CA1')
    const waiting = await bridge.dial()
    await bridge.app.close()
    expect(await party.closed).toMatchObject({ code: 1001 })
    expect(await waiting.closed).toMatchObject({ code: 1001 })
    expect(admitted.ended).toEqual({ kind: 'parent-closed' })
    expect(bridge.app.twilio.legs.size).toBe(0)
  })
})

describe('an insecure bridge', () => {
  const post = (url: string, headers: Record<string, string> = {}) =>
    fetch(`${url}/twilio/voice`, { method: 'POST', body: new URLSearchParams(fieldsOf('CA1')), headers })

  async function open() {
    const app = Fastify()
    const relay = new TestRelay()
    await app.register(twilioBridge, { relay, invite: () => ({ room: 'r' }), insecure: true })
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    return { app, relay, url }
  }

  it('accepts an unsigned call from this machine, at its listening address', async () => {
    const { app, relay, url } = await open()
    const twiml = await (await post(url)).text()
    const streamUrl = `${url.replace('http', 'ws')}/twilio/media`
    expect(twiml).toContain(`<Stream url="${streamUrl}">`)
    const socket = new WebSocket(streamUrl)
    await new Promise(resolve => socket.once('open', resolve))
    const customParameters = { token: tokenIn(twiml) }
    socket.send(
      JSON.stringify({ event: 'start', start: { streamSid: 'MZ1', callSid: 'CA1', customParameters } }),
    )
    await until(() => relay.admitted.length === 1)
    socket.terminate()
    await app.close()
  })

  it('rejects forwarded requests and requests for other hosts', async () => {
    const { app, url } = await open()
    expect((await post(url, { 'x-forwarded-for': '203.0.113.7' })).status).toBe(403)
    expect((await post(url, { forwarded: 'for=203.0.113.7' })).status).toBe(403)
    const other = { host: 'evil.example', 'content-type': 'application/x-www-form-urlencoded' }
    const asked = {
      method: 'POST',
      url: '/twilio/voice',
      payload: 'CallSid=CA1',
      remoteAddress: '127.0.0.1',
    } as const
    expect((await app.inject({ ...asked, headers: other })).statusCode).toBe(403)
    expect((await app.inject({ ...asked, headers: { ...other, host: 'localhost:80' } })).statusCode).toBe(200)
    await app.close()
  })

  it('rejects other machines', async () => {
    const { app } = await open()
    const headers = { host: 'localhost', 'content-type': 'application/x-www-form-urlencoded' }
    for (const remoteAddress of ['203.0.113.7', '192.168.1.2', '::ffff:10.0.0.1', '2001:db8::1']) {
      const asked = {
        method: 'POST',
        url: '/twilio/voice',
        payload: 'CallSid=CA1',
        headers,
        remoteAddress,
      } as const
      expect((await app.inject(asked)).statusCode).toBe(403)
    }
    await app.close()
  })
})
