import { describe, expect, test } from 'vitest'
import { HEADER_BYTES, PACKET_FRAME, writeHeader } from '../../../../src/bridges/browser/audio-packet.ts'
import { CaptureStream } from '../../../../src/bridges/browser/page/capture-stream.ts'
import { PlaybackStream } from '../../../../src/bridges/browser/page/playback-stream.ts'
import { concat } from '../../../../src/transcode/pcm.ts'
import { RATES } from '../../../../src/transcode/resample/resampler.ts'
import { fitTone } from '../../../support/transcode/signal.ts'

const QUANTUM = 128
const HZ = 1_000
const PEAK = 0.3

/** A tone as a sound card at `rate` delivers it. */
function* card(rate: number, ms: number): Generator<Float32Array> {
  for (let at = 0; at < (rate * ms) / 1_000; at += QUANTUM)
    yield Float32Array.from(
      { length: QUANTUM },
      (_, n) => PEAK * Math.sin((2 * Math.PI * HZ * (at + n)) / rate),
    )
}

describe.each(RATES)('a sound card at %i Hz', rate => {
  test('a tone is captured at its pitch and level, and nothing of it while muted', () => {
    const frames: Int16Array[] = []
    const stream = new CaptureStream(rate, ({ packet }) => frames.push(new Int16Array(packet, HEADER_BYTES)))
    for (const block of card(rate, 500)) stream.write(block, QUANTUM)
    const { amplitude, sinad } = fitTone(concat(frames).subarray(3_200, 6_400), HZ, 16_000)
    expect(amplitude / 32_768).toBeCloseTo(PEAK, 2)
    expect(sinad).toBeGreaterThan(50)
    stream.muted = true
    const before = frames.length
    for (const block of card(rate, 100)) stream.write(block, QUANTUM)
    expect(frames.length).toBeGreaterThan(before + 3)
    for (const frame of frames.slice(before)) expect(Math.max(...frame)).toBe(0)
  })

  test('a tone is played at its pitch and level, for as long as it lasts', () => {
    const stream = new PlaybackStream(rate, () => {})
    const out: number[] = []
    const block = new Float32Array(QUANTUM)
    for (let n = 0; n < 25; n++) {
      const packet = new ArrayBuffer(HEADER_BYTES + PACKET_FRAME * 2)
      writeHeader(new DataView(packet), n, n * PACKET_FRAME)
      new Int16Array(packet, HEADER_BYTES).set(
        Array.from({ length: PACKET_FRAME }, (_, i) =>
          Math.round(PEAK * 32_768 * Math.sin((2 * Math.PI * HZ * (n * PACKET_FRAME + i)) / 16_000)),
        ),
      )
      stream.order({ kind: 'audio', packet })
    }
    while (out.length < rate) {
      stream.read(block)
      out.push(...block)
    }
    const pcm = Int16Array.from(out, sample => Math.round(sample * 32_768))
    const { amplitude, sinad } = fitTone(
      pcm.subarray(Math.round(rate * 0.2), Math.round(rate * 0.4)),
      HZ,
      rate,
    )
    expect(amplitude / 32_768).toBeCloseTo(PEAK, 2)
    expect(sinad).toBeGreaterThan(50)
    const loud =
      pcm.findLastIndex(sample => Math.abs(sample) > 300) - pcm.findIndex(sample => Math.abs(sample) > 300)
    expect(loud / rate).toBeCloseTo(0.5, 1)
  })
})
