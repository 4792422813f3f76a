import { expect, test } from 'vitest'
import { exceptions, SERVED_SIGNATURE, servedSettings } from '../../bench/served-settings.ts'
import { indexOf, numberOf } from '../../bench/subject.ts'
import { loadConfig } from '../../src/config/load.ts'

const WANTED = { service: 'http://127.0.0.1:9', mode: 'streaming', channel: 'phone', legs: 200 } as const

/** The settings as `dragoman serve` sees them. */
function config(options: Parameters<typeof servedSettings>[0]) {
  return loadConfig({ env: {}, overrides: servedSettings(options), starts: 'bridge' })
}

test('are accepted, verify signatures, and give every leg its own language', () => {
  const { twilio, publicUrl, service } = config(WANTED)
  expect(publicUrl).toBe(SERVED_SIGNATURE.publicUrl)
  expect(twilio.authTokens).toEqual([SERVED_SIGNATURE.authToken])
  expect(twilio.insecure).toBe(false)
  expect(service.url).toBe(WANTED.service)
  for (const index of [0, 7, 199]) expect(indexOf(twilio.numbers[numberOf(index)]!.hears!)).toBe(index)
})

test('are defaults otherwise', () => {
  expect(exceptions(WANTED)).toBeUndefined()
  const plain = config({ ...WANTED, legs: 1 })
  const full = config(WANTED)
  expect(full.relay).toEqual(plain.relay)
  expect(full.limits).toEqual(plain.limits)
  expect(full.service.mode).toBe('streaming')
})

test('connect a node of a fleet with NATS, and change nothing else', () => {
  const { fleet, ...node } = config({ ...WANTED, natsServers: ['127.0.0.1:4222'] })
  expect(fleet.nats?.servers).toEqual(['127.0.0.1:4222'])
  const { fleet: alone, ...served } = config(WANTED)
  expect(alone.nats).toBeUndefined()
  expect(node).toEqual(served)
})

test('raise the limit of legs where the load needs it, and say so', () => {
  expect(config({ ...WANTED, legs: 301 }).relay.maxLegs).toBe(301)
  expect(exceptions({ ...WANTED, mode: 'block', legs: 301 })).toBe(
    'service.mode: block (--mode), relay.maxLegs: 301 (default 300)',
  )
})

test('admit as many visitors as there are pages', () => {
  const pages = { ...WANTED, channel: 'browser' } as const
  expect(config(pages).browser).toMatchObject({ maxVisitors: 251 })
  expect(exceptions(pages)).toBe('browser.maxVisitors: 251')
})
