import { describe, expect, test } from 'vitest'
import { systemClock, Ticker } from '../../../src/common/clock.ts'
import type { Caption } from '../../../src/core/model/caption.ts'
import { relayOptions } from '../../../src/core/model/relay-settings.ts'
import { Relay } from '../../../src/core/room/relay.ts'
import { ServiceTranslator } from '../../../src/service/client/translator.ts'
import { EngineSet } from '../../../src/service/engines/engine-set.ts'
import { loudness } from '../../../src/transcode/level.ts'
import { concat, durationMs, FRAME_MS, FRAME_SAMPLES } from '../../../src/transcode/pcm.ts'
import { FAKE_INTERPRETERS, type FakeInterpreter } from '../../support/engines/live/fake-interpreters.ts'
import { TONE_WORDS } from '../../support/engines/live/tone-ears.ts'
import { LiveLeg } from '../../support/relay/live-leg.ts'
import { fakeService, KEY } from '../../support/service/fake-service.ts'
import { quiet, sine } from '../../support/transcode/tone.ts'
import { until } from '../../support/until.ts'

const PATIENCE_MS = 20_000
/** Anna says a word of 600 ms every 1.6 s: a translation is audible while the next word is said. */
const WORD_MS = 600
const EVERY_MS = 1_600

/** A call over the relay, the service and a speech translator: Anna speaks English, Bob hears Spanish over her voice. */
async function call(listen: () => Promise<FakeInterpreter>) {
  const fake = await listen()
  const { server } = fake
  const engine = fake.engine()
  const { url } = await fakeService({}, { engines: new EngineSet({ interpreters: [engine] }) })
  const relay = new Relay({
    translator: new ServiceTranslator({ url, apiKey: KEY }),
    options: relayOptions({ echoSuppression: false, normalizeLoudness: false }),
  })
  const captions: Caption[] = []
  relay.observer.on('caption', caption => captions.push(caption))
  const anna = new LiveLeg('anna', systemClock)
  const bob = new LiveLeg('bob', systemClock)
  relay.admit(anna, { room: 'r', speaks: 'en-us', original: 'off' })
  relay.admit(bob, { room: 'r', hears: 'es-es', original: 'duck' })
  await relay.ready()
  let speech: Int16Array = new Int16Array(0)
  let at = 0
  const said: number[] = []
  const mouth = new Ticker(systemClock, FRAME_MS, () => {
    const frame = speech.subarray(at, at + FRAME_SAMPLES)
    at += FRAME_SAMPLES
    const ms = durationMs(at)
    if (at <= speech.length && ms % EVERY_MS === WORD_MS) said.push(bob.age)
    anna.uplink?.write(frame.length === FRAME_SAMPLES ? frame : new Int16Array(FRAME_SAMPLES))
    bob.uplink?.write(new Int16Array(FRAME_SAMPLES))
  })
  return {
    server,
    fake,
    bob,
    captions,
    /** When each word ended, as Bob's time (ms): a busy machine makes Anna speak slowly. */
    said,
    /** Anna says `count` words, one after the other; returns when she starts, as Bob's time (ms). */
    say(count: number): number {
      const words = Array.from({ length: count }, (_, n) => TONE_WORDS[n % TONE_WORDS.length]!)
      speech = concat(words.flatMap(({ hz }) => [sine(hz, WORD_MS), quiet(EVERY_MS - WORD_MS)]))
      at = 0
      return bob.age
    },
    async [Symbol.asyncDispose]() {
      mouth[Symbol.dispose]()
      await relay.close()
      await engine.close()
    },
  }
}

/**
 * Words of one pitch are 4.8 s apart, so a shorter pause belongs to a word that a busy machine delivered in pieces; after
 * this silence it is complete.
 */
const WITHIN_WORD_MS = 2_000

interface Word {
  /** Since the leg joined. */
  readonly fromMs: number
  toMs: number
  /** Without pauses: longer than the word if a part of it was repeated. */
  audibleMs: number
}

