import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KEYS, type Key, shapeAt, variableOf } from '../../../src/app/settings/keys.ts'
import { loadConfig } from '../../../src/app/settings/load.ts'
import { SECRETS } from '../../../src/app/settings/schema.ts'

/** Values accepted for `key`, each with its text in the environment. */
function valuesOf({ path, shape }: Key): fc.Arbitrary<{ value: unknown; text: string }> | undefined {
  // Tables whose keys require each other; consent has a test of its own.
  if (
    /^(calls\.callerLanguages|\w+\.outbound|fleet\.nats|discord\.consent)\.|^discord\.dialRoles$/.test(path)
  )
    return undefined
  const plain = <T>(values: fc.Arbitrary<T>) => values.map(value => ({ value, text: String(value) }))
  const { minimum = 0, maximum = 1_000 } = shape
  const most = Math.min(maximum, 1_000_000)
  if (shape.enum) return plain(fc.constantFrom(...shape.enum))
  if (shape.type === 'boolean' && path !== 'twilio.insecure') return plain(fc.boolean())
  if (shape.type === 'integer' || shape.type === 'number')
    return plain(fc.integer({ min: Math.ceil(minimum), max: Math.floor(most) }))
  if (shape.items?.enum)
    return fc
      .uniqueArray(fc.constantFrom(...shape.items.enum), { minLength: 1 })
      .map(value => ({ value, text: value.join(', ') }))
  // Lists of tables are written as JSON.
  if (shape.items?.oneOf ?? shape.items?.type === 'object') return undefined
  const word = fc.stringMatching(/^[a-zA-Z0-9/._-]{1,20}$/)
  if (path === 'service.socketPath') return plain(word.map(name => `/${name}`))
  const language = fc.stringMatching(/^[a-z]{2,3}-[a-z]{2}$/)
  if (path === 'keypad.languages' || path === 'relay.followLanguages')
    return fc.array(language, { maxLength: 4 }).map(value => ({ value, text: value.join(', ') }))
  if (/(trustProxy|exemptAddresses|allowedAddresses)$/.test(path))
    return fc
      .array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.constant('loopback')), { minLength: 1, maxLength: 4 })
      .map(value => ({ value, text: value.join(', ') }))
  if (path === 'browser.origins' || path === 'embedded.allowedOrigins')
    return fc
      .array(
        fc.webAuthority().map(host => new URL(`https://${host}`).origin),
        { minLength: 1, maxLength: 4 },
      )
      .map(value => ({ value, text: value.join(', ') }))
  if (path === 'discord.output')
    return fc
      .array(language, { minLength: 1, maxLength: 2 })
      .map(value => ({ value, text: value.join(', ') }))
  if (/^discord\.(guilds|autoJoin)$/.test(path))
    return fc
      .array(fc.stringMatching(/^[1-9]\d{14,18}$/), { minLength: 1, maxLength: 4 })
      .map(value => ({ value, text: value.join(', ') }))
  if (path === 'fleet.node') return plain(fc.stringMatching(/^[a-z0-9-]{1,20}$/))
  if (path === 'fleet.key') return plain(fc.stringMatching(/^[a-z]{16,20}$/))
  if (path === 'fleet.address') return undefined
  // 32 bytes in base64.
  if (path === 'telnyx.publicKey')
    return plain(
      fc.uint8Array({ minLength: 32, maxLength: 32 }).map(key => Buffer.from(key).toString('base64')),
    )
  if (shape.type === 'array')
    return fc.array(word, { minLength: 1, maxLength: 4 }).map(value => ({ value, text: value.join(', ') }))
  if (path.startsWith('languages.') || path === 'discord.language') return plain(language)
  if (shape.type === 'string' && !path.endsWith('rl')) return plain(word)
  return undefined
}

