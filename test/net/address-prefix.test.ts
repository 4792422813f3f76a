import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressPrefix } from '../../src/net/client-address.ts'

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['255.255.255.255', '255.255.255.255'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:192.0.2.77', '192.0.2.77'],
  ['0:0:0:0:0:ffff:192.102.25.117', '192.102.25.117'],
  ['0000:0000:0000:0000:0000:ffff:10.20.30.40', '10.20.30.40'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['1::', '1:0:0:0::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:DB8:0000:00a0:1:2:3:4', '2001:db8:0:a0::/64'],
  ['2001:db8:1:2:3:4:192.0.2.7', '2001:db8:1:2::/64'],
  ['2001:db8::4:5:192.100.201.170', '2001:db8:0:0::/64'],
  ['2001:0:1::9.8.7.6', '2001:0:1:0::/64'],
  ['2001:db8:1:2:3::4', '2001:db8:1:2::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['1:2:3:4::ffff:192.0.2.7', '1:2:3:4::/64'],
  ['', 'elsewhere'],
  [undefined, 'elsewhere'],
  ['a socket file', 'elsewhere'],
  ['256.0.0.1', 'elsewhere'],
  ['192.0.2', 'elsewhere'],
  ['192.0.2.7.8', 'elsewhere'],
  ['0192.0.2.7', 'elsewhere'],
  ['::ffff:192.0.2.256', 'elsewhere'],
  ['1:2:3', 'elsewhere'],
  ['1:2:3:4:5:6:7:8:9', 'elsewhere'],
  ['1::2::3', 'elsewhere'],
  ['12345::1', 'elsewhere'],
  ['::1]/x[::1', 'elsewhere'],
])('%s counts as %s', (address, group) => expect(addressPrefix(address)).toBe(group))

const word = fc.integer({ min: 0, max: 0xffff })
const half = fc.tuple(word, word, word, word)
const hex = (words: readonly number[], long: boolean) =>
  words.map(each => each.toString(16).padStart(long ? 4 : 1, '0'))

test('groups all addresses of a /64 network, in any notation', () => {
  fc.assert(
    fc.property(half, half, half, fc.boolean(), (network, one, other, long) => {
      const spelt = (host: readonly number[]) => hex([...network, ...host], long).join(':')
      expect(addressPrefix(spelt(one))).toBe(
        addressPrefix(new URL(`http://[${spelt(other)}]`).hostname.slice(1, -1)),
      )
    }),
  )
})

test('separates /64 networks, also for dotted and shortened addresses', () => {
  fc.assert(
    fc.property(half, half, fc.boolean(), (network, host, long) => {
      fc.pre(network.some(each => each > 0))
      const group = `${hex(network, false).join(':')}::/64`
      const [a, b, c, d] = host
      const dotted = `${c >> 8}.${c & 255}.${d >> 8}.${d & 255}`
      expect(addressPrefix(`${hex([...network, a, b], long).join(':')}:${dotted}`)).toBe(group)
      expect(addressPrefix(`${hex(network, long).join(':')}::${hex([d], long)}`)).toBe(group)
      expect(addressPrefix(`${hex(network, long).join(':')}::`)).toBe(group)
    }),
  )
})
