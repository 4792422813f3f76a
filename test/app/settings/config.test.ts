import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { configSchema } from '../../../src/app/settings/cross-checks.ts'
import { ConfigError, loadConfig } from '../../../src/app/settings/load.ts'

const KEYS = Object.keys(configSchema.shape).join(', ')

const folder = mkdtempSync(join(tmpdir(), 'dragoman-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

function file(text: string, name = 'dragoman.yaml'): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

function complaint(sources: Parameters<typeof loadConfig>[0]): string {
  try {
    loadConfig(sources)
  } catch (error) {
    if (error instanceof ConfigError) return error.message.replaceAll(`${folder}/`, '')
    throw error
  }
  throw new Error('nothing was wrong')
}

describe('settings', () => {
  it('are complete, local only and frozen by default', () => {
    const config = loadConfig({ env: {} })
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      languages: { speaks: 'en-us', hears: 'es-es' },
      service: { mode: 'streaming' },
      twilio: { authToken: [], insecure: false, numbers: {} },
      file: undefined,
    })
    expect(config.publicUrl).toBeUndefined()
    expect(Object.isFrozen(config.embedded.engines.espeak)).toBe(true)
  })

  it('come from the file, overridden by the environment, then the command line', () => {
    const path = file('port: 1001\nlanguages: { speaks: fr-fr, hears: pt_BR }\nlog: { level: warn }\n')
    const env = { DRAGOMAN_PORT: '1002', DRAGOMAN_LOG_LEVEL: 'error', HOME: '/root' }
    const config = loadConfig({ file: path, env, overrides: { port: 1003 } })
    expect(config).toMatchObject({ port: 1003, log: { level: 'error' }, file: path })
    expect(config.languages).toEqual({ speaks: 'fr-fr', hears: 'pt-br' })
  })

  it('listen on all interfaces only when a public URL is set', () => {
    const publicUrl = 'https://bridge.example.com'
    expect(loadConfig({ env: {}, overrides: { publicUrl } }).host).toBe('0.0.0.0')
    expect(loadConfig({ env: {}, overrides: { publicUrl, host: '127.0.0.1' } }).host).toBe('127.0.0.1')
    // Behind a proxy on the same machine, only local clients connect.
    const host = (...trustProxy: string[]) =>
      loadConfig({ env: {}, overrides: { publicUrl, trustProxy } }).host
    for (const here of ['loopback', '127.0.0.1', '127.0.0.0/8', '::1'])
      expect(host(here), here).toBe('127.0.0.1')
    expect(host('127.0.0.1', '::1')).toBe('127.0.0.1')
    expect(host('loopback', '10.0.0.7')).toBe('0.0.0.0')
    expect(host('uniquelocal')).toBe('0.0.0.0')
    expect(
      loadConfig({ env: {}, overrides: { publicUrl, host: '0.0.0.0', trustProxy: ['loopback'] } }).host,
    ).toBe('0.0.0.0')
  })

  it('accept one auth token or several', () => {
    const tokens = (text: string) =>
      loadConfig({ env: { DRAGOMAN_TWILIO_AUTH_TOKEN: text } }).twilio.authToken
    expect(tokens('one')).toEqual(['one'])
    expect(tokens('["new", "old"]')).toEqual(['new', 'old'])
  })

  it('read secrets from files', () => {
    const path = file('s3cret\n', 'token')
    const config = loadConfig({ env: { DRAGOMAN_TWILIO_AUTH_TOKEN_FILE: path } })
    expect(config.twilio.authToken).toEqual(['s3cret'])
  })

  it('ignore the variables that Kubernetes and Docker set for a Service whose name starts with dragoman', () => {
    const links = {
      DRAGOMAN_PORT: 'tcp://10.0.0.1:8080',
      DRAGOMAN_SERVICE_HOST: '10.0.0.1',
      DRAGOMAN_SERVICE_PORT: '8080',
      DRAGOMAN_SERVICE_PORT_HTTP: '8080',
      DRAGOMAN_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
      DRAGOMAN_PORT_8080_TCP_PROTO: 'tcp',
      DRAGOMAN_PORT_8080_TCP_PORT: '8080',
      DRAGOMAN_PORT_8080_TCP_ADDR: '10.0.0.1',
      DRAGOMAN_EMBEDDED_PORT: 'udp://10.0.0.2:9000',
      DRAGOMAN_TALK_SERVICE_HOST: '10.0.0.3',
      DRAGOMAN_TALK_PORT: 'tcp://10.0.0.3:80',
      DRAGOMAN_TALK_PORT_80_UDP_ADDR: '10.0.0.3',
    }
    const { port, embedded } = loadConfig({ env: {} })
    expect(loadConfig({ env: links })).toMatchObject({ port, embedded: { port: embedded.port } })
    expect(complaint({ env: { DRAGOMAN_TALK_PORT: '80' } })).toContain('an unknown setting')
    expect(complaint({ env: { DRAGOMAN_PORT: 'http://10.0.0.1' } })).toContain('a whole number')
  })

  it('read the file named by DRAGOMAN_CONFIG', () => {
    expect(loadConfig({ env: { DRAGOMAN_CONFIG: file('port: 99\n') } }).port).toBe(99)
  })

  it('accept quoted phone numbers, each with its settings', () => {
    const path = file('twilio:\n  numbers:\n    "+15551230001": { speaks: none, hears: EN-us, room: desk }\n')
    expect(loadConfig({ file: path, env: {} }).twilio.numbers).toEqual({
      '+15551230001': { speaks: 'none', hears: 'en-us', room: 'desk' },
    })
  })

  it('accept an empty file and tables with all keys commented out', () => {
    expect(loadConfig({ file: file(''), env: {} }).port).toBe(8080)
    expect(loadConfig({ file: file('twilio:\n  # authToken: x\n'), env: {} }).twilio.authToken).toEqual([])
  })

  it('report every error of a file with line, found value, allowed values and suggestion', () => {
    const path = file(
      'prot: 5\nauthToken: x\nlog:\n  level: loud\nrelay: { maxLagMs: 30 }\n' +
        'twilio:\n  numbers:\n    +15551230001: { hears: es-es }\nlanguages: { speaks: english }\n',
    )
    expect(complaint({ file: path, env: {} }).split('\n').sort()).toEqual([
      `dragoman.yaml:1: prot: found an unknown key; allowed: ${KEYS} (did you mean port?)`,
      `dragoman.yaml:2: authToken: found an unknown key; allowed: ${KEYS} (did you mean twilio.authToken?)`,
      'dragoman.yaml:4: log.level: found "loud"; allowed: one of trace, debug, info, warn, error, fatal, silent',
      'dragoman.yaml:5: relay.maxLagMs: found 30; allowed: a whole number from 2000 to 60000',
      'dragoman.yaml:8: twilio.numbers.15551230001: found "15551230001"; allowed: a number in quotes like "+15551234567" (did you mean "+15551230001", with the quotes?)',
      'dragoman.yaml:9: languages.speaks: found "english"; allowed: a language like en-us: <language>-<region>',
    ])
  })

  it('report errors in the environment', () => {
    const env = { DRAGOMAN_PORT: 'eighty', DRAGOMAN_TWILIO_AUTH_TOKN: 'x', DRAGOMAN_TWILIO_NUMBERS: '{' }
    expect(complaint({ env })).toBe(
      'DRAGOMAN_TWILIO_AUTH_TOKN: found an unknown setting; allowed: DRAGOMAN_ followed by the name of a setting, ' +
        'like DRAGOMAN_SERVICE_URL; see dragoman.example.yaml (did you mean DRAGOMAN_TWILIO_AUTH_TOKEN?)\n' +
        'DRAGOMAN_TWILIO_NUMBERS: twilio.numbers: found invalid JSON; allowed: JSON: { … } or [ … ]\n' +
        'DRAGOMAN_PORT: port: found "eighty"; allowed: a whole number from 0 to 65535',
    )
  })

  it.each([
    ['a missing file', { file: '/nowhere/d.yaml', env: {} }, 'found nothing to read (ENOENT)'],
    [
      'insecure with a token',
      { overrides: { twilio: { authToken: 'a', insecure: true } } },
      'auth token is set',
    ],
    [
      'insecure on all interfaces',
      { overrides: { host: '0.0.0.0', twilio: { insecure: true } } },
      'this machine',
    ],
    [
      'insecure behind a tunnel',
      { overrides: { publicUrl: 'https://x.example.com', twilio: { insecure: true } } },
      'publicUrl: found "https://x.example.com"; allowed: no value, or an address on this machine, with twilio.insecure',
    ],
    ['a public URL without https', { overrides: { publicUrl: 'http://x.example.com' } }, 'Twilio needs it'],
    [
      'a secret set twice',
      { env: { DRAGOMAN_SERVICE_API_KEY: 'a', DRAGOMAN_SERVICE_API_KEY_FILE: '/x' } },
      'either this or DRAGOMAN_SERVICE_API_KEY, not both',
    ],
    ['a file for a setting that is not secret', { env: { DRAGOMAN_PORT_FILE: '/x' } }, 'an unknown setting'],
  ])('reject %s', (_name, sources, expected) => {
    expect(complaint({ env: {}, ...sources })).toContain(expected)
  })

  it.each([
    [
      'a public URL without a token',
      { publicUrl: 'https://x.example.com' },
      'settings: twilio.authToken: found nothing; allowed: the auth token of the Twilio account, because publicUrl is set',
    ],
    [
      'a public URL with an empty token list',
      { publicUrl: 'https://x.example.com', twilio: { authToken: [] } },
      'twilio.authToken: found a list (not shown); allowed: the auth token',
    ],
    [
      'a token without a public URL',
      { twilio: { authToken: 'a' } },
      'publicUrl: found nothing; allowed: the https:// address that Twilio calls, because twilio.authToken is set',
    ],
    [
      'one port for both servers',
      { port: 8080, embedded: { port: 8080 } },
      'embedded.port: found 8080; allowed: 0 for any free port, or a value other than port',
    ],
  ])('reject %s for a bridge server only', (_name, overrides, expected) => {
    expect(complaint({ env: {}, overrides, starts: 'bridge' })).toContain(expected)
    loadConfig({ env: {}, overrides })
  })

  it.each([
    [
      'an open service on all interfaces without keys',
      { open: true, host: '0.0.0.0' },
      'embedded.open: found true; allowed: false, because embedded.host is 0.0.0.0',
    ],
    [
      'a grammar without configured grammars',
      { engines: { pocketsphinx: { grammar: 'chess' } } },
      'embedded.engines.pocketsphinx.grammar: found "chess"; allowed: no value, because no grammars are configured',
    ],
    [
      'a grammar that is not configured',
      { engines: { pocketsphinx: { grammar: 'chess', grammars: { desk: { phrases: ['good morning'] } } } } },
      'found "chess"; allowed: one of the grammars: desk',
    ],
  ])('reject %s when the embedded service starts', (_name, embedded, expected) => {
    const overrides = { embedded }
    expect(complaint({ env: {}, overrides, starts: 'bridge' })).toContain(expected)
    expect(complaint({ env: {}, overrides, starts: 'service' })).toContain(expected)
    loadConfig({
      env: {},
      overrides: { ...overrides, service: { url: 'http://localhost:1' } },
      starts: 'bridge',
    })
  })

  it('allow a bridge server with neither token nor public URL, with both or with an external service', () => {
    const twilio = { authToken: 'a' }
    for (const overrides of [
      {},
      { publicUrl: 'https://x.example.com', twilio },
      { port: 8080, embedded: { port: 8080 }, service: { url: 'http://localhost:1' } },
      { twilio: { insecure: true } },
    ])
      loadConfig({ env: {}, overrides, starts: 'bridge' })
  })

  it('never appear in errors when they are secret, at any position', () => {
    const secret = 'hunter2-hunter2'
    const texts = [
      `twilio: ${secret}`,
      `twilio: { authToken: { is: ${secret} } }`,
      `twilio: { authToken: [[${secret}]] }`,
      `twilio: { auth-token: ${secret} }`,
      `service: { apiKey: { ${secret}: 1 } }`,
      `embedded: { apiKeys: [{ key: ${secret} }] }`,
      `twilio:\n authToken: ${secret}\n  broken: [${secret}`,
      `service: { url: "ftp://me:${secret}@example.com" }`,
      `- ${secret}`,
    ]
    for (const text of texts)
      expect(complaint({ file: file(text), env: {} }), text).not.toContain(`"${secret}"`)
    for (const text of texts.slice(0, 4))
      expect(complaint({ file: file(text), env: {} })).not.toContain(secret)
    const env = { DRAGOMAN_EMBEDDED_API_KEYS: `[{"key":"${secret}"}]`, DRAGOMAN_TWLIO_AUTH_TOKEN: secret }
    expect(complaint({ env })).not.toContain(secret)
  })
})
