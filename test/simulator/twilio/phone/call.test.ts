import twilio from 'twilio'
import { expect, test } from 'vitest'
import { placeCall } from '../../../../simulator/index.ts'
import { standIn } from '../../../support/simulator/fake-bridge.ts'

const TOKEN = 'secret'
const PUBLIC = 'https://bridge.example.com'

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
