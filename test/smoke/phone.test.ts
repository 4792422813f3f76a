import { expect, test } from 'vitest'
import { placeCall } from '../../simulator/twilio/phone/call.ts'
import { peak } from '../../src/transcode/level.ts'
import { LINE_RATE, sentence } from '../support/e2e/phones.ts'
import { Shell } from '../support/shell.ts'
import { until } from '../support/until.ts'

const PUBLIC_URL = 'https://bridge.example.com'
const AUTH_TOKEN = 'the token of the account'
const PATIENCE_MS = 90_000
const CAPTION = /^en-us .*\byoung man\b[\s\S]*^es-es .*\bhombre joven\b/m

test('a person calls the number, speaks English, and hears it in Spanish from the embedded service', async () => {
  await using shell = await Shell.open()
  const settings = { DRAGOMAN_PUBLIC_URL: PUBLIC_URL, DRAGOMAN_TWILIO_AUTH_TOKEN: AUTH_TOKEN }
  const serving = shell.startWith(settings, 'serve', '--port', '0', '--captions')
  const [, address = ''] = await serving.says(/on the line at (http:\S+)/)
  await using phone = await placeCall({
    webhook: `${address}/twilio/voice`,
    publicUrl: PUBLIC_URL,
    authToken: AUTH_TOKEN,
  })
  await phone.say(await sentence(2), LINE_RATE)
  await serving.says(CAPTION)
  // The phone confirms marks that it has played: there was a voice, to its end.
  await until(() => phone.report().marksPlayed > 0, PATIENCE_MS, 'the translation')
  const heard = phone.heard()
  expect(peak(heard)).toBeGreaterThan(2_000)
  expect((await phone.hangUp()).kind).toBe('hangup')
  expect([phone.report().errors, phone.report().warnings]).toEqual([[], []])
  expect(await serving.end('SIGTERM'), serving.err).toBe(0)
})
