import twilio from 'twilio'
import { describe, expect, test } from 'vitest'
import { type CallOptions, placeCall } from '../../../../src/simulator/index.ts'
import {
  CONNECT,
  type StandIn,
  type StandInOptions,
  standIn,
} from '../../../support/simulator/fake-bridge.ts'
import { toneOf } from '../../../support/simulator/pcm.ts'

/** Other work can keep this machine busy. */
const PATIENT = { timeout: 10_000 }

const TOKEN = 'secret'
const AGAIN = CONNECT.replace('</Response>', '<Redirect>/twilio/again</Redirect></Response>')

function callTo(server: StandIn, options: Partial<CallOptions> = {}) {
  return placeCall({ webhook: server.webhook, allowInsecureStream: true, ...options })
}

describe('after the end of the stream', () => {
  test.each<[string, number | undefined, number[]]>([
    ['1000', 1000, []],
    ['1008', 1008, [31921]],
    ['no code', undefined, []],
  ])('the server closes with %s: the TwiML continues', async (_, code, errors) => {
    await using server = await standIn({
      twiml: (_, count) => (count === 1 ? AGAIN : '<Response><Say>Sorry.</Say><Hangup/></Response>'),
      onMessage: ({ event }, { socket }) => event === 'start' && socket.close(code),
    })
    const call = await callTo(server)
    expect(await call.ended).toMatchObject({ kind: 'completed', reason: '<Hangup>' })
    expect(server.hooks.map(({ url, fields }) => [url, fields.CallStatus])).toEqual([
      ['/twilio/voice', 'ringing'],
      ['/twilio/again', 'in-progress'],
    ])
    const report = call.report()
    expect(report.errors.map(error => error.code)).toEqual(errors)
    expect(report.said).toEqual(['Sorry.'])
    expect(report.streams[0]?.end).toMatchObject({ by: 'server', code: code ?? 1005 })
  })

  test('<Redirect> resumes a dropped stream with a new stream of the same call, and speech continues', async () => {
    await using server = await standIn({ twiml: AGAIN })
    await using call = await callTo(server)
    const saying = call.say(toneOf(800))
    await expect.poll(() => call.report().sent, PATIENT).toBeGreaterThan(5)
    call.drop()
    await expect.poll(() => server.sockets.length, PATIENT).toBe(2)
    expect((await saying).complete).toBe(true)
    await call.hangUp()
    const [first, second] = server.sockets
    expect(await first?.closed).toBe(1006)
    expect(first?.messages.some(({ event }) => event === 'stop')).toBe(false)
    expect(second?.messages[1]).toMatchObject({ sequenceNumber: '1', start: { callSid: call.callSid } })
    expect(second?.sid).not.toBe(first?.sid)
    expect(second?.messages.at(-1)?.event).toBe('stop')
    expect(call.report().errors).toMatchObject([{ code: 31903 }])
  })

  test('ends the call without a verb after <Connect>', async () => {
    await using server = await standIn({
      onMessage: ({ event }, { socket }) => event === 'start' && socket.close(1000),
    })
    const call = await callTo(server)
    expect(await call.ended).toEqual({ kind: 'completed', code: undefined, reason: 'the TwiML ran out' })
    expect(call.live).toBe(false)
  })

  test('requests <Connect action>, and runs its TwiML instead of the following verbs', async () => {
    const twiml = CONNECT.replace('<Connect>', '<Connect action="/twilio/over" method="GET">')
    await using server = await standIn({
      twiml: (_, count) => (count === 1 ? twiml : '<Response><Say>Bye</Say></Response>'),
      onMessage: ({ event }, { socket }) => event === 'start' && socket.close(1000),
    })
    const call = await callTo(server, { authToken: TOKEN })
    await call.ended
    expect(server.hooks[1]?.url).toMatch(/^\/twilio\/over\?AccountSid=AC/)
    const { url, headers } = server.hooks[1]!
    const signature = String(headers['x-twilio-signature'])
    expect(twilio.validateRequest(TOKEN, signature, `http://127.0.0.1:${server.port}${url}`, {})).toBe(true)
    expect(call.report().said).toEqual(['Bye'])
  })

  test('a rejected upgrade is 31920, and the TwiML continues', async () => {
    await using server = await standIn({
      refuse: 403,
      twiml: CONNECT.replace('</Response>', '<Say>Sorry</Say></Response>'),
    })
    const call = await callTo(server)
    expect(await call.ended).toMatchObject({ kind: 'completed' })
    expect(call.report()).toMatchObject({ errors: [{ code: 31920 }], said: ['Sorry'] })
    expect(call.report().streams[0]?.end).toMatchObject({ by: 'refused', code: 403 })
  })

  test('connection refused at the stream URL: 31902', async () => {
    await using server = await standIn({ streamUrl: 'ws://127.0.0.1:1/media' })
    const call = await callTo(server)
    await call.ended
    expect(call.report().errors).toMatchObject([{ code: 31902 }])
  })

  test('ws:// is rejected where Twilio would', async () => {
    await using server = await standIn()
    const call = await callTo(server, { allowInsecureStream: false })
    await call.ended
    expect(call.report()).toMatchObject({ errors: [{ code: 31922 }], streams: [] })
  })

  test('new instructions stop the stream and take over', async () => {
    await using server = await standIn({ twiml: AGAIN })
    const call = await callTo(server)
    call.update('<Response><Say>Moved</Say><Pause length="0"/><Hangup/></Response>')
    expect(await call.ended).toMatchObject({ kind: 'completed', reason: '<Hangup>' })
    expect(server.sockets[0]!.messages.at(-1)?.event).toBe('stop')
    expect(server.hooks).toHaveLength(1)
    expect(call.report().said).toEqual(['Moved'])
  })
})

