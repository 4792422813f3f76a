import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isLocalRequest, isLoopback, reachableUrl } from '../../src/net/client-address.ts'
import { exchanged } from '../support/security/raw.ts'

const server = createServer((request, response) => response.end(`here: ${isLocalRequest(request)}`))
let port = 0
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => server.close())

/** The server's response to a request with these header lines. */
async function asked(host: string, lines: readonly string[] = [], version = '1.1'): Promise<string> {
  const head = [`GET / HTTP/${version}`, `Host: ${host}`, 'Connection: close', ...lines].join('\r\n')
  return /here: (\w+)/.exec(await exchanged(port, `${head}\r\n\r\n`))?.[1] ?? ''
}

test('a host is on this machine by its name or address, as in a URL or a setting', () => {
  for (const host of ['localhost', '127.0.0.1', '127.8.9.10', '::1', '[::1]'])
    expect(isLoopback(host), host).toBe(true)
  for (const host of [
    '',
    '0.0.0.0',
    '::',
    '[::2]',
    '[::1',
    '1127.0.0.1',
    '127.evil.example',
    'localhost.evil.example',
  ])
    expect(isLoopback(host), host).toBe(false)
})

test.each([
  ['0.0.0.0', 'http://127.0.0.1:80'],
  ['::', 'http://127.0.0.1:80'],
  ['::1', 'http://[::1]:80'],
  ['10.0.0.1', 'http://10.0.0.1:80'],
  ['localhost', 'http://localhost:80'],
])('a server that listens at %s is reached at %s', (host, url) => expect(reachableUrl(host, 80)).toBe(url))

describe('a request from this machine', () => {
  test('is one from a local program for a local name', async () => {
    for (const host of ['localhost', `localhost:${port}`, `127.0.0.1:${port}`, '127.8.9.10', '[::1]:80'])
      expect(await asked(host), host).toBe('true')
  })

  test('is not one for another name: a page of another site, whose name resolves here', async () => {
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1', ''])
      expect(await asked(host), host).toBe('false')
  })

  test('is not one from a proxy or tunnel, with any header or none', async () => {
    for (const line of [
      'X-Forwarded-For: 127.0.0.1',
      'X-Forwarded-Host: localhost',
      'X-Forwarded-Proto: https',
      'Forwarded: for=127.0.0.1',
      'Via: 1.1 a',
      'X-Real-IP: 127.0.0.1',
      'CF-Connecting-IP: 198.51.100.7',
      'x-client-ip:',
      // Envoy without use_remote_address, and headers that others add.
      'X-Envoy-External-Address: 198.51.100.7',
      'X-Envoy-Expected-Rq-Timeout-Ms: 15000',
      'X-Request-Id: 5f0b9c',
      'X-Original-Forwarded-For: 198.51.100.7',
      'X-Azure-ClientIP: 198.51.100.7',
      'X-Amzn-Trace-Id: Root=1-2',
      'X-Cloud-Trace-Context: 1/2',
      'CF-Ray: 1',
      'Fly-Client-IP: 198.51.100.7',
      'Fastly-Client-IP: 198.51.100.7',
      'True-Client-IP: 198.51.100.7',
      'Tailscale-User-Login: a',
    ])
      expect(await asked('localhost', [line]), line).toBe('false')
    // As sent by nginx with only `proxy_pass` configured.
    expect(await asked(`127.0.0.1:${port}`, [], '1.0')).toBe('false')
  })

  test('is one from local programs with their own headers: Prometheus, simulated phones, a page', async () => {
    for (const line of [
      'X-Prometheus-Scrape-Timeout-Seconds: 10',
      'X-Twilio-Signature: a',
      'X-SignalWire-Signature: a',
      'X-Plivo-Signature-V3: a',
      'X-API-Key: a',
      'X-Requested-With: XMLHttpRequest',
      'Authorization: Bearer a',
      'Sec-Fetch-Site: same-origin',
      'traceparent: 00-1-2-01',
      'DNT: 1',
    ])
      expect(await asked('localhost', [line]), line).toBe('true')
  })

  test('is not one from another address', () => {
    const request = (remoteAddress: string | undefined) =>
      ({ headers: { host: 'localhost' }, httpVersion: '1.1', socket: { remoteAddress } }) as IncomingMessage
    for (const address of ['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'])
      expect(isLocalRequest(request(address)), address).toBe(true)
    for (const address of ['10.0.0.1', '::ffff:10.0.0.1', '128.0.0.1', '2001:db8::1', '::2', undefined])
      expect(isLocalRequest(request(address)), address).toBe(false)
  })
})
