import twilio from 'twilio'
import { expect, test } from 'vitest'
import { type CallOptions, placeCall, voiceFrom } from '../../../../src/simulator/index.ts'
import {
  CONNECT,
  markOf,
  mediaOf,
  type StandIn,
  type StandInOptions,
  standIn,
} from '../../../support/simulator/fake-bridge.ts'
import { toneOf } from '../../../support/simulator/pcm.ts'

/** Other work can keep this machine busy. */
const PATIENT = { timeout: 10_000 }

const TOKEN = 'secret'
const PUBLIC = 'https://bridge.example.com'
const AGAIN = CONNECT.replace('</Response>', '<Redirect>/twilio/again</Redirect></Response>')

function callTo(server: StandIn, options: Partial<CallOptions> = {}) {
  return placeCall({ webhook: server.webhook, allowInsecureStream: true, ...options })
}

function loudSamples(pcm: Int16Array): number {
  return pcm.filter(sample => Math.abs(sample) > 800).length
}

/** A bridge that echoes the audio. */
const echo: NonNullable<StandInOptions['onMessage']> = ({ event, media, streamSid }, { socket }) => {
  if (event === 'media')
    socket.send(`{"event":"media","streamSid":"${streamSid}","media":{"payload":"${media?.payload}"}}`)
}

test('plays an echo', async () => {
  await using server = await standIn({ onMessage: echo })
  await using call = await callTo(server)
  const spoken = await call.say(toneOf(400))
  await call.quietFor(300)
  expect(spoken.complete).toBe(true)
  expect((spoken.endedAt ?? 0) - (spoken.startedAt ?? 0)).toBeCloseTo(380, 6)
  expect(await call.hangUp()).toMatchObject({ kind: 'hangup' })
  const { warnings, errors, bytes, sent, sendLateness } = call.report()
  expect({ warnings, errors }).toEqual({ warnings: [], errors: [] })
  expect(sent).toBeGreaterThanOrEqual(20)
  expect(sendLateness.count).toBe(sent)
  expect(bytes % 160).toBe(0)
  const from = Math.round((spoken.startedAt! - call.startedAt) * 8)
  expect(loudSamples(call.heard().subarray(0, from))).toBe(0)
  expect(loudSamples(call.heard()) / loudSamples(toneOf(400))).toBeCloseTo(1, 1)
  const events = server.sockets[0]!.messages.map(({ event }) => event)
  expect(events.filter(event => event !== 'media')).toEqual(['connected', 'start', 'stop'])
})

test('requests the webhook like Twilio', async () => {
  await using server = await standIn({ streamUrl: 'wss://bridge.example.com/media?lost=1' })
  const webhook = `${server.webhook}?room=a%20b`
  await using call = await placeCall({
    webhook,
    publicUrl: PUBLIC,
    authToken: TOKEN,
    from: '+15005550009',
    fields: { FromCountry: 'US' },
  })
  const [{ fields, headers } = { fields: {}, headers: {} as Record<string, unknown> }] = server.hooks
  const { room, ...form } = fields as Record<string, string>
  expect(room).toBe('a b')
  expect(form).toEqual({
    AccountSid: expect.stringMatching(/^AC[0-9a-f]{32}$/),
    ApiVersion: '2010-04-01',
    CallSid: call.callSid,
    CallStatus: 'ringing',
    Called: '+15005550001',
    Caller: '+15005550009',
    Direction: 'inbound',
    From: '+15005550009',
    FromCountry: 'US',
    To: '+15005550001',
  })
  expect(call.callSid).toMatch(/^CA[0-9a-f]{32}$/)
  expect(headers['content-type']).toBe('application/x-www-form-urlencoded; charset=UTF-8')
  expect(headers.host).toBe('bridge.example.com')
  const signature = String(headers['x-twilio-signature'])
  expect(twilio.validateRequest(TOKEN, signature, `${PUBLIC}/twilio/voice?room=a%20b`, form)).toBe(true)
})

test('the upgrade has exactly the headers that Twilio sends', async () => {
  await using server = await standIn({ streamUrl: 'wss://bridge.example.com/media?lost=1' })
  await using _ = await placeCall({ webhook: server.webhook, publicUrl: PUBLIC, authToken: TOKEN })
  const raw = server.sockets[0]!.rawHeaders
  const pairs = Object.fromEntries(raw.flatMap((name, n) => (n % 2 ? [] : [[name, raw[n + 1]]])))
  expect(raw.filter((_, n) => n % 2 === 0)).toEqual([
    ...['host', 'user-agent', 'connection', 'upgrade', 'sec-websocket-version', 'sec-websocket-key'],
    ...['x-twilio-signature', 'accept-encoding'],
  ])
  expect(pairs).toMatchObject({
    host: 'bridge.example.com',
    'user-agent': 'Twilio.TmeWs/1.0',
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': expect.stringMatching(/^.{24}$/),
    'accept-encoding': 'gzip',
  })
  expect(
    twilio.validateRequest(TOKEN, pairs['x-twilio-signature']!, 'wss://bridge.example.com/media', {}),
  ).toBe(true)
})

