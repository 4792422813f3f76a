import { X509Certificate } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { connect, createServer, getCACertificates } from 'node:tls'
import { expect, it } from 'vitest'
import { SelfSigned, trust } from '../../../../src/simulator/discord/voice/certificate.ts'

it('creates a certificate that Node reads, valid for its hosts and days only', () => {
  const now = Date.UTC(2030, 1, 3, 4, 5, 6)
  const { key, certificate } = new SelfSigned({ hosts: ['example.test', '10.1.2.3'], wallClock: () => now })
  const read = new X509Certificate(certificate)
  expect(read.subject).toMatch(/^CN=example\.test [0-9a-f]{16}$/)
  expect(read.issuer).toBe(read.subject)
  expect(read.subjectAltName).toBe('DNS:example.test, IP Address:10.1.2.3')
  expect(read.ca).toBe(true)
  expect(read.verify(read.publicKey)).toBe(true)
  expect(read.validFromDate).toEqual(new Date(now - 86_400_000))
  expect(read.validToDate).toEqual(new Date(now + 365 * 86_400_000))
  expect(key).toContain('PRIVATE KEY')
  expect(new SelfSigned().certificate).not.toBe(new SelfSigned().certificate)
})

/** Connects without any options; returns the error, or undefined. */
async function attempt(host: string, port: number): Promise<string | undefined> {
  return new Promise(settle => {
    const socket = connect({ host, port }, () => settle(undefined))
    socket.on('error', error => settle('code' in error ? String(error.code) : error.message))
    socket.on('secureConnect', () => socket.destroy())
  })
}

it('is trusted by this process until disposed, in addition to all others', async () => {
  const { key, certificate } = new SelfSigned()
  const server = createServer({ key, cert: certificate }, socket => socket.on('error', () => {}))
  await new Promise<void>(settle => server.listen(0, '127.0.0.1', settle))
  const { port } = server.address() as AddressInfo
  const trusted = () =>
    new Set(getCACertificates('default').map(pem => new X509Certificate(pem).fingerprint256))
  const before = trusted()
  expect(await attempt('127.0.0.1', port)).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
  {
    using _ = trust(certificate)
    const another = trust(new SelfSigned().certificate)
    expect(await attempt('127.0.0.1', port)).toBeUndefined()
    expect(await attempt('localhost', port)).toBeUndefined()
    another[Symbol.dispose]()
    expect(await attempt('127.0.0.1', port)).toBeUndefined()
  }
  expect(await attempt('127.0.0.1', port)).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
  const added = [...trusted()].filter(each => !before.has(each))
  expect([trusted().size, added.length]).toEqual([before.size, 0])
  await new Promise(settle => server.close(settle))
})
