import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TrustedProxies, trustedProxiesSchema } from '../../src/net/client-address.ts'

const told = (proxies: string[], peer: string, forwarded?: string) =>
  new TrustedProxies(proxies).addressOf(peer, forwarded === undefined ? {} : { 'x-forwarded-for': forwarded })

test.each([
  ['no proxy is trusted', [], '10.0.0.7', '203.0.113.9', '10.0.0.7'],
  ['the proxy is trusted', ['10.0.0.7'], '10.0.0.7', '203.0.113.9', '203.0.113.9'],
  ['as a network', ['10.0.0.0/8'], '10.1.2.3', '2001:db8::9', '2001:db8::9'],
  ['as this machine, seen as IPv6', ['loopback'], '::ffff:127.0.0.1', '203.0.113.9', '203.0.113.9'],
  ['an untrusted peer sends the header', ['10.0.0.7'], '10.0.0.8', '203.0.113.9', '10.0.0.8'],
  ['the client forged entries', ['10.0.0.7'], '10.0.0.7', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
  ['through two proxies', ['10.0.0.0/8'], '10.0.0.7', '198.51.100.1, 203.0.113.9, 10.0.0.8', '203.0.113.9'],
  ['the proxy sends no header', ['10.0.0.7'], '10.0.0.7', undefined, '10.0.0.7'],
  ['the header is invalid', ['10.0.0.7'], '10.0.0.7', 'unknown', 'unknown'],
])('%s', (_case, proxies, peer, forwarded, address) => {
  expect(told(proxies, peer, forwarded)).toBe(address)
})

test('rejects a setting that is not an address, and states the allowed forms', () => {
  for (const wrong of ['', 'proxy.example.com', '10.0.0.0/33', '300.1.1.1', 'everybody']) {
    const { error } = trustedProxiesSchema.safeParse([wrong])
    expect(error?.issues[0]?.message, wrong).toMatch('a network like 10.0.0.0/8')
  }
  expect(trustedProxiesSchema.parse(undefined)).toEqual([])
  expect(trustedProxiesSchema.parse(['loopback', 'fd00::/8', '10.0.0.1'])).toHaveLength(3)
})

test('returns an address for any header', () => {
  const proxies = new TrustedProxies(['loopback'])
  fc.assert(
    fc.property(fc.string(), header => {
      expect(typeof proxies.addressOf('127.0.0.1', { 'x-forwarded-for': header })).toBe('string')
    }),
    { seed: 20_261_121 },
  )
})

test('recognizes its own proxies only', () => {
  const proxies = new TrustedProxies(['10.0.0.0/8', 'loopback'])
  for (const address of ['10.1.2.3', '127.0.0.1', '::1', '::ffff:10.9.9.9'])
    expect(proxies.includes(address), address).toBe(true)
  for (const address of ['11.0.0.1', '2001:db8::1']) expect(proxies.includes(address), address).toBe(false)
  expect(new TrustedProxies([]).includes('127.0.0.1')).toBe(false)
})
