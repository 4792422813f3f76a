import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, buildApp } from '../../../src/app.ts'
import type { Check } from '../../../src/commands/doctor/check.ts'
import { type EndToEndOptions, endToEnd } from '../../../src/commands/doctor/end-to-end.ts'
import { thisMachine } from '../../../src/commands/doctor/machine.ts'
import { type Config, type ConfigInput, loadConfig } from '../../../src/config.ts'
import { SelfSigned } from '../../../src/simulator/discord/voice/self-signed.ts'
import { trust } from '../../../src/simulator/discord/voice/trust.ts'
import { ScriptedService, silence, tones } from '../../../src/simulator/index.ts'
import { encodeWav } from '../../../src/transcode/wav.ts'
import { type ProxyFaults, TlsProxy } from '../../helpers/tls-proxy.ts'
import { sine } from '../../helpers/tone.ts'
import { until } from '../../helpers/until.ts'

const HOST = 'bridge.dragoman.example'
const PUBLIC = `https://${HOST}`
const TOKEN = '0123456789abcdef0123456789abcdef'
const DAY_MS = 86_400_000

type Overrides = NonNullable<Parameters<typeof loadConfig>[0]>['overrides']

const good = new SelfSigned({ hosts: [HOST] })
let folder: string
let audio: string
let known: Disposable

beforeAll(async () => {
  known = trust(good.certificate)
  folder = await mkdtemp(join(tmpdir(), 'dragoman-doctor-'))
  audio = join(folder, 'said.wav')
  await writeFile(audio, encodeWav(sine(600, 700), 16_000))
})
afterAll(async () => {
  known[Symbol.dispose]()
  await rm(folder, { recursive: true, force: true })
})

/** A server that runs, with a service that answers in tones, and a proxy before it. */
class Place implements AsyncDisposable {
  readonly service: ScriptedService
  readonly app: App
  readonly proxy: TlsProxy
  readonly port: number

  private constructor(service: ScriptedService, app: App, proxy: TlsProxy, port: number) {
    this.service = service
    this.app = app
    this.proxy = proxy
    this.port = port
  }

  static async open(
    faults: ProxyFaults,
    server: Overrides = {},
    answer = tones(),
    signed = good,
  ): Promise<Place> {
    const service = await ScriptedService.listen({ answer })
    const app = await buildApp(
      settings({ port: 0, service: { url: service.url, apiKey: service.apiKey }, ...server }),
    )
    const port = Number(new URL(await app.listen()).port)
    return new Place(service, app, await TlsProxy.listen(signed, () => port, faults), port)
  }

  /** What the doctor finds with the settings of the server, and others. */
  examine(
    options: EndToEndOptions = {},
    others: readonly Check[] = [],
    own: Overrides = {},
  ): Promise<Check[]> {
    const { url, apiKey } = this.service
    const config = settings({ port: this.port, service: { url, apiKey }, ...own })
    const call = { audio, patienceMs: 2_500, connectTo: this.proxy.address, ...options }
    return endToEnd(config, thisMachine, call, others)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.proxy[Symbol.asyncDispose]()
    await this.app.close()
    await this.service.close()
  }
}

function settings(overrides: Overrides): Config {
  const usual: Overrides = { host: '127.0.0.1', publicUrl: PUBLIC, twilio: { authToken: TOKEN } }
  return loadConfig({ env: {}, overrides: { ...usual, ...overrides } as Partial<ConfigInput> as Overrides })
}

