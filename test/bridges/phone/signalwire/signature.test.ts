import { createHmac } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import twilio from 'twilio'
import { describe, expect, test } from 'vitest'
import { PublicUrl } from '../../../../src/bridges/phone/public-url.ts'
import { SignalwireVerifier } from '../../../../src/bridges/phone/signalwire/dialect.ts'

const KEY = 'PSK_the_signing_key_of_the_project'
const BASE = 'https://bridge.example.com'
const PATH = '/signalwire/voice?room=desk'
const FIELDS = { CallSid: '76ac3c36-56da-4a3e-a0d6-b5f8df6da9ad', From: '+15005550006', To: '+15005550001' }
const BODY = new URLSearchParams(FIELDS).toString()

/** As the client of Twilio computes it, for a form. */
function form(url = BASE + PATH, fields: Record<string, unknown> = FIELDS, key = KEY): string {
  return twilio.getExpectedTwilioSignature(key, url, fields)
}

/** As the public description of SWML webhooks has it: over the address and the body. */
function hex(hash: string, url = BASE + PATH, body = BODY, key = KEY): string {
  return createHmac(hash, key)
    .update(url + body)
    .digest('hex')
}

function accepts(
  headers: Record<string, string>,
  { body = BODY as unknown, path = PATH, publicUrl = BASE } = {},
) {
  const verifier = new SignalwireVerifier(['an older key', KEY], 'bearer', () => new PublicUrl(publicUrl))
  return verifier.webhook({ headers, body, originalUrl: path } as unknown as FastifyRequest)
}

describe('a webhook of SignalWire', () => {
  test.each<[string, Record<string, string>]>([
    ['its own header', { 'x-signalwire-signature': form() }],
    ['the header of Twilio', { 'x-twilio-signature': form() }],
    ['both headers', { 'x-signalwire-signature': form(), 'x-twilio-signature': form() }],
    ['a hexadecimal signature', { 'x-signalwire-signature': hex('sha1') }],
    ['a hexadecimal signature in the header of Twilio', { 'x-twilio-signature': hex('sha1') }],
    ['a hexadecimal SHA-256 signature', { 'x-signalwire-sha256-signature': hex('sha256') }],
    ['the default port', { 'x-twilio-signature': form(`${BASE}:443${PATH}`) }],
  ])('is accepted with %s', (_, headers) => expect(accepts(headers)).toBe(true))

  test('is accepted for the address as it is configured', () => {
    const publicUrl = 'https://Bridge.Example.com/'
    for (const base of [BASE, 'https://Bridge.Example.com'])
      for (const signature of [form(base + PATH), hex('sha1', base + PATH)])
        expect(accepts({ 'x-twilio-signature': signature }, { publicUrl })).toBe(true)
  })

  test('is accepted with repeated fields, as Twilio and as SignalWire sign them', () => {
    const body = 'A=b&A=a&A=a&B=1'
    const arrived = createHmac('sha1', KEY).update(`${BASE}${PATH}AbAaAaB1`).digest('base64')
    for (const signature of [arrived, form(BASE + PATH, { A: ['b', 'a', 'a'], B: '1' })])
      expect(accepts({ 'x-signalwire-signature': signature }, { body })).toBe(true)
  })

  test.each<[string, Record<string, string>, object?]>([
    ['no signature', {}],
    ['another key', { 'x-twilio-signature': form(BASE + PATH, FIELDS, 'another') }],
    ['another hexadecimal key', { 'x-signalwire-signature': hex('sha1', BASE + PATH, BODY, 'another') }],
    ['another body', { 'x-signalwire-signature': form() }, { body: `${BODY}&Digits=1` }],
    ['another body in hexadecimal', { 'x-signalwire-signature': hex('sha1') }, { body: `${BODY}&Digits=1` }],
    ['another query', { 'x-twilio-signature': form() }, { path: `${PATH}&hears=es-es` }],
    ['SHA-256 in the header of SHA-1', { 'x-signalwire-signature': hex('sha256') }],
    ['SHA-1 in the header of SHA-256', { 'x-signalwire-sha256-signature': hex('sha1') }],
    ['a body that was parsed', { 'x-signalwire-signature': form() }, { body: FIELDS }],
    [
      'too many fields',
      { 'x-signalwire-signature': hex('sha1', BASE + PATH, 'a&'.repeat(501)) },
      { body: 'a&'.repeat(501) },
    ],
  ])('is rejected with %s', (_, headers, changes = {}) => expect(accepts(headers, changes)).toBe(false))
})

test('a stream is accepted with the bearer token only', () => {
  const verifier = new SignalwireVerifier([KEY], 'bearer', () => new PublicUrl(BASE))
  const connects = (authorization?: string) =>
    verifier.upgrade({ headers: { authorization } } as unknown as FastifyRequest)
  expect([connects('Bearer bearer'), connects('Bearer other'), connects()]).toEqual([true, false, false])
})
