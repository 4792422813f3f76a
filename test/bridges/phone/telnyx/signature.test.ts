import { generateKeyPairSync, sign } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { describe, expect, test } from 'vitest'
import { signTelnyx, telnyxPublicKey } from '../../../../simulator/index.ts'
import { TelnyxVerifier } from '../../../../src/bridges/phone/telnyx/dialect.ts'

const NOW = 1_780_000_000
const BODY = 'CallSid=v3%3Aabc&From=%2B15551230001'
const SECRET = 'a secret'

function verifier(options: Partial<ConstructorParameters<typeof TelnyxVerifier>[0]> = {}) {
  return new TelnyxVerifier({
    ...{ publicKeys: [telnyxPublicKey(SECRET)], ownKeys: [] },
    wallClock: () => NOW * 1_000,
    ...options,
  })
}

function accepts(headers: Record<string, string>, body: unknown = BODY, options = {}): boolean {
  return verifier(options).webhook({ headers, body } as unknown as FastifyRequest)
}

describe('a webhook of Telnyx', () => {
  test('is accepted with the signature of the account', () => {
    expect(accepts(signTelnyx(SECRET, BODY, NOW))).toBe(true)
  })

  test('is accepted with a key of another implementation', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const key = publicKey.export({ format: 'jwk' }).x ?? ''
    const signature = sign(null, Buffer.from(`${NOW}|${BODY}`), privateKey).toString('base64')
    const headers = { 'telnyx-timestamp': String(NOW), 'telnyx-signature-ed25519': signature }
    const publicKeys = [Buffer.from(key, 'base64url').toString('base64')]
    expect(accepts(headers, BODY, { publicKeys })).toBe(true)
  })

  test.each([
    ['another account', signTelnyx('another', BODY, NOW), BODY],
    ['another body', signTelnyx(SECRET, BODY, NOW), `${BODY}&a=b`],
    ['another time', { ...signTelnyx(SECRET, BODY, NOW), 'telnyx-timestamp': String(NOW + 1) }, BODY],
    ['no signature', { 'telnyx-timestamp': String(NOW) }, BODY],
    ['no time', { 'telnyx-signature-ed25519': 'A'.repeat(86) }, BODY],
    [
      'a signature that is not base64',
      { ...signTelnyx(SECRET, BODY, NOW), 'telnyx-signature-ed25519': '~' },
      BODY,
    ],
    ['a body that was parsed', signTelnyx(SECRET, BODY, NOW), { CallSid: 'v3:abc' }],
  ])('is rejected with %s', (_, headers, body) => expect(accepts(headers, body)).toBe(false))

  test.each([
    [-300, true],
    [-301, false],
    [300, true],
    [301, false],
  ])('signed %i s from now is accepted: %s', (seconds, accepted) => {
    expect(accepts(signTelnyx(SECRET, BODY, NOW + seconds))).toBe(accepted)
  })

  test.each(['base64url', 'without padding'])('is accepted with a signature in %s', form => {
    const headers = signTelnyx(SECRET, BODY, NOW)
    const bare = headers['telnyx-signature-ed25519']!.replace(/=+$/, '')
    const signature = form === 'base64url' ? Buffer.from(bare, 'base64').toString('base64url') : bare
    expect(accepts({ ...headers, 'telnyx-signature-ed25519': signature })).toBe(true)
  })

  test('is accepted with a secret of this server', () => {
    expect(accepts(signTelnyx('own', BODY, NOW), BODY, { ownKeys: ['own'] })).toBe(true)
    expect(accepts(signTelnyx('own', BODY, NOW))).toBe(false)
  })
})

test('a verifier needs a key, of 32 bytes', () => {
  expect(() => verifier({ publicKeys: [] })).toThrow('public key')
  expect(() => verifier({ publicKeys: ['AAAA'] })).toThrow('32 bytes')
})
