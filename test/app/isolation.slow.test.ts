import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import {
  type Faults,
  type Quirks,
  type ScriptedSession,
  type SimulatedCall,
  toneOf,
  voiceOf,
} from '../../simulator/index.ts'
import { sign } from '../../src/bridges/phone/twilio/index.ts'
import { loudness } from '../../src/transcode/level.ts'
import { AUTH_TOKEN, goodCalls } from '../support/e2e/expect-good-calls.ts'
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

const streamsEnded = (call: SimulatedCall, count = 1) =>
  g.until(() => call.report().streams.filter(({ end }) => end).length >= count, 10_000, 'the end of a stream')

describe('two good calls hear their tones throughout', () => {
  // Twilio continues with the call’s `<Redirect>` after each: every rejected stream logs its own line.
  test.each([
    ['a wrong token', { parameters: { token: 'x'.repeat(43) } }, 4401, 'unauthorized'],
    ['another call’s CallSid', { callSid: `CA${'0'.repeat(32)}` }, 4401, 'unauthorized'],
    ['no token', { omitParameters: true }, 4401, 'unauthorized'],
    ['a binary frame', { badMessage: 'binary' }, 1003, 'binary'],
    ['a message of 1 MB', { badMessage: 'oversized' }, 1009, 'too-large'],
  ] as [string, Quirks, number, string][])('%s', async (_what, quirks, code, fault) => {
    let refused = 0
    let opened = 0
    const complaints = await undisturbed(async () => {
      const call = await g.dial({}, { quirks })
      await streamsEnded(call)
      await call.hangUp()
      const { streams: all } = call.report()
      refused = all.filter(({ end }) => end?.by === 'server').length
      opened = all.length
      expect(all[0]?.end).toMatchObject({ by: 'server', code })
    })
    // The last one can be rejected while the caller is hanging up.
    expect(complaints.length).toBeGreaterThanOrEqual(refused)
    expect(complaints.length).toBeLessThanOrEqual(opened)
    for (const line of complaints) expect(line).toContain(fault)
  })

  test('the second use of a token', async () => {
    const complaints = await undisturbed(async () => {
      const call = await g.dial({}, { quirks: { twinSocket: true } })
      await g.until(() => call.report().streams[0]?.twin !== undefined, 10_000, 'the end of the twin')
      expect(call.report().streams[0]?.twin).toMatchObject({ by: 'server', code: 4401 })
      expect(call.live).toBe(true)
      await call.hangUp()
    })
    expect(complaints).toEqual([expect.stringContaining('"cause":"unauthorized"')])
  })

  test.each(['none', 'wrong-token'] as const)('a webhook whose signature is %s', async webhookSignature => {
    const complaints = await undisturbed(async () => {
      const call = await g.dial({}, { quirks: { webhookSignature } })
      expect(await call.ended).toMatchObject({ kind: 'failed', code: 11200 })
      expect(call.report().streams).toEqual([])
    })
    expect(complaints).toEqual([expect.stringMatching(/invalid signature.*voice/)])
  })

  test.each(['none', 'wrong-token', 'other-path'] as const)(
    'a media socket whose signature is %s',
    async streamSignature => {
      let streams = 0
      const complaints = await undisturbed(async () => {
        const call = await g.dial({}, { quirks: { streamSignature } })
        await streamsEnded(call)
        await call.hangUp()
        for (const { end } of call.report().streams) {
          if (end?.by !== 'refused') continue
          expect(end.code).toBe(403)
          streams++
        }
      })
      expect(streams).toBeGreaterThan(0)
      expect(complaints).toHaveLength(streams)
      for (const line of complaints) expect(line).toMatch(/invalid signature.*media/)
    },
  )

  // A single mistake is tolerated: one line, and the call continues and is translated.
  test.each([
    ['invalid JSON', { badMessage: 'json' }, 'bad json'],
    ['wrong base64', { badMessage: 'base64' }, 'bad payload'],
    ['an unknown event', { unknownEvent: true }, 'unknown event'],
  ] as [string, Quirks, string][])('%s', async (_what, quirks, fault) => {
    const complaints = await undisturbed(() => translated(quirks))
    expect(complaints).toHaveLength(1)
    expect(complaints[0]?.toLowerCase()).toContain(fault)
  })

  test('a few media messages before start, which are allowed', async () => {
    expect(await undisturbed(() => translated({ mediaBeforeStart: true }))).toEqual([])
  })

  test('media without a start', async () => {
    const url = g.address.replace('http:', 'ws:')
    const complaints = await undisturbed(async () => {
      const headers = { 'x-twilio-signature': sign(AUTH_TOKEN, `${url}/twilio/media`) }
      const socket = new WebSocket(`${url}/twilio/media`, { headers, perMessageDeflate: false })
      const closed = new Promise(resolve => socket.once('close', resolve))
      socket.once('open', () => {
        const payload = Buffer.alloc(160, 0xff).toString('base64')
        for (let n = 0; n < 60; n++)
          socket.send(JSON.stringify({ event: 'media', media: { timestamp: String(n * 20), payload } }))
      })
      expect(await closed).toBe(4408)
    })
    expect(complaints).toEqual([expect.stringContaining('"cause":"no-start"')])
  })
})

/** A call with `quirks` is still translated. */
async function translated(quirks: Quirks): Promise<void> {
  const call = await g.dial({ speaks: 'en-us', hears: 'it-it' }, { quirks })
  void call.say(sine(600, 1_500, 8_000, LINE_RATE), LINE_RATE)
  await g.until(() => level(call, toneOf('it-it'), 200) > 2_000, 10_000, 'the translation')
  expect(call.live).toBe(true)
  await call.hangUp()
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
