import { expect, test } from 'vitest'
import { type RouteOptions, routeTo } from '../../../../src/simulator/twilio/phone/request.ts'

const options: RouteOptions = {
  publicUrl: 'https://bridge.example.com',
  localUrl: 'http://127.0.0.1:8080/twilio/voice',
  resolve: { 'other.example.com': 'http://127.0.0.1:9090', 'third.example.com:8443': '127.0.0.1:7070' },
  proxied: false,
}

test.each([
  ['wss://bridge.example.com/twilio/media', 'ws://127.0.0.1:8080/twilio/media', 'bridge.example.com'],
  [
    'https://bridge.example.com/twilio/voice?room=1',
    'http://127.0.0.1:8080/twilio/voice?room=1',
    'bridge.example.com',
  ],
  ['wss://other.example.com/m', 'ws://127.0.0.1:9090/m', 'other.example.com'],
  ['wss://third.example.com:8443/m', 'ws://127.0.0.1:7070/m', 'third.example.com:8443'],
  ['ws://127.0.0.1:5050/m', 'ws://127.0.0.1:5050/m', '127.0.0.1:5050'],
])('%s is reached at %s', (url, target, host) => {
  expect(routeTo(url, options)).toMatchObject({ target: new URL(target), headers: { host } })
})

test('a proxy changes the host and forwards the outer one', () => {
  expect(routeTo('wss://bridge.example.com/m', { ...options, proxied: true }).headers).toEqual({
    host: '127.0.0.1:8080',
    'x-forwarded-for': '203.0.113.7',
    'x-forwarded-host': 'bridge.example.com',
    'x-forwarded-proto': 'https',
  })
})

test('removes the path of the public address', () => {
  const options = { publicUrl: 'https://example.com/calls/', localUrl: 'http://127.0.0.1:8080', resolve: {} }
  const target = (url: string) => routeTo(url, { ...options, proxied: false }).target.href
  expect(target('wss://example.com/calls/twilio/media')).toBe('ws://127.0.0.1:8080/twilio/media')
  expect(target('wss://example.com/callsign')).toBe('ws://127.0.0.1:8080/callsign')
})
