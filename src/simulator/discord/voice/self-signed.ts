import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'
import { systemWallClock, type WallClock } from '../../../common/wall-clock.ts'
import {
  bitString,
  implicit,
  integer,
  octetString,
  oid,
  sequence,
  setOf,
  tagged,
  text,
  time,
  truth,
} from './der.ts'

export interface SelfSignedOptions {
  /** Its names and IPv4 addresses. Default `localhost` and `127.0.0.1`. */
  hosts?: readonly string[]
  wallClock?: WallClock
}

const DAY_MS = 86_400_000
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
