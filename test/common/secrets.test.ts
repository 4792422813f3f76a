import { expect, test } from 'vitest'
import { keyDigest, sameSecret, shortDigest } from '../../src/common/secrets.ts'

test('stored digests stay valid: SHA-256 of FIPS 180-4, and HMAC-SHA-256 of RFC 4231', () => {
  expect(keyDigest('abc').toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
  const mac = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'
  const short = Buffer.from(mac, 'hex').toString('base64url').slice(0, 27)
  expect(shortDigest('Jefe', 'what do ya want for nothing?')).toBe(short)
})

test.each([
  ['a secret', 'a secret', true],
  ['a secreT', 'a secret', false],
  ['a secret ', 'a secret', false],
  ['', 'a secret', false],
  ['ü', 'u\u0308', false],
])('"%s" for "%s": %s', (given, right, same) => expect(sameSecret(given, right)).toBe(same))
