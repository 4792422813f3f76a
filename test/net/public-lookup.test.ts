import type { LookupAddress, LookupAllOptions } from 'node:dns'
import { isIP } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  isAddress,
  isLocalAddress,
  isWrittenLocal,
  publicLookup,
  type Resolve,
} from '../../src/net/outbound-guard.ts'

const PUBLIC = { address: '93.184.216.34', family: 4 }
const PUBLIC_6 = { address: '2606:4700::1', family: 6 }
const PRIVATE = { address: '10.0.0.7', family: 4 }

/** The result of a lookup with `options` if the name servers return `found`, and the options they received. */
async function looked(found: readonly LookupAddress[] | Error, options = {}, localAllowed = false) {
  const asked: unknown[] = []
  const resolve: Resolve = (hostname, wanted: LookupAllOptions, done) => {
    asked.push([hostname, wanted])
    if (found instanceof Error) done(found, [])
    else done(null, found)
  }
  const answer = await new Promise<unknown[]>(settle =>
    publicLookup(localAllowed, resolve)('a.example', options, (...told) => settle(told)),
  )
  return { asked, answer }
}

test('requests all addresses of a name for any connection options, and keeps the other options', async () => {
  const { asked } = await looked([PUBLIC], { all: false, family: 4, hints: 0 })
  expect(asked).toEqual([['a.example', { all: true, family: 4, hints: 0 }]])
})

test('returns one address or all, as requested by the connection', async () => {
  expect((await looked([PUBLIC, PUBLIC_6])).answer).toEqual([null, PUBLIC.address, 4])
  expect((await looked([PUBLIC, PUBLIC_6], { all: true })).answer).toEqual([null, [PUBLIC, PUBLIC_6]])
})

test('rejects a name with one local address among others; the error contains the name and no address', async () => {
  for (const options of [{}, { all: true }])
    for (const found of [[PRIVATE], [PUBLIC, PRIVATE], [PRIVATE, PUBLIC], []]) {
      const { answer } = await looked(found, options)
      expect(answer[0]).toMatchObject({
        code: 'ADDRESS_REFUSED',
        message: 'a.example resolves to a local address',
      })
      expect(answer[1]).toBe('')
    }
  expect((await looked([PUBLIC, PRIVATE], {}, true)).answer).toEqual([null, PUBLIC.address, 4])
})

test('passes on errors of the name servers', async () => {
  const error = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
  expect((await looked(error)).answer).toEqual([error, ''])
})

test.each([
  ['http://localhost/', true],
  ['http://LOCALHOST:8080/', true],
  ['http://a.b.localhost/', true],
  ['http://127.0.0.1/', true],
  ['http://[::1]/', true],
  ['http://0x7f.1/', true],
  ['http://10.1.2.3/', true],
  ['http://localhost.example.com/', false],
  ['http://notlocalhost/', false],
  ['http://93.184.216.34/', false],
])('%s is local by its text: %s', (url, local) => expect(isWrittenLocal(new URL(url))).toBe(local))

test.each([
  ['http://93.184.216.34/', true],
  ['http://2130706433/', true],
  ['http://[2606:4700::1]/', true],
  ['http://example.com/', false],
  ['http://1.2.3.4.example.com/', false],
  ['http://localhost/', false],
])('%s is an address: %s', (url, address) => expect(isAddress(new URL(url))).toBe(address))

test.each([
  '93.184.216.34',
  '8.8.8.8',
  '100.63.255.255',
  '100.128.0.0',
  '168.63.129.15',
  '168.63.129.17',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700::1',
  '2a00:1450:4001::1',
  '2001:200::1',
  '::ffff:8.8.8.8',
  '[2606:4700::1]',
])('%s is on the public network', address => expect(isLocalAddress(address)).toBe(false))

test.each([
  '168.63.129.16',
  '::ffff:168.63.129.16',
  '[::1]',
  'fe80::1%eth0',
  '::ffff:10.0.0.1',
  '2001:1ff::1',
])('%s is not', address => expect(isLocalAddress(address)).toBe(true))

test('an IPv4-mapped address counts as the IPv4 address; text that is not an address is rejected', () => {
  fc.assert(
    fc.property(fc.ipV4(), address => {
      expect(isLocalAddress(`::ffff:${address}`)).toBe(isLocalAddress(address))
    }),
    { seed: 20_261_121 },
  )
  fc.assert(
    fc.property(fc.string(), text => {
      fc.pre(isIP(text) === 0)
      if (!/^\[|\]$|%/.test(text)) expect(isLocalAddress(text)).toBe(false)
    }),
    { seed: 20_261_121 },
  )
})
