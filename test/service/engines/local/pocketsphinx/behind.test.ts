import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../../../simulator/fakes/fake-clock.ts'
import { setTimer } from '../../../../../src/common/clock.ts'
import type { Decoder } from '../../../../../src/service/engines/local/pocketsphinx/decoder.ts'
import { SphinxStream } from '../../../../../src/service/engines/local/pocketsphinx/stream.ts'
import { UtteranceStream } from '../../../../../src/service/engines/wire/utterance-stream.ts'
import { sine } from '../../../../support/transcode/tone.ts'

const sink = { partial() {}, final() {}, failed() {} }
const FRAGMENT = new Int16Array(960)
const FRAGMENT_MS = 60

/** A decoder that takes `factor` times the length of the audio. */
function slowDecoder(clock: FakeClock, factor: number): Decoder {
  return {
    begin() {},
    expect() {},
    inSpeech: true,
    process: pcm => new Promise(resolve => void setTimer(clock, (pcm.length / 16) * factor, resolve)),
    text: () => '',
    finish: async () => '',
  }
}

function streamOf(clock: FakeClock, factor: number): SphinxStream {
  return new SphinxStream(slowDecoder(clock, factor), sink, {
    clock,
    release: async () => {},
  })
}

/** Advances the clock by `ms` and runs pending work. */
async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 5) {
    clock.advance(Math.min(5, left))
    await new Promise(setImmediate)
  }
}

/** Sends `ms` in real time and returns the maximum lag of `stream`. */
async function say(stream: SphinxStream, clock: FakeClock, ms: number): Promise<number> {
  let most = 0
  for (let at = 0; at < ms; at += FRAGMENT_MS) {
    stream.write(FRAGMENT)
    await pass(clock, FRAGMENT_MS)
    most = Math.max(most, stream.behindMs)
  }
  return most
}

describe('a stream of PocketSphinx', () => {
  test('does not lag with a decoder that keeps up', async () => {
    const clock = new FakeClock()
    expect(await say(streamOf(clock, 0.7), clock, 3_000)).toBeLessThan(100)
  })

  test('lags by the extra time of a slow decoder', async () => {
    const clock = new FakeClock()
    const stream = streamOf(clock, 1.5)
    await say(stream, clock, 6_000)
    // Two thirds are decoded, and the oldest of the rest was spoken 2 s ago.
    expect(stream.behindMs).toBeGreaterThan(1_800)
    expect(stream.behindMs).toBeLessThan(2_200)
    const { behindMs } = stream
    clock.advance(1_000)
    expect(stream.behindMs).toBeGreaterThan(behindMs)
  })

  test('does not lag with a recording sent at once, while recognition is faster than real time', async () => {
    const clock = new FakeClock()
    const stream = streamOf(clock, 0.6)
    for (let at = 0; at < 10_000; at += FRAGMENT_MS) stream.write(FRAGMENT)
    expect(stream.waitingMs).toBeGreaterThan(9_000)
    let most = 0
    for (let at = 0; at < 6_500; at += 100) {
      await pass(clock, 100)
      most = Math.max(most, stream.behindMs)
    }
    expect(most).toBeLessThan(200)
    expect(stream.waitingMs).toBe(0)
  })

  test('lags when the rest of such a recording delays live speech', async () => {
    const clock = new FakeClock()
    const stream = streamOf(clock, 1)
    for (let at = 0; at < 10_000; at += FRAGMENT_MS) stream.write(FRAGMENT)
    expect(await say(stream, clock, 10_000)).toBeGreaterThan(1_500)
  })

  test('has caught up when everything is recognized: new audio is due at once', async () => {
    const clock = new FakeClock()
    const stream = streamOf(clock, 0.1)
    for (let at = 0; at < 5_000; at += FRAGMENT_MS) stream.write(FRAGMENT)
    await pass(clock, 1_000)
    expect(stream.waitingMs).toBe(0)
    stream.write(FRAGMENT)
    clock.advance(5)
    expect(stream.behindMs).toBe(5)
  })
})

describe('a stream of an engine for whole utterances', () => {
  const options = { pauseMs: 400 }
  const utterance = () => [sine(300, 1_000, 8_000, 16_000), new Int16Array(8_000)]

  test('lags when an utterance waits for the previous one, not during recognition or speech', async () => {
    const clock = new FakeClock()
    const answers: (() => void)[] = []
    const understand = () => new Promise<string>(resolve => answers.push(() => resolve('well')))
    const stream = new UtteranceStream(sink, understand, options, clock)
    const hear = async () => {
      for (const pcm of utterance())
        for (let at = 0; at < pcm.length; at += 320) {
          stream.write(pcm.subarray(at, at + 320))
          clock.advance(20)
        }
      await new Promise(setImmediate)
    }
    stream.write(sine(300, 600, 8_000, 16_000))
    expect([stream.waitingMs, stream.behindMs]).toEqual([0, 0])
    expect(stream.queuedMs).toBeGreaterThan(0)
    clock.advance(600)
    await hear()
    expect(answers).toHaveLength(1)
    clock.advance(5_000)
    expect(stream.behindMs).toBe(0)
    await hear()
    clock.advance(3_000)
    expect(stream.behindMs).toBeGreaterThan(3_000)
    expect(stream.behindMs).toBeLessThan(3_500)
    answers.shift()!()
    await new Promise(setImmediate)
    expect(stream.behindMs).toBe(0)
  })
})
