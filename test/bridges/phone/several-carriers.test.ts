import { expect, onTestFinished, test } from 'vitest'
import { FakeTranslator, PHONE_PROFILES, placeCall } from '../../../simulator/index.ts'
import { buildApp } from '../../../src/app/app.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { sine } from '../../support/transcode/tone.ts'
import { until } from '../../support/until.ts'

const TOKEN = 'a token of this server that nobody has'
const RATE = 8_000
const CALLERS = [
  ['twilio', 500],
  ['signalwire', 900],
  ['telnyx', 1_400],
  ['plivo', 2_100],
] as const

/** Callers of four carriers in one room, all with the same language, so that each hears the others’ own voices. */
async function meet() {
  const app = await buildApp(
    {
      ...{ host: '127.0.0.1', port: 0, service: { url: 'http://127.0.0.1:1', apiKey: 'k' } },
      languages: { speaks: 'en-us', hears: 'en-us' },
      twilio: { authToken: [TOKEN] },
    },
    { ownAuthTokens: true, translator: new FakeTranslator() },
  )
  onTestFinished(() => app.close())
  const url = await app.listen()
  const phones = await Promise.all(
    CALLERS.map(async ([carrier, hz]) => {
      const phone = await placeCall({
        webhook: `${url}/${carrier}/voice?room=desk&speaks=en-us&hears=en-us`,
        ...{ authToken: TOKEN, allowInsecureStream: true, profile: PHONE_PROFILES[carrier]! },
        ...(carrier === 'telnyx' ? { quirks: { shuffleMs: 60 } } : {}),
      })
      onTestFinished(async () => void (await phone.hangUp()))
      return { carrier, hz, phone }
    }),
  )
  return { app, phones }
}

function hears(pcm: Int16Array, hz: number): boolean {
  for (let at = 0; at + RATE / 5 <= pcm.length; at += RATE / 10)
    if (loudness(pcm.subarray(at, at + RATE / 5), hz, RATE) > 1_000) return true
  return false
}

test('callers of four carriers meet in one room and hear each other', async () => {
  const { app, phones } = await meet()
  await until(
    () => app.relay.rooms.get('desk')?.participants.size === CALLERS.length,
    20_000,
    'all participants',
  )
  await Promise.all(phones.map(({ phone, hz }) => phone.say(sine(hz, 800, 8_000, RATE), RATE)))
  for (const { carrier, phone } of phones)
    for (const other of phones)
      if (other.phone !== phone)
        await until(() => hears(phone.heard(), other.hz), 10_000, `${carrier} hears ${other.carrier}`)
  for (const { carrier, phone } of phones)
    expect([carrier, phone.report().warnings, phone.report().errors]).toEqual([carrier, [], []])
})

test('their metrics have the name of the carrier', async () => {
  const { app, phones } = await meet()
  await until(() => app.relay.legs === CALLERS.length, 20_000, 'all legs')
  const text = (await app.server.inject('/metrics')).body
  for (const { carrier } of phones)
    expect(text).toContain(`dragoman_telephony_streams{carrier="${carrier}"} 1`)
})
