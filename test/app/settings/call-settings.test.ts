import { describe, expect, it } from 'vitest'
import { type ConfigInput, loadConfig } from '../../../src/app/settings/load.ts'

const ACCOUNT = `AC${'x'.repeat(32)}`
const KEY_SID = `SK${'x'.repeat(32)}`
const NUMBER = '+15551230001'
const OUTBOUND = { accountSid: ACCOUNT, from: NUMBER, allowedPrefixes: ['+1212', '+34'] }

type Twilio = NonNullable<ConfigInput['twilio']>
const load = (twilio: Twilio, calls: ConfigInput['calls'] = {}) =>
  loadConfig({
    env: {},
    overrides: { publicUrl: 'https://bridge.example.com', twilio: { authToken: 'token', ...twilio }, calls },
  })
const number = (settings: NonNullable<Twilio['numbers']>[string], more: Twilio = { outbound: OUTBOUND }) => ({
  ...more,
  numbers: { [NUMBER]: settings },
})
const DIAL = { to: '+12125550123', speaks: 'en-us' }
const MENU = { languages: ['en-us', 'es-es'] }

describe('outbound calling', () => {
  it('is off by default', () => {
    expect(loadConfig({ env: {} }).twilio.outbound).toBeUndefined()
    expect(load({ outbound: OUTBOUND }).twilio.outbound).toEqual(OUTBOUND)
  })

  it('can be configured by environment variables, with the secret in a file', () => {
    const { twilio } = loadConfig({
      env: {
        DRAGOMAN_PUBLIC_URL: 'https://bridge.example.com',
        DRAGOMAN_TWILIO_OUTBOUND_ACCOUNT_SID: ACCOUNT,
        DRAGOMAN_TWILIO_OUTBOUND_API_KEY_SID: `SK${'x'.repeat(32)}`,
        DRAGOMAN_TWILIO_OUTBOUND_API_KEY_SECRET_FILE: import.meta.filename,
        DRAGOMAN_TWILIO_OUTBOUND_FROM: NUMBER,
        DRAGOMAN_TWILIO_OUTBOUND_ALLOWED_PREFIXES: '+34, +1212',
        DRAGOMAN_TWILIO_OUTBOUND_MACHINE_DETECTION: 'false',
      },
    })
    expect(twilio.outbound).toMatchObject({ allowedPrefixes: ['+34', '+1212'], machineDetection: false })
    expect(twilio.outbound?.apiKeySecret).toContain('import')
  })

  it('requires a public URL unless another API URL is set', () => {
    const outbound = (more: object) =>
      loadConfig({
        env: {},
        overrides: {
          twilio: {
            insecure: true,
            outbound: { ...OUTBOUND, apiKeySid: KEY_SID, apiKeySecret: 'x', ...more },
          },
        },
      })
    expect(() => outbound({})).toThrow('publicUrl')
    expect(() => outbound({ apiUrl: 'http://127.0.0.1:8081' })).not.toThrow()
  })

  it('requires the auth token of the account or an API key', () => {
    const unsigned = { authToken: undefined, insecure: true }
    const local = (outbound: object) =>
      loadConfig({
        env: {},
        overrides: {
          twilio: { ...unsigned, outbound: { ...OUTBOUND, ...outbound, apiUrl: 'http://127.0.0.1:1' } },
        },
      })
    expect(() => local({})).toThrow('twilio.authToken')
    expect(() => local({ apiKeySid: KEY_SID, apiKeySecret: 'x' })).not.toThrow()
  })

  it.each<[string, Partial<NonNullable<Twilio['outbound']>>]>([
    ['twilio.outbound.accountSid', { accountSid: 'SK1' }],
    ['twilio.outbound.from', { from: '5551230001' }],
    ['twilio.outbound.allowedPrefixes', { allowedPrefixes: [] }],
    ['twilio.outbound.allowedPrefixes', { allowedPrefixes: ['34'] }],
    ['twilio.outbound.ringSeconds', { ringSeconds: 3 }],
    ['twilio.outbound.maxConcurrent', { maxConcurrent: 0 }],
    ['twilio.outbound.maxMinutesPerDay', { maxMinutesPerDay: 0 }],
    ['twilio.outbound.maxMinutesPerNumber', { maxMinutesPerNumber: 1.5 }],
    ['twilio.outbound.maxMinutesPerKey', { maxMinutesPerKey: 0 }],
    ['twilio.outbound.maxSpendPerDay', { maxSpendPerDay: 0 }],
    ['twilio.outbound.prices', { maxSpendPerKey: 5 }],
    [
      'twilio.outbound.prices',
      { maxSpendPerDay: 5, allowedPrefixes: ['+34', '+1'], prices: { '+34': 0.1, '+1212': 0.1 } },
    ],
    ['twilio.outbound.prices', { prices: { '34': 0.1 } }],
    ['twilio.outbound.apiKeySecret', { apiKeySid: KEY_SID }],
    ['twilio.outbound.apiKeySid', { apiKeySecret: 'x' }],
    ['twilio.outbound.region', { region: 'dublin' as never }],
    ['twilio.outbound.apiUrl', { apiUrl: 'ftp://x' }],
  ])('is refused with a wrong %s', (key, wrong) => {
    expect(() => load({ outbound: { ...OUTBOUND, ...wrong } })).toThrow(key)
  })

  it('never shows a secret', () => {
    const wrong = { ...OUTBOUND, apiKeySecret: 7 as unknown as string, apiKeySid: 'hidden' }
    expect(() => load({ outbound: wrong })).toThrow('not shown')
    expect(() => load({ outbound: wrong })).not.toThrow(': 7')
  })
})

