import fc from 'fast-check'
import type { FastifyRequest } from 'fastify'
import twilio from 'twilio'
import { getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js'
import { describe, expect, it } from 'vitest'
import { FormSignatureVerifier, isSigned, sign } from '../../../../src/bridges/phone/markup/form-signature.ts'
import { PublicUrl } from '../../../../src/bridges/phone/public-url.ts'

const TOKEN = '12345'
const CALL = {
  AccountSid: 'ACxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  ApiVersion: '2010-04-01',
  CallSid: 'CA00000000000000000000000000000001',
  CallStatus: 'ringing',
  Direction: 'inbound',
  From: '+15005550006',
  To: '+15005550001',
}
const HOST = 'bridge.example.com'

const VECTORS: [url: string, fields: Record<string, string | string[]>, signature: string][] = [
  [
    'https://mycompany.com/myapp.php?foo=1&bar=2',
    {
      CallSid: 'CA1234567890ABCDE',
      Digits: '1234',
      From: '+14158675309',
      To: '+18005551212',
      Caller: '+14158675309',
    },
    'RSOYDt4T1cUTdK1PDd93/VVr8B8=',
  ],
  [
    'https://example.com/myapp',
    {
      CallSid: 'CA1234567890ABCDE',
      Caller: '+12349013030',
      Digits: '1234',
      From: '+12349013030',
      To: '+18005551212',
    },
    'NGAgWNhdnsLF8j385frvrQoi9sg=',
  ],
  [`wss://${HOST}/twilio/media`, {}, 'hGVJmeOLwZmJhPeWsyRDIvgH8Zc='],
  [`wss://${HOST}/twilio/media/`, {}, 'K34XpNWz3mSbbFwtWeDWONZkGSc='],
  [`https://${HOST}/twilio/media`, {}, 'lZEvGu0Z5D37/G+S9TnXfxg6Af0='],
  [`https://${HOST}/twilio/voice`, CALL, '5PUp0k0E72VaLJONZN2fcmWDL0U='],
  [`http://${HOST}/twilio/voice`, CALL, '2G+NckH1/TyZLowVmJE6HhT7/cw='],
  [`https://${HOST}/twilio/voice/`, CALL, 'UCGqTaMyRUXdPM2M4uoBQ+Zm6bI='],
  [
    `https://${HOST}/twilio/status?StreamEvent=stream-started&StreamSid=MZ1`,
    {},
    '/su7CEMe/Tf0hOVD3sU+1N7v8gs=',
  ],
  [`https://${HOST}/x`, { A: ['b', 'a', 'a'], B: '1' }, '0tslQZLjzjBiKCr5eD9Vu+vWfbI='],
]

const fields = fc.dictionary(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter(name => name !== '__proto__'),
  fc.oneof(fc.string({ unit: 'grapheme' }), fc.array(fc.string(), { minLength: 1, maxLength: 4 })),
  { maxKeys: 12 },
)

describe('the signature', () => {
  it.each(VECTORS)('of %s', (url, form, expected) => {
    expect(sign(TOKEN, url, form)).toBe(expected)
    expect(isSigned(expected, [TOKEN], [url], form)).toBe(true)
    expect(twilio.validateRequest(TOKEN, expected, url, form)).toBe(true)
  })

  it('equals that of the twilio package, for any form', () => {
    fc.assert(
      fc.property(fields, fc.webPath(), (form, path) => {
        const url = `https://${HOST}${path}`
        const header = sign(TOKEN, url, form)
        return (
          header === getExpectedTwilioSignature(TOKEN, url, form) &&
          twilio.validateRequest(TOKEN, header, url, form)
        )
      }),
      { numRuns: 500 },
    )
  })

  it('is accepted with any of several tokens and addresses', () => {
    const header = sign('secondary', 'https://a.example/x')
    expect(
      isSigned(header, ['primary', 'secondary'], ['https://a.example:443/x', 'https://a.example/x']),
    ).toBe(true)
    expect(isSigned(header, ['primary'], ['https://a.example/x'])).toBe(false)
    expect(isSigned(header, ['secondary'], ['https://a.example/y'])).toBe(false)
  })

  it('changes with every change of a field', () => {
    const url = `https://${HOST}/twilio/voice`
    const header = sign(TOKEN, url, CALL)
    expect(isSigned(header, [TOKEN], [url], { ...CALL, To: '+15005550002' })).toBe(false)
    expect(isSigned(header, [TOKEN], [url], { ...CALL, Extra: '' })).toBe(false)
  })

  it('treats undefined fields as absent', () => {
    const url = `https://${HOST}/twilio/voice`
    expect(sign(TOKEN, url, { ...CALL, Absent: undefined })).toBe(sign(TOKEN, url, CALL))
  })

  it('rejects anything that is not a signature without throwing', () => {
    const url = `https://${HOST}/`
    const good = sign(TOKEN, url)
    const bad = [
      undefined,
      '',
      ' ',
      good.slice(1),
      `${good} `,
      good.replace('=', ''),
      `${good}${good}`,
      '\u0000'.repeat(28),
    ]
    for (const header of bad) expect(isSigned(header, [TOKEN], [url])).toBe(false)
    fc.assert(fc.property(fc.string(), header => !isSigned(header, [TOKEN], [url])))
    fc.assert(
      fc.property(
        fc.base64String({ minLength: 28, maxLength: 28 }),
        header => header === good || !isSigned(header, [TOKEN], [url]),
      ),
    )
  })
})

describe('the verifier of requests', () => {
  const verifier = new FormSignatureVerifier(
    'x-signature',
    ['an older key', TOKEN],
    () => new PublicUrl(`https://${HOST}`),
  )
  const request = (parts: { signature?: string | string[]; body?: object; originalUrl?: string }) =>
    ({
      headers: parts.signature === undefined ? {} : { 'x-signature': parts.signature },
      originalUrl: parts.originalUrl ?? '/twilio/voice',
      body: parts.body,
    }) as unknown as FastifyRequest

  it('accepts a webhook signed with its address and fields, with or without the default port', () => {
    for (const origin of [`https://${HOST}`, `https://${HOST}:443`]) {
      const signature = sign(TOKEN, `${origin}/twilio/voice`, CALL)
      expect(verifier.webhook(request({ signature, body: CALL }))).toBe(true)
      expect(verifier.webhook(request({ signature, body: { ...CALL, To: '+15005550002' } }))).toBe(false)
      expect(verifier.webhook(request({ signature, body: CALL, originalUrl: '/twilio/other' }))).toBe(false)
    }
  })

  it('accepts a request without fields', () => {
    const signature = sign(TOKEN, `https://${HOST}/twilio/voice`)
    expect(verifier.webhook(request({ signature }))).toBe(true)
  })

  it('accepts an upgrade signed with the address of its path', () => {
    const signature = sign(TOKEN, `wss://${HOST}/twilio/media`)
    expect(verifier.upgrade(request({ signature }), '/twilio/media')).toBe(true)
    expect(verifier.upgrade(request({ signature }), '/twilio/other')).toBe(false)
  })

  it('refuses a request without the header, or with several', () => {
    const signature = sign(TOKEN, `https://${HOST}/twilio/voice`)
    expect(verifier.webhook(request({}))).toBe(false)
    expect(verifier.webhook(request({ signature: [signature] }))).toBe(false)
    expect(verifier.upgrade(request({}), '/twilio/voice')).toBe(false)
  })
})
