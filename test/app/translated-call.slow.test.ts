import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { peak, rms } from '../../src/transcode/level.ts'
import { concat } from '../../src/transcode/pcm.ts'
import { createResampler } from '../../src/transcode/resample/resampler.ts'
import { readWav } from '../../src/transcode/wav.ts'
import { bridge, envelope, LINE_RATE, recognised, sentence, similarity } from '../support/e2e/phones.ts'
import { wakeSessions } from '../support/relay/hello.ts'
import { NEVER_LATE } from '../support/service/no-lag.ts'

type Bridge = Awaited<ReturnType<typeof bridge>>
let b: Bridge

beforeAll(async () => {
  b = await bridge()
})
afterAll(() => b.app.close())

const SAID = 'had he married a more amiable woman he might have been made still more respectable than he was'

/** The embedded voice’s audio for `text` at the line’s rate: the reference for what must be audible. */
async function spanish(text: string): Promise<Int16Array> {
  const espeak = spawn('espeak-ng', ['-v', 'es', '-s', '165', '-a', '80', '--stdin', '--stdout'])
  const chunks: Buffer[] = []
  espeak.stdout.on('data', chunk => chunks.push(chunk))
  espeak.stdin.end(text)
  await once(espeak, 'close')
  const wav = readWav(Buffer.concat(chunks))
  return createResampler(wav.rate, LINE_RATE).process(wav.pcm).slice()
}

/** Opens the sessions of `room` before anybody speaks, and resolves when one of them has this state. */
async function opened(room: string, status: 'live' | 'ended' = 'live', at = b): Promise<void> {
  await at.until(() => {
    wakeSessions(at.app.relay, performance.now())
    const interpretations = at.app.relay.rooms.get(room)?.interpretations ?? []
    return [...interpretations].some(({ session }) => session.state.status === status)
  })
}

// Real engines, real time, on any machine: the timeouts account for that.
/** Peak above that of comfort noise. */
const NOISE = 200
/** Each attempt has its own room. */
let attempts = 0