test('a proxy adds its headers only', async () => {
  await using server = await standIn({ streamUrl: 'wss://bridge.example.com/media' })
  await using _ = await placeCall({ webhook: server.webhook, publicUrl: PUBLIC, proxied: true })
  const raw = server.sockets[0]!.rawHeaders
  expect(raw.filter((_, n) => n % 2 === 0).slice(-4)).toEqual([
    ...['accept-encoding', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'],
  ])
  expect(server.hooks[0]?.headers).toMatchObject({
    host: `127.0.0.1:${server.port}`,
    'x-forwarded-proto': 'https',
  })
})

test('sends the parameters in start, and returns marks', async () => {
  await using server = await standIn({
    onMessage({ event }, { socket, sid }) {
      if (event !== 'start') return
      socket.send(markOf(sid, 'at once'))
      socket.send(mediaOf(sid, 200))
      socket.send(markOf(sid, 'after 200 ms'))
    },
  })
  await using call = await callTo(server)
  await call.quietFor(250)
  await call.hangUp()
  const [socket] = server.sockets
  const start = socket!.messages[1]?.start
  expect(start).toMatchObject({ callSid: call.callSid, customParameters: { token: 't1' } })
  const marks = socket!.messages.flatMap(({ mark }) => mark?.name ?? [])
  expect(marks).toEqual(['at once', 'after 200 ms'])
  const at = (name: string) => socket!.raw.find(({ data }) => data.includes(name))!.at
  expect(at('after 200 ms') - at('at once')).toBeGreaterThan(180)
  expect(call.report()).toMatchObject({ marks: 2, marksPlayed: 2, warnings: [], gapCount: 0 })
})

test('a voice made while it speaks, a loop, keys', async () => {
  await using server = await standIn()
  await using call = await callTo(server)
  await call.say(voiceFrom([toneOf(20), toneOf(20)]))
  call.press('1#')
  await call.say(toneOf(40))
  expect(() => call.press('12x')).toThrow(RangeError)
  await call.hangUp()
  expect(server.sockets[0]!.messages.flatMap(({ dtmf }) => dtmf?.digit ?? [])).toEqual(['1', '#'])
  expect((await call.say(toneOf(20))).complete).toBe(false)
})

test('detects a careless bridge', async () => {
  await using server = await standIn({
    onMessage({ event, media }, { socket, sid }) {
      if (event === 'start')
        socket.send(JSON.stringify({ event: 'mark', stream_sid: sid, mark: { name: 'x' } }))
      if (event === 'start') socket.send(Buffer.alloc(160, 0xff))
      // Every third packet is late by the length of two.
      if (media && Number(media.chunk) % 3 === 0) socket.send(mediaOf(sid, 20))
    },
  })
  await using call = await callTo(server)
  await expect.poll(() => call.report().gapCount, PATIENT).toBeGreaterThan(3)
  expect(call.report().warnings.map(({ code }) => code)).toEqual([31951, 31950])
  expect(call.report().lateness.quantile(0.5)).toBeGreaterThan(20)
})

test('a hang-up during <Pause> ends the call at once', async () => {
  await using server = await standIn({
    twiml: CONNECT.replace('</Response>', '<Pause length="600"/></Response>'),
  })
  const call = await callTo(server)
  server.sockets[0]!.socket.close(1000)
  await expect.poll(() => call.report().streams[0]?.end?.by, PATIENT).toBe('server')
  expect(await call.hangUp()).toMatchObject({ kind: 'hangup' })
  expect(await call.hangUp()).toMatchObject({ kind: 'hangup' })
})

test('vanish leaves no stop and no further request', async () => {
  await using server = await standIn({ twiml: AGAIN })
  const call = await callTo(server)
  expect(await call.vanish()).toMatchObject({ kind: 'hangup' })
  expect(await server.sockets[0]!.closed).toBe(1006)
  expect(server.hooks).toHaveLength(1)
})

test('notifies the status callback, signed', async () => {
  const twiml = CONNECT.replace(
    '<Stream ',
    '<Stream name="caller" statusCallback="https://bridge.example.com/twilio/status" ',
  )
  await using server = await standIn({ twiml, streamUrl: 'wss://bridge.example.com/media' })
  const call = await placeCall({ webhook: server.webhook, publicUrl: PUBLIC, authToken: TOKEN })
  await expect.poll(() => server.hooks.length, PATIENT).toBe(2)
  await call.hangUp()
  const told = server.hooks.filter(({ url }) => url === '/twilio/status')
  expect(told.map(({ fields }) => fields.StreamEvent)).toEqual(['stream-started', 'stream-stopped'])
  expect(told[0]?.fields).toMatchObject({
    StreamName: 'caller',
    StreamSid: server.sockets[0]?.sid,
    CallSid: call.callSid,
  })
  for (const { fields, headers } of told)
    expect(
      twilio.validateRequest(TOKEN, String(headers['x-twilio-signature']), `${PUBLIC}/twilio/status`, fields),
    ).toBe(true)
})
