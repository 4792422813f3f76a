import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SelfSigned, trust } from '../../../simulator/discord/voice/certificate.ts'
import { tones } from '../../../simulator/index.ts'
import { endToEnd } from '../../../src/cli/doctor/end-to-end.ts'
import { good, HOST, Place, settings, TOKEN } from '../../support/cli/doctor-harness.ts'
import type { ProxyFaults } from '../../support/tls-proxy.ts'

const DAY_MS = 86_400_000

let known: Disposable
beforeAll(() => {
  known = trust(good.certificate)
})
afterAll(() => known[Symbol.dispose]())

/** The problem, the check that detects it, the finding and the fix. */
const BROKEN: [what: string, ProxyFaults, name: string, found: RegExp, fix: RegExp][] = [
  [
    'a proxy without a server',
    { answer: { status: 502 } },
    'public address answers',
    /cannot reach the server/,
    /forward requests to http:\/\/127/,
  ],
  [
    'another website',
    { answer: { status: 404 } },
    'public address answers',
    /not a Dragoman server \(answered with 404\)/,
    /must be forwarded to http:\/\/127/,
  ],
  [
    'a proxy that keeps its path prefix',
    { path: path => `/bridge${path}` },
    'public address answers',
    /not a Dragoman server/,
    /twilio\/… must be forwarded/,
  ],
  [
    'a redirect',
    { answer: { status: 301, headers: { location: 'https://www.example.com/?secret' } } },
    'public address answers',
    /a redirect to https:\/\/www\.example\.com$/,
    /set publicUrl to the redirect target/,
  ],
  [
    'a password',
    { answer: { status: 401 } },
    'public address answers',
    /requires a password/,
    /exempt \/twilio\//,
  ],
  [
    'a firewall',
    { answer: { status: 403 } },
    'public address answers',
    /rejected by the proxy/,
    /allow \/twilio\//,
  ],
  [
    'a proxy that forwards only one path',
    { hides: /twilio/ },
    'Twilio signature',
    /accepts it, but not through/,
    /forward \/twilio\//,
  ],
  [
    'a proxy that drops the signature',
    { drops: ['x-twilio-signature'] },
    'Twilio signature',
    /accepts it, but not through/,
    /unchanged/,
  ],
  [
    'no upgrades',
    { upgrades: 'as-requests' },
    'media stream',
    /not opened \(answered with \d+\)/,
    /proxy_http_version 1\.1/,
  ],
  ['upgrades that are refused', { upgrades: 400 }, 'media stream', /answered with 400/, /forward upgrades/],
  [
    'upgrades that are forbidden',
    { upgrades: 403 },
    'media stream',
    /rejected with 403/,
    /X-Twilio-Signature/,
  ],
]

describe('with and without a running server', () => {
  test.each(BROKEN)('%s: the doctor reports it and its fix', async (_what, faults, name, found, mend) => {
    await using place = await Place.open(faults)
    const checks = await place.examine()
    const failed = checks.filter(({ status }) => status !== 'ok')
    expect(failed).toEqual([
      { name, status: 'fail', found: expect.stringMatching(found), fix: expect.stringMatching(mend) },
    ])
    // No secrets are shown.
    expect(JSON.stringify(checks)).not.toContain(TOKEN)
  })

  const ago = (days: number) => () => Date.now() - days * DAY_MS
  test.each([
    ['no CA signed', new SelfSigned({ hosts: [HOST] }), false, /not signed by a public CA/, /Let’s Encrypt/],
    ['has expired', new SelfSigned({ hosts: [HOST], wallClock: ago(400) }), true, /has expired/, /renew it/],
    [
      'is for another name',
      new SelfSigned({ hosts: ['www.example.com'] }),
      true,
      /for another name/,
      /get one for bridge/,
    ],
  ])('a certificate that %s is reported', async (_what, signed, isKnown, found, mend) => {
    using _known = isKnown ? trust(signed.certificate) : undefined
    await using place = await Place.open({}, {}, tones(), signed)
    expect(await place.examine()).toEqual([
      {
        name: 'public address answers',
        status: 'fail',
        found: expect.stringMatching(found),
        fix: expect.stringMatching(mend),
      },
    ])
  })

  test('a certificate that is about to expire causes a warning', async () => {
    const signed = new SelfSigned({ hosts: [HOST], wallClock: ago(361) })
    using _known = trust(signed.certificate)
    await using place = await Place.open({}, {}, tones(), signed)
    expect((await place.examine({ call: false }))[0]).toMatchObject({ status: 'warn', fix: 'renew it' })
  })

  test('missing TLS and a closed port are reported', async () => {
    await using place = await Place.open({})
    const plain = await place.examine({ connectTo: `https://127.0.0.1:${place.port}` })
    expect(plain).toEqual([
      expect.objectContaining({ status: 'fail', found: expect.stringContaining('TLS is not compatible') }),
    ])
    const nothing = await place.examine({ connectTo: 'https://127.0.0.1:9' })
    expect(nothing).toEqual([
      expect.objectContaining({
        status: 'fail',
        found: expect.stringMatching(/nothing listens at bridge.*ECONNREFUSED/),
      }),
    ])
  })

  test('a host name that does not exist is reported', async () => {
    const config = settings({ port: 0, publicUrl: 'https://nobody.dragoman.invalid' })
    const checks = await endToEnd(config, {}, [])
    expect(checks).toEqual([
      expect.objectContaining({
        status: 'fail',
        found: 'the host nobody.dragoman.invalid does not exist',
        fix: expect.stringContaining('DNS record'),
      }),
    ])
  })
})
