import { expect, test } from 'vitest'
import { tone, toneOf, tones } from '../../simulator/service/scripted-answers.ts'
import { ScriptedService } from '../../simulator/service/scripted-service.ts'
import { placeCall } from '../../simulator/twilio/phone/call.ts'
import { loudness } from '../../src/transcode/level.ts'
import { Shell } from '../support/shell.ts'
import { until } from '../support/until.ts'

const RATE = 8_000
const PATIENCE_MS = 60_000

test('two phones in one room, in two languages, hear each other translated and not themselves', async () => {
  // Answers each sentence with the tone of the requested language.
  await using service = await ScriptedService.listen({ answer: tones() })
  await using shell = await Shell.open()
  const serving = shell.startWith(
    { DRAGOMAN_SERVICE_URL: service.url, DRAGOMAN_SERVICE_API_KEY: service.apiKey },
    ...['serve', '--port', '0', '--insecure'],
  )
  const [, address = ''] = await serving.says(/on the line at (http:\S+)/)
  const call = (language: string) => {
    const wishes = new URLSearchParams({ room: 'desk', speaks: language, hears: language, original: 'off' })
    return placeCall({ webhook: `${address}/twilio/voice?${wishes}`, allowInsecureStream: true })
  }
  await using anna = await call('en-us')
  await using bruno = await call('es-es')
  const hears = (phone: typeof anna, language: string) =>
    until(() => loudness(phone.heard(), toneOf(language), RATE) > 50, PATIENCE_MS, `hearing ${language}`)

  await anna.say(tone(440, 1_000, RATE), RATE)
  await hears(bruno, 'es-es')
  await bruno.say(tone(550, 1_000, RATE), RATE)
  await hears(anna, 'en-us')
  for (const [phone, language] of [
    [anna, 'es-es'],
    [bruno, 'en-us'],
  ] as const)
    expect(loudness(phone.heard(), toneOf(language), RATE)).toBeLessThan(50)
  await Promise.all([anna.hangUp(), bruno.hangUp()])
  for (const phone of [anna, bruno])
    expect([phone.report().errors, phone.report().warnings]).toEqual([[], []])
  expect(await serving.end('SIGTERM'), serving.err).toBe(0)
})