describe('a phone call with the embedded engines and a real voice', () => {
  test('a caller alone hears their own English as Spanish', async () => {
    const phone = await b.dial()
    await phone.say(await sentence(4), LINE_RATE)
    await b.until(() => b.utterances.some(e => e.stage === 'heard'), 30_000)
    const heard = phone.heard()
    await phone.hangUp()

    const finals = b.captions.filter(c => c.final)
    const english = finals.map(c => c.text).join(' ')
    expect(recognised(SAID, english)).toBeGreaterThan(0.5)
    const translation = finals.map(c => c.translation).join(' ')
    expect(translation.toLowerCase()).toMatch(/\b(casad|casó|mujer|respetable|más|podría|tuvo|amable)/)
    expect(b.captions.some(c => !c.final && c.text)).toBe(true)

    // The audio is the Spanish voice speaking this translation.
    const wanted = envelope(await spanish(finals[0]?.translation ?? ''))
    const got = envelope(heard)
    const begin = got.findIndex(level => level > 200)
    const { best } = similarity(
      Int16Array.from(wanted.slice(0, 60)),
      Int16Array.from(got.slice(Math.max(0, begin - 20))),
    )
    expect(best).toBeGreaterThan(0.8)
    expect(rms(heard.subarray(begin * 160, (begin + 100) * 160))).toBeGreaterThan(500)
    expect(peak(heard)).toBeLessThan(32_700)

    const report = phone.report()
    expect(report.warnings).toEqual([])
    expect(report.errors).toEqual([])
    expect(report.unconfirmedMarks).toEqual([])
    expect(report.marksPlayed).toBeGreaterThanOrEqual(1)
  })

  test('two phones in one room: the listener hears the original softly, and the latency is known by stage', async () => {
    // By utterance: each translation has a latency, which starts where the words end.
    const b = await bridge({ embedded: { ...NEVER_LATE, simultaneous: { mode: 'utterance', pairs: {} } } })
    onTestFinished(() => b.app.close())
    const listener = await b.dial({ room: 'two', speaks: 'none', hears: 'es-es' })
    const caller = await b.dial({ room: 'two', speaks: 'en-us', hears: 'en-us' })
    await opened('two', 'live', b)
    const said = await sentence(5)
    await caller.say(said, LINE_RATE)
    await b.until(() => b.utterances.some(e => e.stage === 'heard'), 30_000)
    await caller.hangUp()
    const heard = listener.heard()
    await listener.hangUp()

    // In pieces: breaks on a busy machine leave one of them incomplete.
    const pieces = [8_000, 10_000, 12_000, 14_000].flatMap(from => {
      const piece = said.subarray(from, from + 2_000)
      const { best, at } = similarity(piece, heard)
      return best > 0.8 ? [20 * Math.log10(rms(heard.subarray(at, at + 2_000)) / rms(piece))] : []
    })
    expect(pieces.length).toBeGreaterThanOrEqual(2)
    // Between translations: 10 LU below their loudness, which is about that of the recording.
    for (const gainDb of pieces) {
      expect(gainDb).toBeGreaterThan(-12)
      expect(gainDb).toBeLessThan(-4)
    }

    const latencies = b.utterances.flatMap(e =>
      e.stage === 'begun' && e.latencyMs !== undefined ? [e.latencyMs] : [],
    )
    expect(latencies.length).toBeGreaterThan(0)
    // The latency by stage: the embedded service reports its share, and the parts add up to the whole.
    const begun = b.utterances.findLast(e => e.stage === 'begun' && e.stages?.recognitionMs !== undefined)
    const stages = begun?.stages ?? {}
    expect(Object.keys(stages).toSorted()).toEqual([
      'bridgeMs',
      'networkMs',
      'recognitionMs',
      'synthesisMs',
      'translationMs',
    ])
    expect(Object.values(stages).reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(begun?.latencyMs ?? -1)
    // An utterance ends at a pause of 0.3 s, so recognition takes at least about that.
    expect(stages.recognitionMs).toBeGreaterThan(200)
    // The embedded service reports its state, from a separate process.
    const figures = () => b.app.server.metrics.metrics()
    await expect.poll(figures, { timeout: 60_000 }).toMatch(/^dragoman_service_sessions_limit [1-9]/m)
    expect(await figures()).toMatch(/^dragoman_stage_seconds_count\{stage="synthesis"\} [1-9]/m)
    expect(await figures()).toMatch(/^dragoman_http_connections\{server="service"\} [1-9]/m)
    // The value belongs to the benchmark; this only checks that it exists.
    expect(Math.min(...latencies)).toBeLessThan(30_000)
    expect(peak(caller.heard())).toBeLessThan(NOISE)
    expect([...listener.report().warnings, ...caller.report().warnings]).toEqual([])
  })

  test('a sentence of 15 s is heard translated before it ends', async () => {
    const listener = await b.dial({ room: 'long', speaks: 'none', hears: 'es-es', original: 'off' })
    const caller = await b.dial({ room: 'long', speaks: 'en-us', hears: 'en-us' })
    await opened('long')
    const said = concat(await Promise.all([1, 3, 4].map(sentence))).subarray(0, 15 * LINE_RATE)
    const saying = caller.say(said, LINE_RATE)
    await Promise.race([
      b.until(() => peak(listener.heard()) > 10 * NOISE, 40_000, 'the translation'),
      saying.then(() => Promise.reject(new Error('the sentence ended without a translation'))),
    ])
    await saying
    await b.until(() => b.utterances.some(e => e.room === 'long' && e.stage === 'heard'), 40_000)
    await caller.hangUp()
    await listener.hangUp()
    expect(listener.report().warnings).toEqual([])
  })

  test('the service is killed during a sentence: the original is heard, then the whole sentence translated', async () => {
    b.captions.length = 0
    b.utterances.length = 0
    const room = `kill ${++attempts}`
    const listener = await b.dial({ room, speaks: 'none', hears: 'es-es', original: 'off' })
    const caller = await b.dial({ room, speaks: 'en-us', hears: 'en-us' })
    await opened(room)
    const said = await sentence(4)
    const saying = caller.say(said, LINE_RATE)
    // In the middle: words were spoken and acknowledged, without results.
    await b.until(() => b.captions.some(c => !c.final))
    const before = listener.heard()
    expect(peak(before)).toBeLessThan(NOISE)
    const restarts = b.app.service?.restarts ?? 0
    process.kill(b.app.service?.pid ?? Number.NaN, 'SIGKILL')
    const killedAt = before.length
    await b.until(() => peak(listener.heard().subarray(killedAt)) > NOISE, 5_000, 'the original voice')
    const first = listener
      .heard()
      .subarray(killedAt)
      .findIndex(sample => Math.abs(sample) > NOISE)
    await b.until(() => listener.heard().length > killedAt + first + 3_200, 5_000, 'some more of it')
    const after = listener.heard().subarray(killedAt)
    // It is that voice, word for word: its loudest 40 ms occur in the speech, at the same level.
    const pieces = Array.from({ length: 10 }, (_, n) =>
      after.subarray(first + n * 320, first + (n + 1) * 320),
    )
    const loudest = pieces.reduce((a, c) => (rms(c) > rms(a) ? c : a))
    const { best, at } = similarity(loudest, said)
    expect(best).toBeGreaterThan(0.9)
    expect(rms(loudest) / rms(said.subarray(at, at + 320))).toBeCloseTo(1, 0)

    await saying
    await b.until(() => b.utterances.some(e => e.stage === 'heard'), 40_000, 'the translation')
    expect(b.app.service?.restarts).toBe(restarts + 1)
    const text = b.captions
      .filter(c => c.final)
      .map(c => c.text)
      .join(' ')
    expect(recognised(SAID, text)).toBeGreaterThan(0.5)
    expect(text).toMatch(/married|amiable|woman/)
    expect(text).toMatch(/respectable|still|made/)
    expect(caller.live && listener.live).toBe(true)
    await caller.hangUp()
    await listener.hangUp()
    expect(listener.report().warnings).toEqual([])
    expect(b.app.relay.metrics.lostMs).toBe(0)
  })

  test('a language that the service lacks: people hear each other, with one clear log line', async () => {
    const listener = await b.dial({ room: 'none', speaks: 'none', hears: 'en-us', original: 'off' })
    const caller = await b.dial({ room: 'none', speaks: 'fr-fr', hears: 'fr-fr' })
    await opened('none', 'ended')
    await caller.say(await sentence(2), LINE_RATE)
    expect(peak(listener.heard())).toBeGreaterThan(2_000)
    await caller.hangUp()
    await listener.hangUp()
  })
})