describe('calls that never get a stream', () => {
  test.each<[string, StandInOptions, object]>([
    [
      'rejected',
      { twiml: '<Response><Reject reason="busy"/></Response>' },
      { kind: 'rejected', reason: 'busy' },
    ],
    ['11200', { status: 500 }, { kind: 'failed', code: 11200 }],
    ['11200 for a redirect of HTTP', { status: 302 }, { kind: 'failed', code: 11200 }],
    ['12300', { type: 'application/json' }, { kind: 'failed', code: 12300 }],
    ['12100', { twiml: '<Response>' }, { kind: 'failed', code: 12100 }],
    ['empty', { twiml: '<Response/>' }, { kind: 'completed' }],
    [
      'endless',
      { twiml: '<Response><Redirect>/twilio/voice</Redirect></Response>' },
      { kind: 'failed', code: 11215 },
    ],
  ])('%s', async (_, options, end) => {
    await using server = await standIn(options)
    const call = await callTo(server)
    expect(await call.ended).toMatchObject(end)
    expect(call.report().streams).toEqual([])
  })

  test('no response: 11205', async () => {
    const call = await placeCall({ webhook: 'http://127.0.0.1:1/twilio/voice' })
    expect(await call.ended).toMatchObject({ kind: 'failed', code: 11205 })
    expect(call.heard().length).toBeLessThan(8000)
  })

  test('accepts application/xml with a charset as TwiML', async () => {
    await using server = await standIn({
      type: 'application/xml; charset=utf-8',
      twiml: '<Response><Hangup/></Response>',
    })
    expect(await (await callTo(server)).ended).toMatchObject({ kind: 'completed' })
  })

  test('throws for invalid options', async () => {
    await expect(placeCall({ webhook: 'nonsense' })).rejects.toThrow(TypeError)
    await expect(placeCall({ webhook: 'http://127.0.0.1:1/', quirks: { jitterMs: -1 } })).rejects.toThrow(
      RangeError,
    )
  })
})
