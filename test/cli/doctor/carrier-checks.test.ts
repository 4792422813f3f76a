import { afterEach, describe, expect, test } from 'vitest'
import {
  listenPlivo,
  listenSignalwire,
  listenTelnyx,
  type TwilioSimulator,
  telnyxPublicKey,
} from '../../../simulator/index.ts'
import { loadConfig } from '../../../src/app/settings/load.ts'
import { carrierAccountChecks } from '../../../src/cli/doctor/carrier-checks.ts'

const FROM = '+15550001111'
const HERE = 'https://bridge.example.com'
const SECTION = { from: FROM, allowedPrefixes: ['+34'] }

let simulator: TwilioSimulator | undefined
afterEach(() => simulator?.close())

/** The findings for these sections of the settings. */
function checks(overrides: object) {
  return carrierAccountChecks(loadConfig({ env: {}, overrides: { publicUrl: HERE, ...overrides } }))
}

async function plivo(options = {}, more = {}) {
  simulator = await listenPlivo({ numbers: { [FROM]: {} }, ...options })
  const { url: apiUrl, accountSid: authId, authToken } = simulator
  return checks({ plivo: { authToken, outbound: { ...SECTION, authId, apiUrl }, ...more } })
}

async function signalwire(options = {}, more = {}) {
  simulator = await listenSignalwire({ numbers: { [FROM]: {} }, ...options })
  const { url: apiUrl, accountSid: projectId, authToken: apiToken } = simulator
  const outbound = { ...SECTION, space: 'example.signalwire.com', projectId, apiToken, apiUrl, ...more }
  return checks({ signalwire: { signingKey: 'key', outbound } })
}

async function telnyx(voiceUrl: string, more = {}) {
  simulator = await listenTelnyx({ numbers: { [FROM]: {} }, voiceUrl })
  const { url: apiUrl, accountSid, authToken: apiKey } = simulator
  const outbound = { ...SECTION, apiKey, accountSid, applicationId: '1494404757140276705', apiUrl, ...more }
  return checks({ telnyx: { publicKey: telnyxPublicKey('key'), outbound } })
}

describe('the doctor’s checks of accounts', () => {
  test('are skipped for carriers without outbound calls', async () => {
    expect(await checks({ plivo: { authToken: 'token' } })).toEqual([])
  })

  test('pass for valid credentials', async () => {
    expect(await plivo()).toMatchObject([{ name: 'Plivo account', status: 'ok' }])
    await simulator?.close()
    expect(await signalwire()).toMatchObject([{ name: 'SignalWire account', status: 'ok' }])
    await simulator?.close()
    expect(await telnyx(`${HERE}/telnyx/voice?room=desk`)).toMatchObject([{ status: 'ok' }])
  })

  test('report wrong credentials', async () => {
    expect(await plivo({}, { authToken: 'wrong' })).toMatchObject([
      { status: 'fail', found: expect.stringContaining('auth token is wrong'), fix: 'check plivo.outbound' },
    ])
    await simulator?.close()
    expect(await signalwire({}, { apiToken: 'wrong' })).toMatchObject([{ status: 'fail' }])
    await simulator?.close()
    expect(await telnyx('', { apiKey: 'wrong' })).toMatchObject([
      { status: 'fail', found: expect.stringContaining('API key is wrong') },
    ])
  })

  test('report what the carrier says about the account', async () => {
    expect(await plivo({ type: 'Trial' })).toMatchObject([
      { status: 'fail', found: 'a trial account only calls verified numbers' },
    ])
    await simulator?.close()
    expect(await telnyx('https://elsewhere.example.com/telnyx/voice')).toMatchObject([
      { status: 'warn', found: 'its application has https://elsewhere.example.com/telnyx/voice' },
    ])
    await simulator?.close()
    expect(await telnyx('', { applicationId: '1' })).toMatchObject([{ status: 'warn' }])
  })

  test('warn if the carrier does not answer', async () => {
    const outbound = { ...SECTION, authId: `MA${'X'.repeat(18)}`, apiUrl: 'http://127.0.0.1:9' }
    expect(await checks({ plivo: { authToken: 'token', outbound } })).toMatchObject([{ status: 'warn' }])
  })
})