describe.concurrent('a call by the public address', () => {
  test('is signed, connected, translated and heard, in a room of its own, and dials nobody', async () => {
    await using place = await Place.open({})
    const rooms = new Set<string>()
    const watch = setInterval(() => {
      for (const room of place.app.relay.rooms.keys()) rooms.add(room)
    }, 50)
    const checks = await place.examine()
    clearInterval(watch)
    expect(checks.map(({ name, status }) => [name, status])).toEqual([
      ['public address answers', 'ok'],
      ['Twilio signature', 'ok'],
      ['media stream', 'ok'],
      ['translated call', 'ok'],
    ])
    expect(checks[0]?.found).toMatch(/^a Dragoman; certificate good for 36[45] days$/)
    expect(checks[3]?.found).toMatch(/^en-us → es-es: heard \d\.\d s at -\d+ dBFS, \d\.\d s after the words$/)
    expect([...rooms]).toEqual([expect.stringMatching(/^doctor [0-9a-f-]{36}$/)])
    expect(place.app.dialler).toBeUndefined()
    await until(() => place.app.relay.legs === 0, 5_000, 'the end of the call')
  })

  test('is placed at the server itself where nothing is public', async () => {
    await using place = await Place.open({}, { publicUrl: undefined, twilio: { insecure: true } })
    const checks = await place.examine({ connectTo: undefined }, [], {
      publicUrl: undefined,
      twilio: { insecure: true },
    })
    expect(checks.map(({ name, status }) => [name, status])).toEqual([
      ['media stream', 'ok'],
      ['translated call', 'ok'],
    ])
  })

  test('is not placed where it is not wanted, or where no server runs', async () => {
    await using place = await Place.open({})
    expect((await place.examine({ call: false })).map(({ name }) => name)).toEqual([
      'public address answers',
      'Twilio signature',
    ])
    await place.app.close()
    expect(await place.examine()).toEqual([
      expect.objectContaining({
        name: 'public address answers',
        status: 'warn',
        found: expect.stringContaining('502'),
      }),
      expect.objectContaining({
        name: 'translated call',
        status: 'warn',
        mend: expect.stringContaining('dragoman serve'),
      }),
    ])
    expect(await place.examine({}, [], { publicUrl: undefined, twilio: { insecure: true } })).toEqual([
      expect.objectContaining({ name: 'translated call', status: 'warn' }),
    ])
  })
})

/** What is broken, the check that finds it, what it finds, and the mend. */
const BROKEN: [what: string, ProxyFaults, name: string, found: RegExp, mend: RegExp][] = [
  [
    'a proxy without a server',
    { answer: { status: 502 } },
    'public address answers',
    /reaches no server/,
    /pass requests on to http:\/\/127/,
  ],
  [
    'another website',
    { answer: { status: 404 } },
    'public address answers',
    /no Dragoman \(answered with 404\)/,
    /must come out at http:\/\/127/,
  ],
  [
    'a proxy that leaves its path on',
    { path: path => `/bridge${path}` },
    'public address answers',
    /no Dragoman/,
    /twilio\/… must come out/,
  ],
  [
    'a redirect',
    { answer: { status: 301, headers: { location: 'https://www.example.com/?secret' } } },
    'public address answers',
    /a redirect to https:\/\/www\.example\.com$/,
    /set publicUrl to the address it redirects to/,
  ],
  [
    'a password',
    { answer: { status: 401 } },
    'public address answers',
    /asks for a password/,
    /pass without one/,
  ],
  ['a firewall', { answer: { status: 403 } }, 'public address answers', /forbidden/, /let \/twilio\/ pass/],
  [
    'a proxy that knows one path alone',
    { hides: /twilio/ },
    'Twilio signature',
    /takes it, but not by way/,
    /pass on \/twilio\//,
  ],
  [
    'a proxy that drops the signature',
    { drops: ['x-twilio-signature'] },
    'Twilio signature',
    /takes it, but not by way/,
    /as they come/,
  ],
  [
    'no upgrades',
    { upgrades: 'as-requests' },
    'media stream',
    /not opened \(answered with \d+\)/,
    /proxy_http_version 1\.1/,
  ],
  ['upgrades that are refused', { upgrades: 400 }, 'media stream', /answered with 400/, /pass on upgrades/],
  [
    'upgrades that are forbidden',
    { upgrades: 403 },
    'media stream',
    /refused with 403/,
    /X-Twilio-Signature/,
  ],
  [
    'a proxy that cuts connections',
    { cutMs: 1_000 },
    'media stream',
    /cut while the call lasted/,
    /proxy_read_timeout/,
  ],
]

