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

/** A number of each carrier, whose callers enter the code of their room. */
const DESK = '+15005550006'
const numbers = { [DESK]: { roomCode: true } }

/** Callers of four carriers in one room, all with the same language, so that each hears the others’ own voices. */
async function meet() {
  const app = await buildApp(
    {
      ...{ host: '127.0.0.1', port: 0, service: { url: 'http://127.0.0.1:1', apiKey: 'k' } },
      languages: { speaks: 'en-us', hears: 'en-us' },
      twilio: { authToken: [TOKEN], numbers },
      ...{ signalwire: { numbers }, telnyx: { numbers }, plivo: { numbers } },
    },
    { ownAuthTokens: true, translator: new FakeTranslator() },
  )
  onTestFinished(() => app.close())
  const url = await app.listen()
  const code = await app.roomCodes.issue('desk', 60_000)
  const phones = await Promise.all(
    CALLERS.map(async ([carrier, hz]) => {
      const phone = await placeCall({
        ...{ webhook: `${url}/${carrier}/voice`, to: DESK },
        ...{ authToken: TOKEN, allowInsecureStream: true, profile: PHONE_PROFILES[carrier]! },
        ...(carrier === 'telnyx' ? { quirks: { shuffleMs: 60 } } : {}),
      })
      onTestFinished(async () => void (await phone.hangUp()))
      for (const key of code) phone.press(key)
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

test('callers of four carriers enter a code, meet in one room, hear each other, and are counted by carrier', async () => {
  const { app, phones } = await meet()
  await until(
    () => app.relay.rooms.get('desk')?.participants.size === CALLERS.length,
    20_000,
    'all participants',
  )
  const metrics = (await app.server.inject('/metrics')).body
  for (const [carrier] of CALLERS)
    expect(metrics).toContain(`dragoman_telephony_streams{carrier="${carrier}"} 1`)
  await Promise.all(phones.map(({ phone, hz }) => phone.say(sine(hz, 800, 8_000, RATE), RATE)))
  for (const { carrier, phone } of phones)
    for (const other of phones)
      if (other.phone !== phone)
        await until(() => hears(phone.heard(), other.hz), 10_000, `${carrier} hears ${other.carrier}`)
  for (const { carrier, phone } of phones)
    expect([carrier, phone.report().warnings, phone.report().errors]).toEqual([carrier, [], []])
})
