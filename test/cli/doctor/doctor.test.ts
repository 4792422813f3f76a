import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import {
  type Check,
  type DoctorEnvironment,
  doctor,
  exitCode,
  renderChecks,
  settingsToExamine,
} from '../../../src/cli/doctor/doctor.ts'
import { localEnvironment } from '../../../src/cli/doctor/machine.ts'
import type { ConfigInput } from '../../../src/config/load.ts'
import { ServiceClientError } from '../../../src/service/client/errors.ts'
import { soundMachine as machine } from '../../support/cli/healthy-environment.ts'

const TOKEN = '0123456789abcdef0123456789abcdef'
const complete: Overrides = {
  host: '127.0.0.1',
  publicUrl: 'https://bridge.example.com',
  twilio: { authToken: TOKEN },
}
type Overrides = NonNullable<Parameters<typeof settingsToExamine>[0]>['overrides'] & Partial<ConfigInput>

async function examine(overrides: Overrides, around = machine()): Promise<Check[]> {
  const sources = { env: {}, overrides: { stateFile: 'no such file', ...overrides } }
  return await doctor(settingsToExamine(sources), around)
}

async function finding(name: string, overrides: Overrides, around?: DoctorEnvironment): Promise<Check> {
  const checks = await examine(overrides, around)
  const found = checks.find(check => check.name === name)
  if (!found) throw new Error(`no check ${name} among ${checks.map(check => check.name).join(', ')}`)
  return found
}

describe('doctor', () => {
  it('reports no problems in a valid setup', async () => {
    const checks = await examine(complete)
    expect(checks.filter(check => check.status !== 'ok')).toEqual([])
    expect(checks.map(check => check.name)).toEqual([
      'Node',
      'settings',
      'port',
      'speech recognition',
      'translation',
      'voices',
      'transcription: pocketsphinx',
      'translation: apertium',
      'synthesis: espeak',
      'service',
      'session',
      'en-us → es-es',
      'public address',
      'Twilio auth token',
      'numbers',
      'control API',
      'public address answers',
      'Twilio signature',
      'media stream',
      'translated call',
    ])
    expect(exitCode(checks)).toBe(0)
    expect(renderChecks(checks)).toMatch(/^✓ Node .*24\.21\.0\n[\s\S]*\n20 ok, 0 warnings, 0 failed$/)
  })

  it('passes without a Twilio account, and reports this', async () => {
    const checks = await examine({})
    expect(checks.filter(check => check.status === 'warn').map(check => check.name)).toEqual([
      'public address',
      'Twilio auth token',
    ])
    expect(exitCode(checks)).toBe(0)
  })

  it('reports each wrong setting', async () => {
    const env = { DRAGOMAN_PORTT: '1', DRAGOMAN_LOG_LEVEL: 'loud' }
    const checks = await doctor(settingsToExamine({ env }), machine())
    expect(checks.slice(1)).toEqual([
      expect.objectContaining({
        status: 'fail',
        fix: expect.stringContaining('did you mean DRAGOMAN_PORT?'),
      }),
      expect.objectContaining({ status: 'fail', found: 'DRAGOMAN_LOG_LEVEL: log.level: "loud"' }),
    ])
    expect(exitCode(checks)).toBe(1)
  })

  it.each<[string, Overrides, Partial<DoctorEnvironment>, Partial<Check>]>([
    ['Node', {}, { nodeVersion: '20.20.2' }, { status: 'fail', fix: expect.stringContaining('Node 24') }],
    ['Node', {}, { nodeVersion: '24.0.0' }, { status: 'ok' }],
    [
      'port',
      {},
      { listen: async () => 'EADDRINUSE' },
      { status: 'ok', found: expect.stringContaining('running') },
    ],
    [
      'port',
      {},
      { listen: async () => 'EADDRINUSE', isDragoman: async () => false },
      { status: 'fail', fix: expect.stringContaining('DRAGOMAN_PORT') },
    ],
    [
      'plain HTTP',
      { ...complete, host: '0.0.0.0' },
      {},
      { status: 'warn', fix: expect.stringContaining('host: 127.0.0.1') },
    ],
    [
      'plain HTTP',
      { ...complete, host: '192.0.2.7', trustProxy: ['loopback'] },
      {},
      { status: 'warn', found: expect.stringContaining('192.0.2.7:8080') },
    ],
    ['port', { port: 80 }, { listen: async () => 'EACCES' }, { status: 'fail' }],
    [
      'speech recognition',
      {},
      { loadLibrary: async name => `no ${name}` },
      {
        status: 'fail',
        fix: expect.stringContaining('apt-get install --no-install-recommends libpocketsphinx3'),
      },
    ],
    ['speech recognition', {}, { exists: async path => !path.endsWith('mdef') }, { status: 'fail' }],
    [
      'translation',
      {},
      { list: async () => [] },
      { status: 'fail', fix: expect.stringContaining('apertium') },
    ],
    [
      'voices',
      {},
      { ask: async () => undefined },
      { status: 'fail', fix: expect.stringContaining('espeak-ng') },
    ],
    ['voices', { embedded: { engines: { espeak: { enabled: false } } } }, {}, { status: 'warn' }],
    ['service key', { service: { url: 'https://s.example.com' } }, {}, { status: 'warn' }],
    [
      'service',
      { service: { url: 'https://s.example.com', apiKey: 'x' } },
      {
        service: async () => {
          throw ServiceClientError.told({ code: 'unauthorized', error: 'key_wrong', description: 'no' })
        },
      },
      {
        status: 'fail',
        found: 'https://s.example.com: the key was refused (unauthorized/key_wrong: no)',
        fix: expect.stringContaining('apiKey'),
      },
    ],
    [
      'fr-fr → es-es',
      { languages: { speaks: 'fr-fr' } },
      {},
      { status: 'fail', fix: 'choose one of en-us, or another service' },
    ],
    [
      'en-us → es-mx',
      { languages: { hears: 'es-mx' } },
      {},
      { status: 'fail', fix: 'choose one of es-es, or another service' },
    ],
    [
      'es-es → en-us',
      {
        twilio: {
          numbers: {
            '+15551230001': { room: 'a' },
            '+15551230002': { speaks: 'es-es', hears: 'en-us', room: 'a' },
          },
        },
      },
      {},
      { status: 'fail', found: 'the service does not transcribe es-es (room a)' },
    ],
    ['public address', { ...complete, publicUrl: 'https://192.168.1.5' }, {}, { status: 'fail' }],
    [
      'public address',
      { ...complete, publicUrl: 'https://x.example.com/twilio/voice' },
      {},
      { status: 'fail', fix: 'remove the path: https://x.example.com' },
    ],
    [
      'public address answers',
      complete,
      { isDragoman: async () => false, probe: async () => ({ kind: 'silent' }) },
      { status: 'warn' },
    ],
    ['Twilio auth token', { publicUrl: 'https://x.example.com' }, {}, { status: 'fail' }],
    ['Twilio auth token', { twilio: { authToken: 'short' } }, {}, { status: 'warn' }],
    ['Twilio auth token', { twilio: { insecure: true } }, {}, { status: 'warn' }],
    [
      'numbers',
      {
        twilio: {
          authToken: TOKEN,
          outbound: { accountSid: `AC${'x'.repeat(32)}`, from: '+15551230003', allowedPrefixes: ['+1212'] },
          numbers: {
            '+15551230001': { speaks: 'es-es', dial: { to: '+12125550123', speaks: 'en-us' } },
            '+15551230002': { menu: { languages: ['en-us', 'es-es'] }, roomCode: true },
          },
        },
        publicUrl: 'https://x.example.com',
      },
      {},
      {
        found:
          '+15551230001 es-es, calls a number that speaks en-us; +15551230002 asks for en-us or es-es, room by code; others en-us → es-es',
      },
    ],
  ])('%s with %j', async (name, overrides, changes, expected) => {
    const check = await finding(name, overrides, machine(changes))
    expect(check).toMatchObject(expected)
    expect(check.status === 'ok' || check.fix !== '').toBe(true)
  })

  it('opens a session for the first pair that the service supports, and reports why it cannot', async () => {
    const around = machine()
    const service = {
      ...(await around.service(settingsToExamine({ env: {} }) as never)),
      session: async (from: string, to: string) => {
        throw ServiceClientError.told({
          code: 'limit',
          error: 'sessions_taken',
          description: `${from} ${to}`,
        })
      },
    }
    const check = await finding('session', {}, { ...around, service: async () => service })
    expect(check).toMatchObject({ status: 'fail', found: 'en-us → es-es: limit/sessions_taken: en-us es-es' })
  })

  it('never shows a secret', async () => {
    const secret = 'hunter2hunter2'
    const checks = await examine({
      publicUrl: 'https://x.example.com',
      service: { url: 'https://s.example.com', apiKey: secret },
      twilio: { authToken: secret },
    })
    expect(JSON.stringify(checks) + renderChecks(checks)).not.toContain(secret)
  })
})

