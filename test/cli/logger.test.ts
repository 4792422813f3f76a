import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadConfig } from '../../src/app/settings/load.ts'
import { type LogFormat, openLog, textLine } from '../../src/cli/log.ts'

const SECRETS = {
  token: 'twilio-auth-token-0123456789',
  quoted: 'a "quoted" \\ secret',
  control: 'the-control-key-that-nobody-knows',
  webhook: 'the-secret-of-the-receiver',
  service: 'the-key-of-the-service',
  collector: 'the-token-of-the-collector',
}

/** A log at level trace, and its output. */
function logged(format: LogFormat = 'json', isTTY = false) {
  let text = ''
  const config = loadConfig({
    env: {},
    overrides: {
      log: { level: 'trace', format },
      service: { apiKey: SECRETS.service },
      control: { keys: [{ name: 'desk-of-the-hotel', key: SECRETS.control }] },
      webhooks: [{ url: 'https://example.com', secret: SECRETS.webhook }],
      embedded: { apiKeys: [{ name: 'x', key: SECRETS.quoted }] },
      twilio: { authToken: SECRETS.token },
      tracing: { url: 'https://example.com', headers: { authorization: `Bearer ${SECRETS.collector}` } },
    },
  })
  const log = openLog(config, { destination: { write: line => (text += line) }, isTTY })
  return { log, text: () => text }
}

/** Characters that move the cursor, end a line or change the text direction. */
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

test('an event is one line of printable characters that contains the text', () => {
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

test('an event in text format is also one line of printable characters, and only events start with a time', () => {
  fc.assert(
    fc.property(nasty, nasty, (field, name) => {
      const { log, text } = logged('text')
      log.warn({ field, [`x${name}`]: 1, deep: [{ field }], reason: field }, `something ${field}`)
      log.error({ err: new Error(field) }, 'failed')
      const lines = text().split('\n')
      expect(lines.pop()).toBe('')
      const events = lines.filter(line => !line.startsWith('    at '))
      expect(events).toHaveLength(2)
      expect(events[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} WARN {2}something /)
      expect(events[1]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} ERROR failed {2}err=/)
      for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u)
    }),
    { numRuns: 500, seed: 31 },
  )
})

test('text format states the event first', () => {
  const { log, text } = logged('text')
  log.info({ route: '/twilio/voice', status: 403, why: 'not signed', tags: ['a'] }, 'request refused')
  expect(text()).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} info {2}request refused {2}route=\/twilio\/voice status=403 why="not signed" tags=\["a"\]\n$/,
  )
  const failing = logged('text')
  failing.log.error({ err: new TypeError('no such thing') }, 'failed')
  expect(failing.text()).toMatch(/ERROR failed {2}err="no such thing"\n {4}at .*logger\.test\.ts.*\n/)
})

test('auto selects text for terminals only', () => {
  for (const [format, isTTY, json] of [
    ['auto', true, false],
    ['auto', false, true],
    ['json', true, true],
    ['text', false, false],
  ] as const) {
    const { log, text } = logged(format, isTTY)
    log.info({}, 'here')
    expect(text().startsWith('{'), `${format} ${isTTY}`).toBe(json)
  }
})

test('only levels are coloured, and only where colors are supported', () => {
  const sequence = String.fromCharCode(27)
  const line = JSON.stringify({ level: 50, time: 0, msg: `${sequence}[2Jfailed` })
  const [, coloured] = textLine(line, { colors: true }).split(/^\S+ /)
  expect(coloured).toBe(`${sequence}[31mERROR${sequence}[0m \\u001b[2Jfailed\n`)
  expect(textLine(line)).not.toContain(sequence)
  expect(textLine(`no JSON ${sequence}[2J\n`)).toBe('no JSON \\u001b[2J\n')
})

test.each(['json', 'text'] as const)('no line of %s contains a configured secret, in any field', format => {
  const { log, text } = logged(format)
  for (const secret of Object.values(SECRETS)) {
    log.trace({ deep: [{ header: `Bearer ${secret}`, url: `https://a/?k=${secret}` }] }, 'traced')
    log.error({ err: new Error(`refused: ${secret}`, { cause: new Error(secret) }) }, `said ${secret}`)
  }
  for (const secret of Object.values(SECRETS))
    for (const written of [secret, JSON.stringify(secret).slice(1, -1)]) expect(text()).not.toContain(written)
  expect(text().split('[secret]').length).toBeGreaterThan(20)
  // Names are not secrets.
  log.info({ key: 'desk-of-the-hotel' }, 'a key was used')
  expect(text()).toContain('desk-of-the-hotel')
})

test('ordinary words are not secrets, also if a setting contains them', () => {
  const { log, text } = logged()
  log.info({ recording: 'r', language: 'en-us' }, 'recording incomplete')
  expect(text()).not.toContain('[secret]')
})

test('text format, too, keeps only the last two digits of a phone number', () => {
  const { log, text } = logged('text')
  log.info({ said: 'The number +34600111222 is not valid', to: '+34600111222' }, 'called +34600111222')
  expect(text()).not.toContain('600111')
  expect(text().match(/\+…22/g)).toHaveLength(3)
})

test('keeps only the last two digits of a phone number', () => {
  const { log, text } = logged()
  log.info({ said: 'The number +34600111222 is not valid', prefix: '+34', ms: 34600111222 }, 'x')
  expect(JSON.parse(text())).toMatchObject({
    said: 'The number +…22 is not valid',
    prefix: '+34',
    ms: 34600111222,
  })
})
