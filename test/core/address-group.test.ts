import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressGroup } from '../../src/core/address-group.ts'

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:192.0.2.7', '192.0.2.7'],
  ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
  ['::1', '0:0:0:0::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:DB8:0000:00a0:1:2:3:4', '2001:db8:0:a0::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', 'elsewhere'],
  [undefined, 'elsewhere'],
  ['a socket file', 'elsewhere'],
])('%s counts as %s', (address, group) => expect(addressGroup(address)).toBe(group))

test('all addresses of a network of 64 bits are one group, in any spelling', () => {
  const word = fc.integer({ min: 0, max: 0xffff })
  const half = fc.tuple(word, word, word, word)
  fc.assert(
    fc.property(half, half, half, fc.boolean(), (network, one, other, long) => {
      const spelt = (host: readonly number[]) =>
        [...network, ...host].map(part => part.toString(16).padStart(long ? 4 : 1, '0')).join(':')
      expect(addressGroup(spelt(one))).toBe(
        addressGroup(new URL(`http://[${spelt(other)}]`).hostname.slice(1, -1)),
      )
    }),
  )
})
