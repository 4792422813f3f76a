import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openLog } from '../../src/commands/log.ts'
import { loadConfig } from '../../src/config.ts'

const SECRETS = {
  token: 'twilio-auth-token-0123456789',
  quoted: 'a "quoted" \\ secret',
  control: 'the-control-key-that-nobody-knows',
  webhook: 'the-secret-of-the-receiver',
  service: 'the-key-of-the-service',
}

/** A log at trace, and what it wrote. */
function logged() {
  let text = ''
  const config = loadConfig({
    env: {},
    overrides: {
      log: { level: 'trace' },
      service: { apiKey: SECRETS.service },
      control: { keys: [{ name: 'desk-of-the-hotel', key: SECRETS.control }] },
      webhooks: [{ url: 'https://example.com', secret: SECRETS.webhook }],
      embedded: { apiKeys: [{ name: 'x', key: SECRETS.quoted }] },
      twilio: { authToken: SECRETS.token },
    },
  })
  const log = openLog(config, { write: line => (text += line) })
  return { log, text: () => text }
}

/** Whatever would move a cursor, end a line or turn the reading round. */
const NASTY = [
  '\r\n',
  '\n{"level":50}',
  '\u001b[2J',
  '\u009b31m',
  '\u202e',
  '\u2066',
  '\u0000',
  '\u2028',
  '\u2029',
  '\u0085',
  '\u007f',
  '\ufeff',
  '\ud800',
]
const nasty = fc
  .array(fc.oneof(fc.constantFrom(...NASTY), fc.string({ unit: 'binary', maxLength: 8 })), { maxLength: 6 })
  .map(parts => parts.join(''))

test('G29: one event is one line, of characters that a terminal shows, and says what was said', () => {
  fc.assert(
    fc.property(nasty, nasty, (field, name) => {
      const { log, text } = logged()
      log.warn({ field, [`x${name}`]: 1, err: new Error(field) }, 'something happened')
      const written = text()
      expect(written.match(/\n/g)).toHaveLength(1)
      expect(written.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u)
      expect(JSON.parse(written).field).toBe(
        field.toWellFormed() === field ? field : JSON.parse(written).field,
      )
    }),
    { numRuns: 500, seed: 29 },
  )
})

test('no line holds a secret of the settings, whoever says it', () => {
  const { log, text } = logged()
  for (const secret of Object.values(SECRETS)) {
    log.trace({ deep: [{ header: `Bearer ${secret}`, url: `https://a/?k=${secret}` }] }, 'traced')
    log.error({ err: new Error(`refused: ${secret}`, { cause: new Error(secret) }) }, `said ${secret}`)
  }
  for (const secret of Object.values(SECRETS))
    expect(text()).not.toContain(JSON.stringify(secret).slice(1, -1))
  expect(text().split('[secret]').length).toBeGreaterThan(20)
  // Names are no secrets.
  log.info({ key: 'desk-of-the-hotel' }, 'a key was used')
  expect(text()).toContain('desk-of-the-hotel')
})

test('of a telephone number the last two digits are left', () => {
  const { log, text } = logged()
  log.info({ said: 'The number +34600111222 is not valid', prefix: '+34', ms: 34600111222 }, 'x')
  expect(JSON.parse(text())).toMatchObject({
    said: 'The number +…22 is not valid',
    prefix: '+34',
    ms: 34600111222,
  })
})
