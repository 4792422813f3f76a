import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { DAY_MS } from '../../../src/common/durations.ts'
import { systemWallClock, type WallClock } from '../../../src/common/wall-clock.ts'

/** The few parts of DER (ITU-T X.690) that a certificate needs. Each function returns one whole element. */

export function sequence(...elements: Uint8Array[]): Buffer {
  return element(0x30, ...elements)
}

function setOf(...elements: Uint8Array[]): Buffer {
  return element(0x31, ...elements)
}

/** `[n]` around whole elements. */
export function tagged(n: number, ...elements: Uint8Array[]): Buffer {
  return element(0xa0 | n, ...elements)
}

/** `[n]` instead of the type that bare `bytes` would have. */
function implicit(n: number, bytes: Uint8Array): Buffer {
  return element(0x80 | n, bytes)
}

/** A number above or equal to 0, as big-endian bytes of any length. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex(byte => byte !== 0)
  const digits = first < 0 ? new Uint8Array(1) : bytes.subarray(first)
  // The first bit is the sign.
  return (digits[0] ?? 0) & 0x80 ? element(0x02, Uint8Array.of(0), digits) : element(0x02, digits)
}

function truth(): Buffer {
  return element(0x01, Uint8Array.of(0xff))
}

function bitString(bytes: Uint8Array): Buffer {
  return element(0x03, Uint8Array.of(0), bytes)
}

function octetString(bytes: Uint8Array): Buffer {
  return element(0x04, bytes)
}

export function text(value: string): Buffer {
  return element(0x0c, Buffer.from(value, 'utf8'))
}

/** GeneralizedTime, in whole seconds of UTC. */
export function time(epochMs: number): Buffer {
  const digits = new Date(epochMs).toISOString().replace(/\.\d+Z$|[-:T]/g, '')
  return element(0x18, Buffer.from(`${digits}Z`, 'latin1'))
}

/** An object identifier in dotted notation: `1.2.840.10045.4.3.2`. */
function oid(dotted: string): Buffer {
  const [a = 0, b = 0, ...rest] = dotted.split('.').map(Number)
  return element(0x06, Uint8Array.from([a * 40 + b, ...rest].flatMap(base128)))
}

function base128(value: number): number[] {
  const digits = [value & 0x7f]
  for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80)
  return digits
}

function element(tag: number, ...contents: Uint8Array[]): Buffer {
  const content = Buffer.concat(contents)
  return Buffer.concat([Uint8Array.from([tag, ...lengthOf(content.length)]), content])
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length]
  const bytes: number[] = []
  for (let left = length; left > 0; left >>>= 8) bytes.unshift(left & 0xff)
  return [0x80 | bytes.length, ...bytes]
}

export interface SelfSignedOptions {
  /** Its names and IPv4 addresses. Default `localhost` and `127.0.0.1`. */
  hosts?: readonly string[]
  wallClock?: WallClock
}

/** ecdsa-with-SHA256 (RFC 5758). */
const SIGNATURE = sequence(oid('1.2.840.10045.4.3.2'))

/**
 * A key and its self-signed certificate (X.509 v3, RFC 5280), created on demand and never stored: a secret in the
 * sources would not be secret, and a program to create it could be missing. Valid from a day ago for a year.
 */
export class SelfSigned {
  /** The private key (PEM). */
  readonly key: string
  /** The certificate (PEM), its own authority. */
  readonly certificate: string

  constructor(options: SelfSignedOptions = {}) {
    const { hosts = ['localhost', '127.0.0.1'], wallClock = systemWallClock } = options
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const body = bodyOf(hosts, wallClock(), publicKey)
    const certificate = sequence(body, SIGNATURE, bitString(sign('sha256', body, privateKey)))
    this.key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    this.certificate = pemOf(certificate)
  }
}

function bodyOf(hosts: readonly string[], now: number, publicKey: KeyObject): Buffer {
  const serial = randomBytes(15)
  // Of two authorities with one name OpenSSL tries only the first: every certificate needs its own name.
  const commonName = `${hosts[0] ?? ''} ${serial.toString('hex', 0, 8)}`
  const name = sequence(setOf(sequence(oid('2.5.4.3'), text(commonName))))
  const validity = sequence(time(now - DAY_MS), time(now + 365 * DAY_MS))
  const extensions = sequence(
    sequence(oid('2.5.29.17'), octetString(sequence(...hosts.map(altName)))),
    sequence(oid('2.5.29.19'), truth(), octetString(sequence(truth()))),
  )
  return sequence(
    tagged(0, integer(Uint8Array.of(2))),
    // RFC 5280 requires serial numbers of at most 20 bytes, and above 0.
    integer(Buffer.concat([Uint8Array.of(1), serial])),
    SIGNATURE,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(3, extensions),
  )
}

/** dNSName [2] or iPAddress [7]. */
function altName(host: string): Buffer {
  return isIPv4(host)
    ? implicit(7, Uint8Array.from(host.split('.').map(Number)))
    : implicit(2, Buffer.from(host, 'latin1'))
}

function pemOf(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

/**
 * Makes this process trust `pem` in every TLS connection without its own authorities, until disposed. The voice library
 * opens its socket without any options, so there is no narrower way.
 */
export function trust(pem: string): Disposable {
  setDefaultCACertificates([...getCACertificates('default'), pem])
  return {
    [Symbol.dispose]: () =>
      setDefaultCACertificates(getCACertificates('default').filter(each => each.trim() !== pem.trim())),
  }
}
