import twilio from 'twilio'
import { describe, expect, test } from 'vitest'
import { placeCall, type Quirks } from '../../../../src/simulator/index.ts'
import { CONNECT, type StandIn, standIn } from '../../../support/simulator/fake-bridge.ts'
import { toneOf } from '../../../support/simulator/pcm.ts'

/** Other work can keep this machine busy. */
const PATIENT = { timeout: 10_000 }

const TOKEN = 'secret'
const STREAM = 'wss://bridge.example.com/media'

function callWith(server: StandIn, quirks: Quirks) {
  return placeCall({
    webhook: server.webhook,
    publicUrl: 'https://bridge.example.com',
    authToken: TOKEN,
    quirks,
  })
}

/** One call with `quirks` that says 300 ms; returns what the server received. */
async function seen(quirks: Quirks) {
  const server = await standIn({ streamUrl: STREAM })
  const call = await callWith(server, quirks)
  await call.say(toneOf(300))
  await call.hangUp()
  await server[Symbol.asyncDispose]()
  const [socket] = server.sockets
  const messages = socket?.messages ?? []
  return { call, server, raw: socket?.raw ?? [], messages, events: messages.map(({ event }) => event) }
}

test('the start offset appears in the first timestamp', async () => {
  const { messages } = await seen({ startOffsetMs: 173 })
  expect(messages.find(({ media }) => media)?.media).toMatchObject({ timestamp: '173', chunk: '1' })
})

test('start without parameters, with others, of another call', async () => {
  expect((await seen({ omitParameters: true })).messages[1]?.start).not.toHaveProperty('customParameters')
  const { messages } = await seen({ parameters: { token: 'stolen' }, callSid: 'CAother' })
  expect(messages[1]?.start).toMatchObject({ callSid: 'CAother', customParameters: { token: 'stolen' } })
})

test('an unknown event follows start', async () => {
  const { events } = await seen({ unknownEvent: true })
  expect(events.slice(0, 3)).toEqual(['connected', 'start', 'weather'])
})

test('media before start', async () => {
  const { events } = await seen({ mediaBeforeStart: true })
  expect(events.slice(0, 12)).toEqual(['connected', ...Array<string>(10).fill('media'), 'start'])
})

test('larger packets', async () => {
  const { messages } = await seen({ packetMs: 60 })
  const payload = messages.find(({ media }) => media)?.media?.payload ?? ''
  expect(Buffer.from(payload, 'base64').length).toBe(480)
})

describe('one bad message among good ones', () => {
  test.each<[NonNullable<Quirks['badMessage']>, (data: Buffer, isBinary: boolean) => boolean]>([
    ['base64', data => data.includes('~not base64~')],
    ['binary', (_, isBinary) => isBinary],
    ['oversized', data => data.length > 1_000_000],
    ['json', data => data.toString() === '{"event":"media",'],
  ])('%s', async (badMessage, isBad) => {
    const { raw, events } = await seen({ badMessage })
    const bad = raw.filter(({ data, isBinary }) => isBad(data, isBinary))
    expect(bad).toHaveLength(1)
    expect(raw.indexOf(bad[0]!)).toBe(6)
    expect(events.at(-1)).toBe('stop')
  })
})

test('connected, then nothing; the server can hang up', async () => {
  await using server = await standIn({ streamUrl: STREAM })
  const call = await callWith(server, { muteAfterConnected: true })
  await new Promise(resolve => setTimeout(resolve, 100))
  expect(server.sockets[0]?.messages.map(({ event }) => event)).toEqual(['connected'])
  server.sockets[0]?.socket.close(1008, 'no start')
  await call.ended
  expect(call.report().streams[0]).toMatchObject({ startedAt: undefined, end: { by: 'server', code: 1008 } })
})

test('the connection dies without stop, and the TwiML continues', async () => {
  const twiml = CONNECT.replace('</Response>', '<Say>Again</Say></Response>')
  await using server = await standIn({ streamUrl: STREAM, twiml })
  const call = await callWith(server, { dieAfterMs: 100 })
  expect(await call.ended).toMatchObject({ kind: 'completed' })
  expect(await server.sockets[0]?.closed).toBe(1006)
  expect(server.sockets[0]?.messages.some(({ event }) => event === 'stop')).toBe(false)
  expect(call.report()).toMatchObject({ said: ['Again'], errors: [{ code: 31903 }] })
})

test('the socket lingers after stop', async () => {
  await using server = await standIn({ streamUrl: STREAM })
  const call = await callWith(server, { lingerMs: 150 })
  const begun = performance.now()
  const ended = call.hangUp()
  const socket = server.sockets[0]!
  await expect.poll(() => socket.messages.at(-1)?.event, PATIENT).toBe('stop')
  expect(socket.socket.readyState).toBe(1)
  await ended
  expect(await socket.closed).toBe(1000)
  // It sent stop after that, and the machine can be busy: longer, but not shorter.
  expect(performance.now() - begun).toBeGreaterThanOrEqual(149)
})

test('a twin uses the token a second time; its end is reported', async () => {
  await using server = await standIn({
    streamUrl: STREAM,
    onMessage: ({ event }, to) =>
      event === 'start' && to === server.sockets[1] && to.socket.close(1008, 'used'),
  })
  const call = await callWith(server, { twinSocket: true })
  await expect
    .poll(() => call.report().streams[0]?.twin, PATIENT)
    .toEqual({ by: 'server', code: 1008, reason: 'used' })
  const [first, second] = server.sockets
  expect(second?.messages[1]?.start?.customParameters).toEqual(first?.messages[1]?.start?.customParameters)
  expect(second?.messages[1]?.start?.callSid).toBe(call.callSid)
  expect(second?.sid).not.toBe(first?.sid)
  expect(call.live).toBe(true)
  await call.hangUp()
})

describe('forged signatures', () => {
  const isValid = (signature: string | undefined) =>
    twilio.validateRequest(TOKEN, signature ?? '', STREAM, {})

  test.each(['none', 'wrong-token', 'https', 'other-path'] as const)('upgrade: %s', async streamSignature => {
    const { server } = await seen({ streamSignature })
    const raw = server.sockets[0]!.rawHeaders
    const at = raw.indexOf('x-twilio-signature')
    expect(at < 0).toBe(streamSignature === 'none')
    expect(isValid(at < 0 ? undefined : raw[at + 1])).toBe(false)
  })

  test.each(['none', 'wrong-token'] as const)('webhook: %s', async webhookSignature => {
    const { server } = await seen({ webhookSignature })
    const { headers, fields } = server.hooks[0]!
    const signature = headers['x-twilio-signature'] as string | undefined
    expect(signature === undefined).toBe(webhookSignature === 'none')
    const url = 'https://bridge.example.com/twilio/voice'
    expect(twilio.validateRequest(TOKEN, signature ?? '', url, fields)).toBe(false)
  })
})