describe.concurrent('with a server that runs, and before it', () => {
  test.each(BROKEN)('%s, the doctor says so, and what to do', async (_what, faults, name, found, mend) => {
    await using place = await Place.open(faults)
    const checks = await place.examine()
    const failed = checks.filter(({ status }) => status !== 'ok')
    expect(failed).toEqual([
      { name, status: 'fail', found: expect.stringMatching(found), mend: expect.stringMatching(mend) },
    ])
    // Nobody's secret is shown.
    expect(JSON.stringify(checks)).not.toContain(TOKEN)
  })

  const ago = (days: number) => () => Date.now() - days * DAY_MS
  test.each([
    ['nobody knows', new SelfSigned({ hosts: [HOST] }), false, /nobody whom Twilio knows/, /Let’s Encrypt/],
    ['has expired', new SelfSigned({ hosts: [HOST], wallClock: ago(400) }), true, /has expired/, /renew it/],
    [
      'is for another name',
      new SelfSigned({ hosts: ['www.example.com'] }),
      true,
      /for another name/,
      /get one for bridge/,
    ],
  ])('a certificate that %s, the doctor says so', async (_what, signed, isKnown, found, mend) => {
    using _known = isKnown ? trust(signed.certificate) : undefined
    await using place = await Place.open({}, {}, tones(), signed)
    expect(await place.examine()).toEqual([
      {
        name: 'public address answers',
        status: 'fail',
        found: expect.stringMatching(found),
        mend: expect.stringMatching(mend),
      },
    ])
  })

  test('a certificate that is about to expire, the doctor warns', async () => {
    const signed = new SelfSigned({ hosts: [HOST], wallClock: ago(361) })
    using _known = trust(signed.certificate)
    await using place = await Place.open({}, {}, tones(), signed)
    expect((await place.examine({ call: false }))[0]).toMatchObject({ status: 'warn', mend: 'renew it' })
  })

  test('no TLS, nothing, or silence, the doctor says so', async () => {
    await using place = await Place.open({})
    const plain = await place.examine({ connectTo: `https://127.0.0.1:${place.port}` })
    expect(plain).toEqual([
      expect.objectContaining({ status: 'fail', found: expect.stringContaining('does not speak TLS') }),
    ])
    const nothing = await place.examine({ connectTo: 'https://127.0.0.1:9' })
    expect(nothing).toEqual([
      expect.objectContaining({
        status: 'fail',
        found: expect.stringMatching(/nothing listens at bridge.*ECONNREFUSED/),
      }),
    ])
    const around: typeof thisMachine = { ...thisMachine, knock: async () => ({ kind: 'silent' }) }
    const silent = await endToEnd(settings({ port: place.port }), around, {}, [])
    expect(silent).toEqual([
      expect.objectContaining({ status: 'fail', mend: expect.stringContaining('--connect-to') }),
    ])
  })

  test('a name that nobody has, the doctor says so, whether a server runs or not', async () => {
    const config = settings({ publicUrl: 'https://nobody.dragoman.invalid' })
    const checks = await endToEnd(config, { ...thisMachine, isDragoman: async () => false }, {}, [])
    expect(checks).toEqual([
      expect.objectContaining({
        status: 'fail',
        found: 'there is no host nobody.dragoman.invalid',
        mend: expect.stringContaining('DNS record'),
      }),
    ])
  })
})

describe.concurrent('with a way that is well, and', () => {
  test('settings that are not those of the server, the signature is refused', async () => {
    await using place = await Place.open({}, { publicUrl: 'https://old.dragoman.example' })
    const [reached, signature, ...more] = await place.examine()
    expect(reached?.status).toBe('ok')
    expect(signature).toMatchObject({
      name: 'Twilio signature',
      status: 'fail',
      found: expect.stringContaining('another publicUrl or auth token'),
      mend: expect.stringContaining('start the server again'),
    })
    expect(more).toEqual([])
    const other = await place.examine({}, [], { twilio: { authToken: 'ffffffffffffffffffffffffffffffff' } })
    expect(other[1]).toMatchObject({ name: 'Twilio signature', status: 'fail' })
  })

  test('a service that is away, only the own voice or a notice is heard', async () => {
    await using place = await Place.open({})
    await place.service.stop()
    const heard = (await place.examine()).at(-1)
    expect(heard).toMatchObject({
      name: 'translated call',
      status: 'fail',
      mend: expect.stringContaining('service is away'),
    })
    // What was found of the service before says it better.
    const why: Check = { name: 'service', status: 'fail', found: 'nothing answers', mend: 'start it' }
    expect((await place.examine({}, [why])).at(-1)).toMatchObject({
      status: 'fail',
      found: 'no translation was heard: service: nothing answers',
      mend: 'start it',
    })
  })

  test('a service without a voice, nothing is heard', async () => {
    await using place = await Place.open({}, {}, silence)
    expect((await place.examine()).at(-1)).toMatchObject({
      name: 'translated call',
      status: 'fail',
      found: expect.stringContaining('nothing was heard'),
      mend: expect.stringContaining('has no voice for es-es'),
    })
  })

  test('a server that takes nobody, the call is turned away', async () => {
    await using place = await Place.open({})
    void place.app.drain.begin()
    expect((await place.examine()).at(-1)).toMatchObject({
      name: 'media stream',
      status: 'fail',
      found: expect.stringContaining('turned the call away'),
      mend: expect.stringContaining('/ready'),
    })
  })

  test('a recording that is none, no call is placed', async () => {
    await using place = await Place.open({})
    expect((await place.examine({ audio: join(folder, 'nothing.wav') })).at(-1)).toMatchObject({
      status: 'fail',
      mend: 'mend --audio',
    })
  })
})