describe('the variable of a setting', () => {
  it('is unique', () => {
    expect(new Set(KEYS.map(key => key.variable)).size).toBe(KEYS.length)
    // The …_FILE variable of a secret does not clash with another variable.
    for (const { variable } of KEYS.filter(key => key.secret))
      expect(KEYS.some(key => key.variable === `${variable}_FILE`)).toBe(false)
  })

  it('is its path in upper case', () => {
    expect(variableOf('twilio.authToken')).toBe('DRAGOMAN_TWILIO_AUTH_TOKEN')
    expect(variableOf('embedded.engines.pocketsphinx.maxHmmPerFrame')).toBe(
      'DRAGOMAN_EMBEDDED_ENGINES_POCKETSPHINX_MAX_HMM_PER_FRAME',
    )
  })

  it('accepts a list of tables as JSON and reports a wrong key with the allowed ones', () => {
    const load = (...list: object[]) =>
      loadConfig({ env: { DRAGOMAN_EMBEDDED_ENGINES_TRANSLATION: JSON.stringify(list) } })
    const entry = { engine: 'libretranslate', url: 'http://127.0.0.1:5000/' }
    expect(load(entry).embedded.engines.translation).toMatchObject([
      { engine: 'libretranslate', url: 'http://127.0.0.1:5000', timeoutMs: 10_000 },
    ])
    expect(() => load({ ...entry, apikey: 'a secret' })).toThrow(/translation\.0\.apikey.*apiKey/)
    expect(() => load({ ...entry, apikey: 'a secret' })).not.toThrow('a secret')
    expect(() => load({ ...entry, timeoutMs: 0 })).toThrow('a whole number from 1')
    expect(() => load({ ...entry, engine: 'libre' })).toThrow('libretranslate, openai')

    const glossary = [{ 'en-us': 'invoice', 'es-es': 'factura' }]
    expect(
      loadConfig({ env: { DRAGOMAN_EMBEDDED_VOCABULARY_GLOSSARY: JSON.stringify(glossary) } }).embedded
        .vocabulary.glossary,
    ).toEqual(glossary)
  })

  it('accepts the roles for consent together with their mode', () => {
    const DRAGOMAN_DISCORD_CONSENT_MODE = 'role'
    const { consent } = loadConfig({
      env: {
        DRAGOMAN_DISCORD_CONSENT_MODE,
        DRAGOMAN_DISCORD_CONSENT_ROLES: '1046021938471923712, 1046021938471923713',
      },
    }).discord
    expect(consent).toMatchObject({ mode: 'role', roles: ['1046021938471923712', '1046021938471923713'] })
    expect(() => loadConfig({ env: { DRAGOMAN_DISCORD_CONSENT_MODE } })).toThrow(
      'discord.consent.roles: found nothing; allowed: at least one role',
    )
  })

  it.each(KEYS.filter(key => valuesOf(key)).map(key => [key.variable, key] as const))(
    '%s has the same effect as the key in the file',
    (variable, key) => {
      fc.assert(
        fc.property(valuesOf(key)!, ({ value, text }) => {
          const loaded = loadConfig({ env: { [variable]: text } })
          expect(
            key.path.split('.').reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], loaded),
          ).toEqual(value)
          const nested = key.path.split('.').reduceRight<unknown>((below, part) => ({ [part]: below }), value)
          expect(loadConfig({ env: {}, overrides: nested as object })).toEqual(loaded)
        }),
        { numRuns: 20 },
      )
    },
  )

  it('fails only with a list of problems', () => {
    const variable = fc.oneof(
      fc.constantFrom(...KEYS.map(key => key.variable)),
      fc.stringMatching(/^DRAGOMAN_[A-Z_]{0,20}$/),
    )
    const text = fc.oneof(fc.string(), fc.json(), fc.constantFrom('__proto__', '{"__proto__":{"port":1}}'))
    fc.assert(
      fc.property(fc.dictionary(variable, text), env => {
        if (env.DRAGOMAN_CONFIG !== undefined) return
        try {
          loadConfig({ env })
        } catch (error) {
          expect((error as Error).name).toBe('ConfigError')
        }
      }),
    )
    expect(({} as { port?: number }).port).toBeUndefined()
  })
})

it('lists only settings as secrets', () => {
  for (const path of SECRETS) expect(shapeAt(path.split('.')), path).toBeDefined()
})