describe('a phone number', () => {
  it('connects to an allowed destination', () => {
    expect(load(number({ dial: DIAL, menu: MENU })).twilio.numbers[NUMBER]).toEqual({
      dial: DIAL,
      menu: MENU,
    })
  })

  it.each<[string, NonNullable<Twilio['numbers']>[string]]>([
    ['dial.to', { dial: { ...DIAL, to: '+13105550123' } }],
    ['dial.to', { dial: { ...DIAL, to: NUMBER } }],
    ['dial.to', { dial: { ...DIAL, to: 'sip:a@b' } }],
    ['room', { dial: DIAL, room: 'desk' }],
    ['room', { roomCode: true, room: 'desk' }],
    ['roomCode', { roomCode: true, dial: DIAL }],
    ['menu', { menu: MENU }],
    ['menu.mode', { menu: { ...MENU, mode: 'remembered' }, room: 'desk' }],
    ['menu.languages', { menu: { languages: ['en-us'] }, room: 'desk' }],
    ['menu.languages', { menu: { languages: Array(10).fill('en-us') }, room: 'desk' }],
  ])('is refused with a wrong %s', (key, settings) => {
    expect(() => load(number(settings))).toThrow(`twilio.numbers.${NUMBER}.${key}`)
  })

  it('cannot dial while outbound calling is off', () => {
    expect(() => load(number({ dial: DIAL }, {}))).toThrow('twilio.outbound')
  })

  it('can have a disabled menu', () => {
    expect(() => load(number({ menu: { ...MENU, mode: 'fixed' } }))).not.toThrow()
  })
})

describe('calls', () => {
  it('have limits', () => {
    const { calls } = loadConfig({ env: {} })
    expect(calls).toEqual({ maxMinutes: 240, roomCodes: {} })
    expect(() => load({}, { maxMinutes: 0 })).toThrow('calls.maxMinutes')
  })

  it('have room codes that are hard to guess', () => {
    expect(load({}, { roomCodes: { '48291375': 'desk' } }).calls.roomCodes).toEqual({ '48291375': 'desk' })
    for (const code of ['1234567', '1234567890123', 'abcdef'])
      expect(() => load({}, { roomCodes: { [code]: 'desk' } })).toThrow()
  })

  it('remember caller languages only with a file and a key', () => {
    const remembered = { key: 'sixteen characters' }
    expect(
      load(number({ menu: { ...MENU, mode: 'remembered' }, room: 'desk' }), { callerLanguages: remembered })
        .calls.callerLanguages,
    ).toEqual(remembered)
    expect(() => load({}, { callerLanguages: { ...remembered, key: 'short' } })).toThrow(
      'calls.callerLanguages.key',
    )
    expect(() => load({}, { callerLanguages: { days: 3 } as unknown as typeof remembered })).toThrow(
      'calls.callerLanguages.key',
    )
  })
})
