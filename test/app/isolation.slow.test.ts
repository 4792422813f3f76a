import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Faults,
  type ScriptedSession,
  type SimulatedCall,
  toneOf,
  voiceOf,
} from '../../simulator/index.ts'
import { loudness } from '../../src/transcode/level.ts'
import { goodCalls } from '../support/e2e/expect-good-calls.ts'
import { LINE_RATE } from '../support/e2e/phones.ts'
import { sine } from '../support/transcode/tone.ts'
import { pause } from '../support/until.ts'

/** Maximum silence for a listener to a steady tone (ms): the lead covers 200, a busy machine the rest. */
const SILENCE_MOST_MS = 800

let g: Awaited<ReturnType<typeof goodCalls>>
beforeAll(async () => {
  g = await goodCalls()
})
afterAll(() => g.close())

/** Other calls were unaffected. Returns the warnings logged. */
async function undisturbed(misdeed: () => Promise<void>): Promise<string[]> {
  const { live, silenceMs, complaints } = await g.undisturbed(misdeed)
  expect(live).toBe(true)
  expect(silenceMs).toBeLessThanOrEqual(SILENCE_MOST_MS)
  return complaints
}

/** Level of `hz` in the last `ms` received by `call`. */
function level(call: SimulatedCall, hz: number, ms: number): number {
  return loudness(call.heard().subarray(-(ms * LINE_RATE) / 1_000), hz, LINE_RATE)
}

describe('two good calls hear their tones throughout while the service, in a third,', () => {
  /** A third call; `faults` are its session’s, `misdeed` is the service’s fault during it. */
  async function third(
    misdeed: (session: ScriptedSession, call: SimulatedCall) => Promise<void>,
    faults?: Faults,
  ) {
    return undisturbed(async () => {
      const count = g.service.sessions.length
      if (faults) g.service.next(faults)
      const call = await g.dial({ speaks: 'en-us', hears: 'it-it' })
      void call.say(voiceOf(sine(600, 1_000, 8_000, LINE_RATE), LINE_RATE, { loop: true }))
      const session = await g.service.sessionOf(count + 1)
      await misdeed(session, call)
      await call.hangUp()
    })
  }
  /** The call has another session, which translates. */
  const translatedAnew = async (session: ScriptedSession, call: SimulatedCall) => {
    const next = await g.service.sessionOf(session.number + 1)
    await g.until(() => next.fragments > 20, 10_000, 'audio on the new connection')
    await hearsTranslation(call)
  }
  const hearsTranslation = (call: SimulatedCall) =>
    g.until(() => level(call, toneOf('it-it'), 100) > 2_000, 10_000, 'the translation')

  test('reports an error about data', async () => {
    const complaints = await third(async (session, call) => {
      await hearsTranslation(call)
      session.error({ code: 'bad_audio', error: 'odd', description: 'odd' })
      await pause(300)
      await hearsTranslation(call)
    })
    expect(complaints).toEqual([expect.stringMatching(/service reported an error.*bad_audio\/odd/)])
  })

  test.each(['cut', 'kick'] as const)('drops the connection (%s)', async how => {
    const complaints = await third(async (session, call) => {
      await hearsTranslation(call)
      session.drop(how)
      await translatedAnew(session, call)
    })
    expect(complaints).toEqual([expect.stringMatching(/service connection lost.*SERVICE_LOST/)])
  })

  test('hangs', async () => {
    const complaints = await third(async (session, call) => {
      await hearsTranslation(call)
      session.hang()
      await translatedAnew(session, call)
    })
    expect(complaints).toEqual([expect.stringMatching(/service connection lost.*SERVICE_SILENT/)])
  })

  test('answers with invalid mp3', async () => {
    const { metrics } = g.app.relay
    const junk = metrics.mp3InvalidBytes
    // Like encrypted or compressed bytes: neither mp3 nor similar to samples.
    const data = createHash('shake256', { outputLength: 4_000 }).update('noise').digest()
    const mangle: Faults['mangle'] = result => ({
      ...result,
      file: { data, codec: 'mp3', sampleRate: 16_000 },
    })
    const complaints = await third(
      async (_session, call) => {
        await g.until(() => metrics.mp3InvalidBytes - junk >= 8_000, 10_000, 'that it is counted')
        // Comfort noise only.
        expect(Math.max(...call.heard().map(Math.abs))).toBeLessThan(200)
      },
      { mangle },
    )
    expect(complaints).toEqual([expect.stringMatching(/voice not decodable.*SERVICE_NOT_MP3/)])
  })

  test('answers with far too much at once', async () => {
    const complaints = await third(async (session, call) => {
      await hearsTranslation(call)
      session.emit('result', { final: true, text: 'x', file: { data: Buffer.alloc(8_000_000) } })
      await translatedAnew(session, call)
    })
    expect(complaints).toEqual([expect.stringMatching(/service connection lost.*SERVICE_LOST/)])
  })

  test('answers without end', async () => {
    const { metrics } = g.app.relay
    const dropped = metrics.utterancesDropped
    const complaints = await third(async (session, call) => {
      await hearsTranslation(call)
      const mp3 = g.maker.tone(toneOf('it-it'), 10_000)
      for (let n = 0; n < 100; n++) {
        session.say({ text: `${n}`, audio: mp3 })
        await pause(10)
      }
      await hearsTranslation(call)
    })
    expect(metrics.utterancesDropped).toBeGreaterThan(dropped)
    expect(complaints).toEqual([])
  })
})