describe('the environment of this machine', () => {
  it('detects free and used ports', async () => {
    const server = createServer()
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    expect(await localEnvironment.listen('127.0.0.1', port)).toBe('EADDRINUSE')
    await new Promise(resolve => server.close(resolve))
    expect(await localEnvironment.listen('127.0.0.1', port)).toBeUndefined()
    expect(await localEnvironment.isDragoman(`http://127.0.0.1:${port}`)).toBe(false)
  })

  it('distinguishes the bridge from the translation service, which is healthy as well', async () => {
    let health: object = { status: 'ok', sessions: 0 }
    const server = createHttpServer((_request, response) => response.end(JSON.stringify(health)))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
    expect(await localEnvironment.isDragoman(url)).toBe(false)
    health = { status: 'ok', name: 'dragoman' }
    expect(await localEnvironment.isDragoman(url)).toBe(true)
    server.close()
  })

  it('finds programs, libraries and folders', async () => {
    expect(await localEnvironment.ask(process.execPath, ['--version'])).toBe(process.version)
    expect(await localEnvironment.ask('no-such-program', [])).toBeUndefined()
    expect(await localEnvironment.loadLibrary('libno-such-library.so')).toEqual(expect.any(String))
    expect(await localEnvironment.list('/no/such/folder')).toEqual([])
    expect(await localEnvironment.exists(import.meta.filename)).toBe(true)
    expect(await localEnvironment.exists('/no/such/file')).toBe(false)
  })
})

describe('doctor, with another carrier than Twilio', () => {
  const publicKey = Buffer.alloc(32, 7).toString('base64')
  const telnyx = { ...complete, twilio: {}, telnyx: { publicKey } }

  it('checks its credentials instead of Twilio’s', async () => {
    const checks = await examine(telnyx)
    expect(checks.find(({ name }) => name === 'Telnyx publicKey')?.status).toBe('ok')
    expect(checks.filter(({ name, status }) => name.startsWith('Twilio') && status === 'fail')).toEqual([])
  })

  it('checks both if both are configured', async () => {
    const names = (await examine({ ...telnyx, twilio: { authToken: TOKEN } })).map(({ name }) => name)
    expect(names).toContain('Telnyx publicKey')
    expect(names).toContain('Twilio auth token')
  })
})
