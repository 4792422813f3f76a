import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import type { FastifyRequest } from 'fastify'
import { validateSignature, validateV3Signature } from 'plivo'
import { describe, expect, test } from 'vitest'
import { signPlivo } from '../../../../simulator/index.ts'
import { PlivoVerifier, sign } from '../../../../src/bridges/phone/plivo/dialect.ts'
import { PublicUrl } from '../../../../src/bridges/phone/public-url.ts'

const TOKEN = 'an auth token of the account'
const NONCE = '05429567804466091622'
const BASE = 'https://bridge.example.com'
const PATH = '/plivo/voice?room=desk&speaks=en-us'
const FORM = { CallUUID: '9834029e-58b6-11e1-b8b7-a5bd0e4e126f', From: '14155550100', Digits: '12#' }

type Headers = Record<string, string | undefined>

function signed(signature: string, nonce = NONCE): Headers {
  return { 'x-plivo-signature-v3': signature, 'x-plivo-signature-v3-nonce': nonce }
}

function verifier(tokens: readonly string[] = [TOKEN], publicUrl = BASE) {
  return new PlivoVerifier(tokens, () => new PublicUrl(publicUrl))
}

function accepts(headers: Headers, body: unknown = FORM, path = PATH, tokens?: readonly string[]): boolean {
  return verifier(tokens).webhook({ headers, body, originalUrl: path } as unknown as FastifyRequest)
}

function connects(headers: Headers, publicUrl = BASE): boolean {
  return verifier([TOKEN], publicUrl).upgrade({ headers } as unknown as FastifyRequest, '/plivo/media')
}

const RIGHT = sign(TOKEN, BASE + PATH, NONCE, FORM)

describe('a signature of Plivo', () => {
  test.each([
    ['a form without a query', `${BASE}/plivo/voice`, FORM],
    ['a form with a query', BASE + PATH, FORM],
    ['a query with encoded and unsorted names', `${BASE}/plivo/menu?z=%C3%A9+%26&a=1&a=0&empty=`, FORM],
    ['repeated fields', `${BASE}/plivo/status`, { A: ['b', 'a', 'a'], B: '1' }],
    ['a port and a path', `https://bridge.example.com:8443/base/plivo/status?a=b`, FORM],
    ['text beyond ASCII', `${BASE}/plivo/voice`, { From: 'sip:josé@example.com', To: '日本' }],
  ])('with %s is what Plivo’s own client validates', (_, url, form) => {
    expect(validateV3Signature('POST', url, NONCE, TOKEN, sign(TOKEN, url, NONCE, form), { ...form })).toBe(
      true,
    )
  })

  test.each([`${BASE}/plivo/media`, `${BASE}/plivo/media?a=b`])('of a GET of %s is validated', url => {
    expect(validateV3Signature('GET', url, NONCE, TOKEN, sign(TOKEN, url, NONCE))).toBe(true)
  })

  test('of any form and query is what Plivo’s own client validates', () => {
    const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,8}$/).filter(text => !(text in {}))
    const value = fc.oneof(fc.string(), fc.array(fc.string(), { minLength: 2, maxLength: 3 }))
    const query = fc.dictionary(name, fc.string({ minLength: 1 }).map(encodeURIComponent), { maxKeys: 4 })
    fc.assert(
      fc.property(fc.dictionary(name, value, { minKeys: 1, maxKeys: 6 }), query, (form, asked) => {
        const pairs = Object.entries(asked).map(pair => pair.join('='))
        const url = `${BASE}/plivo/voice${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`
        const copy = structuredClone(form) as Record<string, string>
        return Boolean(validateV3Signature('POST', url, NONCE, TOKEN, sign(TOKEN, url, NONCE, form), copy))
      }),
    )
  })

  test('is that of the simulator, which computes it independently', () => {
    for (const path of ['/plivo/voice', PATH])
      for (const form of [{}, FORM, { A: ['b', 'a'] }] as Record<string, string | string[]>[])
        expect(signPlivo(TOKEN, BASE + path, NONCE, form)).toBe(sign(TOKEN, BASE + path, NONCE, form))
  })
})

describe('a webhook', () => {
  test('is accepted with the signature of the account', () => expect(accepts(signed(RIGHT))).toBe(true))

  test('is accepted if one of several signatures is valid', () => {
    expect(accepts(signed(`${sign('an older token', BASE + PATH, NONCE, FORM)}, ${RIGHT}`))).toBe(true)
    expect(accepts(signed(RIGHT), FORM, PATH, ['a newer token', TOKEN])).toBe(true)
  })

  test('is accepted with the signature of the main account', () => {
    const headers = { 'x-plivo-signature-ma-v3': RIGHT, 'x-plivo-signature-v3-nonce': NONCE }
    expect(accepts(headers)).toBe(true)
  })

  test.each<[string, Headers, object?, string?]>([
    ['no signature', { 'x-plivo-signature-v3-nonce': NONCE }],
    ['no nonce', { 'x-plivo-signature-v3': RIGHT }],
    ['another nonce', signed(RIGHT, '1')],
    ['a nonce with a space', signed(sign(TOKEN, BASE + PATH, 'a b', FORM), 'a b')],
    ['another token', signed(sign('another', BASE + PATH, NONCE, FORM))],
    ['another form', signed(RIGHT), { ...FORM, Digits: '13#' }],
    ['a further field', signed(RIGHT), { ...FORM, Machine: 'true' }],
    ['another query', signed(RIGHT), FORM, `${PATH}&hears=es-es`],
    ['another path', signed(RIGHT), FORM, PATH.replace('voice', 'resume')],
    ['an unsigned form', signed(sign(TOKEN, BASE + PATH, NONCE))],
    ['a signature that is not base64', signed('~'.repeat(44))],
    ['another last character with the same bytes', signed(`${RIGHT.slice(0, -2)}${nextCharacter(RIGHT)}=`)],
    ['the valid signature after eight others', signed(`${`${'A'.repeat(43)}=,`.repeat(8)}${RIGHT}`)],
  ])('is rejected with %s', (_, headers, form = FORM, path = PATH) =>
    expect(accepts(headers, form, path)).toBe(false),
  )
})

