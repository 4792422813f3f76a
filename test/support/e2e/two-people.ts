import { type AppConfig, buildApp } from '../../../src/app/app.ts'
import type { NumberSettings } from '../../../src/bridges/telephony/number-settings.ts'
import { FakeTranslator } from '../../../src/simulator/fakes/fake-translator.ts'
import { type SimulatedCall, TwilioSimulator } from '../../../src/simulator/index.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { LogLines } from '../log-lines.ts'
import { FakeAnnouncer } from '../relay/fake-announcer.ts'

export const PUBLIC = 'https://bridge.example.com'
/** Our number, the caller and the callee. */
export const LINE = '+15005550001'
export const ANA = '+34600111222'
export const BEN = '+34600333444'
export const DESK = '+12125550123'
/** Our second number: callers enter a code. */
export const CODES = '+15005550002'
const LINE_RATE = 8_000
/** Amplitudes of tones: a notice, and an original under a translation. */
const LOUD = 3_000
export const SOFT = 700

export interface TwoPeopleOptions {
  readonly dial?: Partial<NonNullable<NumberSettings['dial']>>
  readonly calls?: AppConfig['calls']
  readonly machineDetection?: boolean
  readonly ringSeconds?: number
}

/** The whole server, Twilio’s REST API and phones, all on loopback; notices are tones, and there is no translation. */
export async function twoPeople({
  dial,
  calls,
  machineDetection = true,
  ringSeconds = 20,
}: TwoPeopleOptions = {}) {
  const twilio = await TwilioSimulator.listen({
    allowInsecureStream: true,
    numbers: Object.fromEntries(
      [LINE, CODES].map(number => [
        number,
        { VoiceUrl: `${PUBLIC}/twilio/voice`, StatusCallback: `${PUBLIC}/twilio/status` },
      ]),
    ),
  })
  const announcer = new FakeAnnouncer()
  const log = new LogLines()
  const numbers: Record<string, NumberSettings> = {
    [LINE]: { speaks: 'es-es', name: 'Ana', dial: { to: DESK, speaks: 'en-us', name: 'Desk', ...dial } },
    [CODES]: { roomCode: true, menu: { languages: ['en-us', 'es-es'] } },
  }
  const { accountSid, authToken, url: apiUrl } = twilio
  const app = await buildApp(
    {
      host: '127.0.0.1',
      port: 0,
      publicUrl: PUBLIC,
      service: {},
      languages: { speaks: 'en-us', hears: 'es-es' },
      calls,
      twilio: {
        authTokens: [authToken],
        numbers,
        outbound: {
          accountSid,
          authToken,
          apiUrl,
          from: LINE,
          allowedPrefixes: ['+1212'],
          machineDetection,
          ringSeconds,
        },
      },
    },
    { translator: new FakeTranslator(), announcer, log },
  )
  twilio.route(PUBLIC, await app.listen())
  const desk = twilio.subscriber(DESK)
  const call = (from: string, to = LINE) => twilio.subscriber(from).dial(to)
  /** Waits until `look` returns a truthy value; for real sockets, in real time. */
  const until = async (look: () => unknown, what: string, withinMs = 20_000) => {
    const deadline = performance.now() + withinMs
    while (!look()) {
      if (performance.now() > deadline) throw new Error(`${what} did not happen`)
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }
  /** Waits until `phone` has heard the tone of `hz` in its last 300 ms, at any level. */
  const hears = (phone: SimulatedCall, hz: number, least = SOFT) =>
    until(
      () => loudness(phone.heard().subarray(-0.3 * LINE_RATE), hz, LINE_RATE) > least,
      `a tone of ${hz} Hz`,
    )
  const hearsNotice = (phone: SimulatedCall, hz: number) => hears(phone, hz, LOUD)
  return {
    app,
    twilio,
    announcer,
    log,
    desk,
    call,
    until,
    hears,
    hearsNotice,
    async [Symbol.asyncDispose]() {
      await app.close()
      await twilio.close()
    },
  }
}

/** Returns true if `pcm` (8 kHz) contains the tone for a fifth of a second; `least`: its amplitude. */
export function everHeard(pcm: Int16Array, hz: number, least = LOUD): boolean {
  for (let at = 0; at + 1_600 <= pcm.length; at += 800)
    if (loudness(pcm.subarray(at, at + 1_600), hz, LINE_RATE) > least) return true
  return false
}
