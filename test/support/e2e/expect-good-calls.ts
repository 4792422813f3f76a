import {
  Mp3Maker,
  ScriptedService,
  type SimulatedCall,
  toneOf,
  tones,
  voiceOf,
} from '../../../simulator/index.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { LogLines } from '../log-lines.ts'
import { sine } from '../transcode/tone.ts'
import { pause } from '../until.ts'
import { bridge, LINE_RATE } from './phones.ts'

const AUTH_TOKEN = 'a token for this test'
/** The service’s responses: a tone for each language, as long as the speech, twice a second. */
const ANSWER_EVERY_MS = 500

/** A bridge with signatures, a service that responds with tones, and two good calls that talk all the time. */
export async function goodCalls() {
  const service = await ScriptedService.listen({ answer: tones({ everyMs: ANSWER_EVERY_MS }) })
  const log = new LogLines()
  const all = await bridge(
    {
      service: { url: service.url, apiKey: service.apiKey },
      twilio: { authToken: [AUTH_TOKEN] },
    },
    { ownAuthTokens: true, log },
  )
  const signed = { authToken: AUTH_TOKEN, publicUrl: all.address }
  const dial: typeof all.dial = (query, options) => all.dial(query, { ...signed, ...options })
  const good: { call: SimulatedCall; hz: number }[] = []
  for (const [language, hz] of [
    ['es-es', 500],
    ['fr-fr', 700],
  ] as const) {
    const call = await dial({ speaks: 'en-us', hears: language })
    void call.say(voiceOf(sine(hz, 1_000, 8_000, LINE_RATE), LINE_RATE, { loop: true }))
    good.push({ call, hz: toneOf(language) })
  }
  await all.until(
    () => good.every(({ call, hz }) => hearsSteadily(call, hz)),
    20_000,
    'that the good calls hear their tones',
  )

  /**
   * While `misdeed` runs and for half a second afterwards, both good calls survive and hear their tone. Returns the
   * longest silence of either (ms), and the warnings logged meanwhile.
   */
  const undisturbed = async (misdeed: () => Promise<void>) => {
    const lines = log.complaints.length
    const from = good.map(({ call }) => call.heard().length)
    await misdeed()
    await pause(500)
    const silences = good.map(({ call, hz }, index) => longestSilence(call, hz, from[index]))
    return {
      live: good.every(({ call }) => call.live),
      silenceMs: Math.max(...silences),
      complaints: log.complaints.slice(lines),
    }
  }
  const close = async () => {
    await Promise.all(good.map(({ call }) => call.hangUp()))
    await all.app.close()
    await service.close()
  }
  return { ...all, maker: await Mp3Maker.create(), service, log, dial, good, undisturbed, close }
}

/** The last second has no gap beyond what a busy machine could cause. */
function hearsSteadily(call: SimulatedCall, hz: number): boolean {
  const from = call.heard().length - LINE_RATE
  return from > 0 && longestSilence(call, hz, from) <= 100
}

/** The longest stretch without `hz` in the audio of `call` from sample `from` on (ms). */
function longestSilence(call: SimulatedCall, hz: number, from = 0): number {
  const heard = call.heard().subarray(Math.max(0, from))
  const step = LINE_RATE / 50
  let longest = 0
  let silent = 0
  for (let at = 0; at + step <= heard.length; at += step) {
    silent = loudness(heard.subarray(at, at + step), hz, LINE_RATE) < 1_000 ? silent + 20 : 0
    longest = Math.max(longest, silent)
  }
  return longest
}