/** Version 2: over the address without its query, and the nonce. */
function signV2(url: string, nonce = NONCE, token = TOKEN): string {
  return createHmac('sha256', token)
    .update(url.split('?')[0] + nonce)
    .digest('base64')
}

function signedV2(signature: string, { name = 'x-plivo-signature-v2', nonce = NONCE } = {}): Headers {
  return { [name]: signature, 'x-plivo-signature-v2-nonce': nonce }
}

describe('a webhook with a signature of version 2 only', () => {
  const right = signV2(BASE + PATH)

  test('is accepted as Plivo’s own client does, in either header', () => {
    expect(validateSignature(BASE + PATH, NONCE, right, TOKEN)).toBe(true)
    expect(accepts(signedV2(right))).toBe(true)
    expect(accepts(signedV2(right, { name: 'x-plivo-signature-ma-v2' }))).toBe(true)
  })

  test.each<[string, Headers]>([
    ['another nonce', signedV2(right, { nonce: '1' })],
    ['another token', signedV2(signV2(BASE + PATH, NONCE, 'another'))],
    ['another address', signedV2(signV2(`${BASE}/plivo/status`))],
    ['a wrong signature of version 3 next to it', { ...signedV2(right), ...signed(`${'A'.repeat(43)}=`) }],
    ['no nonce', { 'x-plivo-signature-v2': right }],
  ])('is rejected with %s', (_, headers) => expect(accepts(headers)).toBe(false))

  test('is accepted again, but not altered: this version signs neither the form nor the query', () => {
    for (const first of [signedV2(right), { ...signedV2(right), ...signed(RIGHT) }]) {
      const one = verifier()
      const told = (headers: Headers, body: object, originalUrl = PATH) =>
        one.webhook({ headers, body, originalUrl } as unknown as FastifyRequest)
      expect(told(first, FORM)).toBe(true)
      expect(told(signedV2(right), FORM)).toBe(true)
      expect(told(signedV2(right), { ...FORM, CallUUID: 'another' })).toBe(false)
      expect(told(signedV2(right), FORM, `${PATH}&hears=es-es`)).toBe(false)
      expect(told(signedV2(signV2(BASE + PATH, '2'), { nonce: '2' }), { CallUUID: 'another' })).toBe(true)
    }
  })
})

test.each([
  ['https://Bridge.Example.com/', 'https://Bridge.Example.com'],
  ['https://Bridge.Example.com/', 'https://bridge.example.com'],
  ['https://bridge.example.com:443', 'https://bridge.example.com:443'],
  ['HTTPS://bridge.example.com/Base/', 'https://bridge.example.com/Base'],
])('with publicUrl %s, a request signed for %s is accepted', (publicUrl, base) => {
  const one = verifier([TOKEN], publicUrl)
  const headers = signed(sign(TOKEN, base + PATH, NONCE, FORM))
  expect(one.webhook({ headers, body: FORM, originalUrl: PATH } as unknown as FastifyRequest)).toBe(true)
  expect(connects(signed(sign(TOKEN, `${base}/plivo/media`, NONCE)), publicUrl)).toBe(true)
})

describe('an upgrade', () => {
  test('is accepted with a signature of version 2, in either header', () => {
    const right = signV2(`${BASE}/plivo/media`)
    expect(connects(signedV2(right))).toBe(true)
    expect(connects(signedV2(right, { name: 'x-plivo-signature-ma-v2' }))).toBe(true)
    expect(connects(signedV2(signV2(`${BASE}/plivo/voice`)))).toBe(false)
  })

  test.each(['https', 'wss', 'http'])('is accepted if its %s address is signed', scheme => {
    expect(connects(signed(sign(TOKEN, `${scheme}://bridge.example.com/plivo/media`, NONCE)))).toBe(true)
  })

  test('is accepted below the path of the public address', () => {
    const signature = sign(TOKEN, `${BASE}/base/plivo/media`, NONCE)
    expect(connects(signed(signature), `${BASE}/base`)).toBe(true)
    expect(connects(signed(signature))).toBe(false)
  })

  test('is rejected with the signature of a webhook', () => expect(connects(signed(RIGHT))).toBe(false))
})

/** Another last character of base64 whose first four bits are the same. */
function nextCharacter(signature: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  return alphabet.charAt(alphabet.indexOf(signature.charAt(42)) + 1)
}
