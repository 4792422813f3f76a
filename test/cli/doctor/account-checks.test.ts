import { afterEach, describe, expect, test } from 'vitest'
import {
  TwilioSimulator,
  type TwilioSimulatorOptions,
} from '../../../simulator/twilio/rest/twilio-simulator.ts'
import { loadConfig } from '../../../src/app/settings/load.ts'
import type { ConfigInput } from '../../../src/app/settings/schema.ts'
import { languagePairs } from '../../../src/cli/doctor/service-checks.ts'
import { accountChecks, countriesOf } from '../../../src/cli/doctor/twilio-checks.ts'

const OURS = '+15550001111'
const HERE = 'https://bridge.example.com'

let twilio: TwilioSimulator | undefined
afterEach(() => twilio?.close())

/** The doctor’s findings for an account, requested with Twilio's own client. */
async function checks(account: TwilioSimulatorOptions, outbound: object = {}, more: ConfigInput = {}) {
  twilio = await TwilioSimulator.listen({ numbers: { [OURS]: {} }, ...account })
  const config = loadConfig({
    env: {},
    overrides: {
      publicUrl: HERE,
      ...more,
      twilio: {
        authToken: twilio.authToken,
        numbers: { [OURS]: { name: 'front desk' } },
        ...more.twilio,
        outbound: {
          accountSid: twilio.accountSid,
          from: OURS,
          allowedPrefixes: ['+34'],
          apiUrl: twilio.url,
          ...outbound,
        },
      },
    },
  })
  const found = await accountChecks(config)
  return (name: string) => found.find(each => each.name.includes(name))
}

describe('the doctor’s Twilio account checks', () => {
  test('pass for a valid account', async () => {
    const about = await checks({
      numbers: { [OURS]: { VoiceUrl: `${HERE}/twilio/voice`, VoiceMethod: 'POST' } },
    })
    expect(about('account')).toMatchObject({ status: 'ok' })
    expect(about(OURS)).toMatchObject({ status: 'ok', found: 'routes to this server' })
    expect(about('+34…')).toMatchObject({ status: 'ok', found: 'permitted (ES)' })
  })

  test('report wrong credentials', async () => {
    const about = await checks({}, {}, { twilio: { authToken: '0'.repeat(32) } })
    expect(about('account')).toMatchObject({
      status: 'fail',
      found: expect.stringContaining('credentials are wrong'),
    })
  })

  test('report a trial account', async () => {
    const about = await checks({ type: 'Trial' })
    expect(about('account')).toMatchObject({
      status: 'warn',
      fix: expect.stringContaining('verify the numbers'),
    })
  })

  test('report a country that the account cannot call', async () => {
    const about = await checks({ countries: ['US'] }, { allowedPrefixes: ['+34', '+1', '+999'] })
    expect(about('+34…')).toMatchObject({ status: 'fail', fix: expect.stringContaining('Geo permissions') })
    expect(about('+1…')).toMatchObject({ status: 'ok' })
    expect(about('+999…')).toMatchObject({ status: 'fail', found: 'no country has this prefix' })
  })

  test.each([
    ['somewhere else', { VoiceUrl: 'https://old.example.com' }, /calls https:\/\/old\.example\.com, not/],
    ['nowhere', {}, /calls nothing, not/],
    ['here by http', { VoiceUrl: 'http://bridge.example.com/twilio/voice' }, /over http/],
    ['here by GET', { VoiceUrl: `${HERE}/twilio/voice`, VoiceMethod: 'GET' }, /by GET/],
    [
      'to a TwiML app',
      { VoiceUrl: `${HERE}/twilio/voice`, VoiceApplicationSid: `AP${'0'.repeat(32)}` },
      /TwiML app/,
    ],
    ['to a trunk', { TrunkSid: `TK${'0'.repeat(32)}` }, /SIP trunk/],
  ] as const)('and finds a number that points %s', async (_where, settings, found) => {
    const about = await checks({ numbers: { [OURS]: { ...settings } } })
    expect(about(OURS)).toMatchObject({
      status: 'fail',
      found: expect.stringMatching(found),
      fix: `dragoman twilio bind ${OURS}`,
    })
  })

  test('report a number that belongs to another account', async () => {
    const about = await checks({ numbers: { '+15550002222': {} } })
    expect(about(OURS)).toMatchObject({ status: 'fail', found: 'does not belong to the account' })
  })

  test('report that Twilio does not respond', async () => {
    const about = await checks({}, { apiUrl: 'http://127.0.0.1:1' })
    expect(about('account')).toMatchObject({ status: 'fail', found: expect.stringContaining('ECONNREFUSED') })
  })
})

test('prefixes map to countries, the best known first', () => {
  expect(countriesOf('+34')).toEqual(['ES'])
  expect(countriesOf('+1')[0]).toBe('US')
  expect(countriesOf('+44')[0]).toBe('GB')
  expect(countriesOf('+4')).toContain('DE')
  expect(countriesOf('+999')).toEqual([])
})

test('the languages of Discord channels are checked if a bot is configured', () => {
  const pairs = (discord: ConfigInput['discord']) =>
    languagePairs(loadConfig({ env: {}, overrides: { discord } })).map(({ from, to }) => `${from} ${to}`)
  const settings = { language: 'de-de', output: ['es-es', 'fr-fr'] }
  expect(pairs(settings)).toEqual(['en-us es-es'])
  expect(pairs({ ...settings, token: 'token' })).toEqual([
    ...['en-us es-es', 'es-es fr-fr', 'fr-fr es-es', 'de-de es-es', 'de-de fr-fr'],
  ])
})

test('the languages of callees are checked in both directions', () => {
  const config = loadConfig({
    env: {},
    overrides: {
      publicUrl: 'https://bridge.example.com',
      twilio: {
        authToken: 'secret',
        outbound: {
          accountSid: `AC${'0'.repeat(32)}`,
          from: OURS,
          allowedPrefixes: ['+34'],
        },
        numbers: {
          [OURS]: { speaks: 'fr-fr', dial: { to: '+34600000000', speaks: 'de-de' } },
          '+15550003333': { room: 'desk', menu: { languages: ['en-us', 'it-it'] } },
        },
      },
    },
  })
  const pairs = languagePairs(config).map(({ from, to }) => `${from} ${to}`)
  expect(pairs).toEqual(['en-us es-es', 'fr-fr de-de', 'de-de fr-fr', 'en-us it-it', 'it-it en-us'])
})