/** The words with this pitch that were played to `leg`, except one that may go on. */
function heard(leg: LiveLeg, hz: number, least: number): Word[] {
  const found: Word[] = []
  for (let ms = 0; ms < leg.age - FRAME_MS; ms += FRAME_MS) {
    if (loudness(leg.between(ms, ms + FRAME_MS), hz, 16_000) < least) continue
    const last = found.at(-1)
    if (last && ms - last.toMs <= WITHIN_WORD_MS) {
      last.toMs = ms + FRAME_MS
      last.audibleMs += FRAME_MS
    } else found.push({ fromMs: ms, toMs: ms + FRAME_MS, audibleMs: FRAME_MS })
  }
  return found.filter(({ audibleMs, toMs }) => audibleMs > 100 && leg.age - toMs > WITHIN_WORD_MS)
}

function expectWhole(words: readonly Word[], { spokenMs }: FakeInterpreter): void {
  for (const { audibleMs } of words) {
    expect(audibleMs).toBeGreaterThan(spokenMs - 100)
    expect(audibleMs).toBeLessThan(spokenMs + 100)
  }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!

const finals = (captions: readonly Caption[]) => captions.filter(({ final }) => final)

describe.each(FAKE_INTERPRETERS)('speech to speech by %s', (_name, listen) => {
  test('the lag is constant, the original is ducked, captions have both languages', async () => {
    await using running = await call(listen)
    const { bob, captions, fake, say, said } = running
    const words = 9
    const begun = say(words)
    const translations = () => TONE_WORDS.flatMap(({ spokenHz }) => heard(bob, spokenHz, 3_000))
    await until(
      () => bob.age > begun + words * EVERY_MS + 1_500 && translations().length >= words,
      PATIENCE_MS + words * EVERY_MS,
      'all translations',
    )
    const spoken = translations().toSorted((a, b) => a.fromMs - b.fromMs)
    expect(spoken).toHaveLength(words)
    const lags = spoken.map(({ fromMs }, n) => fromMs - said[n]!)
    // No lag grows over the call; a busy machine may delay one word.
    expect(median(lags.slice(-3)) - median(lags.slice(0, 3))).toBeLessThan(500)
    expectWhole(spoken, fake)
    // Anna's own voice: quieter under a translation than between translations.
    const [{ hz }] = TONE_WORDS
    const levels = (during: boolean) => {
      const found: number[] = []
      for (let ms = begun; ms < bob.age - FRAME_MS; ms += FRAME_MS) {
        const level = loudness(bob.between(ms, ms + FRAME_MS), hz, 16_000)
        const under = spoken.some(({ fromMs, toMs }) => ms > fromMs + 150 && ms < toMs - 150)
        if (level > 30 && under === during) found.push(level)
      }
      return found.toSorted((a, b) => b - a)
    }
    const [under, between] = [levels(true), levels(false)]
    expect(between.length).toBeGreaterThan(5)
    if (under.length > 0) expect(under[0]).toBeLessThan(between[Math.floor(between.length / 4)]! * 0.7)
    await until(() => finals(captions).length > 0, PATIENCE_MS, 'a caption')
    const texts = finals(captions)
      .map(({ text }) => text)
      .join(' ')
    const translated = finals(captions)
      .map(({ translation }) => translation)
      .join(' ')
    for (const { word, translation } of TONE_WORDS) {
      expect(texts).toContain(word)
      expect(translated).toContain(translation)
    }
  })

  test('a connection that is cut loses no word', async () => {
    await using running = await call(listen)
    const { server, fake, bob, say } = running
    const words = 6
    const begun = say(words)
    await until(() => bob.age > begun + 2 * EVERY_MS + 300, PATIENCE_MS, 'the third word')
    server.statuses.push(503)
    server.cut()
    const spoken = () => TONE_WORDS.map(({ spokenHz }) => heard(bob, spokenHz, 3_000))
    await until(
      () => bob.age > begun + words * EVERY_MS + 3_000 && spoken().every(each => each.length >= 2),
      PATIENCE_MS + words * EVERY_MS,
      'all translations',
    )
    expect(spoken().map(({ length }) => length)).toEqual([2, 2, 2])
    expectWhole(spoken().flat(), fake)
    expect(server.connections).toBeGreaterThanOrEqual(2)
    expect(fake.refusals()).toEqual([])
  })
})
