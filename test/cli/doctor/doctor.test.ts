import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ScriptedService } from '../../../simulator/index.ts'
import { doctor, exitCode, renderChecks, settingsToExamine } from '../../../src/cli/doctor/doctor.ts'
import { nodeCheck } from '../../../src/cli/doctor/machine-checks.ts'
import { failure } from '../../../src/cli/doctor/service-checks.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import { ServiceClientError } from '../../../src/service/client/errors.ts'
import { catalog, type Overrides } from '../../support/cli/doctor-harness.ts'
import { guarded, KEY, TOKEN } from '../../support/security/guarded.ts'

let service: ScriptedService
let folder: string
beforeAll(async () => {
  service = await ScriptedService.listen({ http: catalog })
  folder = await mkdtemp(join(tmpdir(), 'dragoman-doctor-'))
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

/** The findings without a test call; the service translates English into Spanish. */
async function examine(overrides: Overrides = {}) {
  const usual: Overrides = {
    ...{ host: '127.0.0.1', port: 0, stateFile: join(folder, 'none') },
    service: { url: service.url, apiKey: service.apiKey },
  }
  const config = settingsToExamine({ env: {}, overrides: { ...usual, ...overrides } })
  return await doctor(config, { call: false })
}

/** A server on loopback; closed after the test. */
async function listening(answer: RequestListener): Promise<number> {
  const server = createServer(answer)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const answering = (status: number) => listening((_request, response) => response.writeHead(status).end())

describe('doctor', () => {
  it('passes without an account, and warns of it', async () => {
    const checks = await examine()
    expect(checks.map(({ name, status }) => `${status} ${name}`)).toEqual([
      'ok Node',
      'ok settings',
      'ok port',
      'ok service',
      'ok session',
      'ok en-us → es-es',
      'warn public address',
      'warn Twilio auth token',
      'ok control API',
    ])
    expect(exitCode(checks)).toBe(0)
    expect(renderChecks(checks)).toMatch(/^✓ Node .*\d\n[\s\S]*\n +→ [\s\S]*\n7 ok, 2 warnings, 0 failed$/)
  })

  it('reports each wrong setting', async () => {
    const env = { DRAGOMAN_PORTT: '1', DRAGOMAN_LOG_LEVEL: 'loud' }
    const checks = await doctor(settingsToExamine({ env }))
    expect(checks.slice(1)).toMatchObject([
      { status: 'fail', fix: expect.stringContaining('did you mean DRAGOMAN_PORT?') },
      { status: 'fail', found: 'DRAGOMAN_LOG_LEVEL: log.level: "loud"' },
    ])
    expect(exitCode(checks)).toBe(1)
  })

  it('reports an old Node', () => {
    expect(nodeCheck('20.20.2')).toMatchObject({ status: 'fail', fix: expect.stringContaining('Node 24') })
    expect(nodeCheck('24.0.0').status).toBe('ok')
  })

  const PUBLIC: Overrides = { publicUrl: 'https://bridge.invalid', twilio: { authToken: TOKEN } }
  const NUMBERS = {
    '+15551230001': { room: 'a' },
    '+15551230002': { speaks: 'es-es', hears: 'en-us', room: 'a' },
  }
  it.each<[name: string, Overrides, status: string, found: string, fix: string]>([
    [
      'plain HTTP',
      { ...PUBLIC, host: '0.0.0.0' },
      'warn',
      '0.0.0.0:0 is open to everyone',
      'host: 127.0.0.1',
    ],
    ['port', { host: '192.0.2.7' }, 'fail', 'EADDRNOTAVAIL', 'an address of this machine'],
    ['service', { service: { url: 'http://127.0.0.1:9' } }, 'fail', '127.0.0.1:9', 'check service.url'],
    ['fr-fr → es-es', { languages: { speaks: 'fr-fr' } }, 'fail', 'transcribe fr-fr', 'choose one of en-us,'],
    ['en-us → es-mx', { languages: { hears: 'es-mx' } }, 'fail', 'into es-mx', 'choose one of es-es,'],
    ['es-es → en-us', { twilio: { numbers: NUMBERS } }, 'fail', 'transcribe es-es (room a)', 'choose one of'],
    ['public address', { ...PUBLIC, publicUrl: 'https://192.168.1.5' }, 'fail', '192.168.1.5', 'public host'],
    [
      'public address',
      { ...PUBLIC, publicUrl: 'https://x.invalid/twilio/voice' },
      'fail',
      'https://x.invalid/twilio/voice',
      'remove the path: https://x.invalid',
    ],
    ['Twilio auth token', { publicUrl: 'https://x.invalid' }, 'fail', 'none', 'DRAGOMAN_TWILIO_AUTH_TOKEN'],
    ['Twilio auth token', { twilio: { authToken: 'short' } }, 'warn', '1 of 1', 'twilio.authToken'],
    ['Twilio auth token', { twilio: { insecure: true } }, 'warn', 'insecure', 'twilio.authToken'],
    ['Telnyx publicKey', { telnyx: { publicKey: Buffer.alloc(32, 7).toString('base64') } }, 'ok', 'set', ''],
    ['Discord token', { discord: { autoJoin: ['123456789012345678'] } }, 'fail', 'none', 'discord.token'],
    ['traces', { tracing: { url: 'http://127.0.0.1:9' } }, 'warn', 'no collector answers', 'tracing.url'],
  ])('%s with %j', async (name, overrides, status, found, fix) => {
    const check = (await examine(overrides)).find(each => each.name === name)
    expect(check).toEqual({
      ...{ name, status },
      found: expect.stringContaining(found),
      fix: expect.stringContaining(fix),
    })
  })

  it('reports a key that the service refuses, and checks every fallback with its own key', async () => {
    const checks = await examine({
      service: {
        url: service.url,
        apiKey: 'wrong',
        fallbacks: [{ url: service.url, apiKey: service.apiKey }, { url: 'http://127.0.0.1:9' }],
      },
    })
    expect(checks.filter(({ name }) => /service$/.test(name))).toMatchObject([
      {
        name: 'service',
        status: 'fail',
        found: expect.stringContaining('the key was refused'),
        fix: /apiKey/,
      },
      { name: 'fallback 1 service', status: 'ok' },
      { name: 'fallback 2 service', status: 'fail' },
    ])
  })

  it('never shows a secret', async () => {
    const secret = 'hunter2hunter2'
    const checks = await examine({
      service: { url: 'http://127.0.0.1:9', apiKey: secret },
      twilio: { authToken: secret },
      ...hook(`http://127.0.0.1:${await answering(500)}/${secret}`, secret.repeat(2)),
    })
    expect(JSON.stringify(checks) + renderChecks(checks)).not.toContain(secret)
  })
})

function hook(url: string, secret = 'a-secret-known-to-both'): Overrides {
  return { webhooks: [{ url, secret, name: 'bills', includeTexts: true }] }
}

describe('doctor, with a server on the port', () => {
  const control = { keys: [{ name: 'desk', key: KEY }] }

  it('recognizes a bridge, and checks that it accepts the control keys', async () => {
    const { port } = await guarded()
    const found = async (keys = control.keys) =>
      (await examine({ port, control: { keys } })).filter(({ name }) => /port|control/.test(name))
    expect(await found()).toMatchObject([
      { status: 'ok', found: `127.0.0.1:${port}: a Dragoman server is running there` },
      { status: 'ok', found: 'ready for desk' },
    ])
    const [, other] = await found([{ name: 'desk', key: KEY.toUpperCase() }])
    expect(other).toMatchObject({ status: 'warn', fix: 'restart it' })
    expect(JSON.stringify(other)).not.toContain(KEY.toUpperCase())
  })

  it('distinguishes it from the translation service, which is healthy as well', async () => {
    const port = await listening((_request, response) => response.end('{"status":"ok","sessions":0}'))
    const checks = await examine({ port, control })
    expect(checks.filter(({ name }) => /port|control/.test(name))).toMatchObject([
      { status: 'fail', fix: expect.stringContaining('DRAGOMAN_PORT') },
      { status: 'ok', found: 'ready for desk once the server runs' },
    ])
  })
})

describe('doctor, of other servers', () => {
  it.each([
    [200, 'ok', 'responds'],
    [405, 'ok', 'events are signed'],
    [308, 'fail', 'a redirect'],
    [502, 'warn', '502'],
  ])('a webhook receiver that answers %i: %s', async (code, status, found) => {
    const methods: (string | undefined)[] = []
    const port = await listening((request, response) => {
      methods.push(request.method)
      response.writeHead(code, { location: '/elsewhere' }).end()
    })
    const check = (await examine(hook(`http://127.0.0.1:${port}/hook`))).find(({ name }) =>
      /webhook/.test(name),
    )
    expect(check).toMatchObject({ status, found: expect.stringContaining(found) })
    expect(methods).toEqual(['HEAD'])
  })

  it('a webhook receiver that does not run is reported', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await new Promise(resolve => server.close(resolve))
    const check = (await examine(hook(`http://127.0.0.1:${port}/hook`))).find(({ name }) =>
      /webhook/.test(name),
    )
    expect(check).toMatchObject({ status: 'fail', found: `nothing answers at 127.0.0.1:${port}` })
  })

  it.each([
    [405, 'ok'],
    [404, 'warn'],
  ])('a trace collector that answers %i: %s', async (code, status) => {
    const url = `http://127.0.0.1:${await answering(code)}`
    expect((await examine({ tracing: { url } })).find(({ name }) => name === 'traces')).toMatchObject({
      status,
    })
  })
})

describe('doctor, of folders and files', () => {
  it('reports folders that cannot be written to', async () => {
    await writeFile(join(folder, 'file'), '')
    const found = async (name: string) => {
      const place = join(folder, name)
      const checks = await examine({
        recording: { mode: 'asked', folder: place },
        transcripts: { store: 'disk', folder: place },
      })
      return checks.slice(-2).map(({ name, status, found }) => [name, status, found])
    }
    const made = join(folder, 'to/be/made')
    expect(await found('to/be/made')).toEqual([
      ['recordings', 'ok', `${made} is writable`],
      ['transcripts', 'ok', `${made} is writable`],
    ])
    expect((await found('file/below'))[0]).toEqual([
      ...['recordings', 'fail'],
      `${join(folder, 'file/below')} is not writable: ENOTDIR`,
    ])
  })

  it.skipIf(process.getuid?.() === 0)('reports a folder of another user', async () => {
    const place = join(folder, 'closed')
    await mkdir(place)
    await chmod(place, 0o500)
    const checks = await examine({ recording: { mode: 'asked', folder: place } })
    expect(checks.at(-1)).toMatchObject({ status: 'fail', found: expect.stringContaining('EACCES') })
  })
})

it.each([
  [ServiceClientError.found('unreachable/connection_failed', 'cannot reach it'), 'check that it is running'],
  [ServiceClientError.found('timeout/no_reply', 'no response'), 'check that it is running'],
  [ServiceClientError.found('protocol/not_json', 'a page'), 'check that service.url'],
  [ServiceClientError.told({ description: 'forbidden' }, { status: 403 }), 'service.apiKey'],
  [ServiceClientError.told({ code: 'limit', error: 'sessions_taken', description: 'full' }), 'see the log'],
  [new BridgeError('CONFIG', 'port is wrong'), 'below embedded'],
  [new BridgeError('SERVICE_UNREACHABLE', 'it died'), 'see the log'],
])('suggests a fix for %s', (error, fix) => {
  expect(failure('service', error, 'https://s.example.com')).toMatchObject({
    status: 'fail',
    fix: expect.stringContaining(fix),
  })
})
