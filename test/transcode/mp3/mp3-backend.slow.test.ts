import { describe, expect, test } from 'vitest'
import type { Mp3Backend, Mp3Decoder } from '../../../src/transcode/mp3/decoder.ts'
import { openMp3Backend } from '../../../src/transcode/mp3/decoder-pool.ts'
import { mp3HeaderAt } from '../../../src/transcode/mp3/header.ts'
import { Mp3Native } from '../../../src/transcode/mp3/mpg123-native.ts'
import { Mp3Wasm } from '../../../src/transcode/mp3/mpg123-wasm.ts'
import {
  decodeAll,
  encodeMp3,
  frameStarts,
  type Mp3Rate,
  openPool,
} from '../../support/transcode/mp3-fixtures.ts'
import { noise, sine, snr, voice } from '../../support/transcode/signal.ts'

const native = await Mp3Native.open()

/** The first six frames. */
function cut(mp3: Uint8Array): Uint8Array {
  return mp3.subarray(0, frameStarts(mp3)[6])
}

function decodeFrames(decoder: Mp3Decoder, mp3: Uint8Array): (Int16Array | undefined)[] {
  const starts = frameStarts(mp3)
  starts.pop()
  return starts.map(at => decoder.decode(mp3, at, mp3HeaderAt(mp3, at)!)?.slice())
}

/** Loud from end to end: at any cut, the decoder has leftover state. */
function loud(rate: Mp3Rate, channels: 1 | 2, seed: number): Uint8Array {
  const tone = sine(300 + 100 * seed, rate, rate * 0.5, 15_000)
  return encodeMp3(
    voice(rate, 0.5, seed).map((sample, i) => sample / 2 + tone[i]!),
    rate,
    channels,
  )
}

const FILES = {
  'mono 16 kHz': loud(16_000, 1, 1),
  'mono 44.1 kHz': loud(44_100, 1, 2),
  'stereo 24 kHz': loud(24_000, 2, 3),
  'stereo 48 kHz': loud(48_000, 2, 4),
  'mono 8 kHz': loud(8000, 1, 5),
}
const files = Object.entries(FILES)

/** Requirements for every backend. */
function conformsToMp3Backend(make: () => Mp3Backend): void {
  const open = async () => {
    const backend = make()
    await backend.grow()
    return backend
  }

  test.each(files)('returns one frame of samples per frame immediately: %s', async (_, mp3) => {
    const decoder = (await open()).create()
    const { samples } = mp3HeaderAt(mp3, 0)!
    for (const pcm of decodeFrames(decoder, mp3)) expect(pcm?.length).toBe(samples)
    decoder.free()
  })

  test.each(files)('decodes the same after a reset, and with interleaved decoders: %s', async (_, mp3) => {
    const backend = await open()
    const fresh = decodeFrames(backend.create(), mp3)
    const decoder = backend.create()
    for (const [, other] of files) {
      decodeFrames(decoder, other)
      decoder.reset()
      expect(decodeFrames(decoder, mp3)).toEqual(fresh)
      decodeFrames(decoder, noisy(other))
      decoder.reset()
      expect(decodeFrames(decoder, mp3)).toEqual(fresh)
      decoder.reset()
    }
    const others = files.map(([, other]) => ({
      other,
      decoder: backend.create(),
      starts: frameStarts(other),
    }))
    const last = backend.create()
    frameStarts(mp3).forEach((at, i) => {
      for (const each of others) {
        const from = each.starts[i]
        const header = from === undefined ? undefined : mp3HeaderAt(each.other, from)
        if (from !== undefined && header) each.decoder.decode(each.other, from, header)
      }
      const header = mp3HeaderAt(mp3, at)
      if (header) expect(last.decode(mp3, at, header)).toEqual(fresh[i])
    })
  })

  test('decodes differently without a reset', async () => {
    const backend = await open()
    const mp3 = FILES['mono 16 kHz']
    const fresh = decodeFrames(backend.create(), mp3)
    const decoder = backend.create()
    decodeFrames(decoder, cut(mp3))
    expect(decodeFrames(decoder, mp3)).not.toEqual(fresh)
  })

  test('returns undefined or a full frame for damage, and forgets it after a reset', async () => {
    const backend = await open()
    const decoder = backend.create()
    for (const [, mp3] of files) {
      const { samples } = mp3HeaderAt(mp3, 0)!
      const fresh = decodeFrames(decoder, mp3)
      for (let seed = 1; seed < 6; seed++)
        for (const pcm of decodeFrames(decoder, noisy(mp3, seed)))
          expect([undefined, samples]).toContain(pcm?.length)
      decoder.reset()
      expect(decodeFrames(decoder, mp3)).toEqual(fresh)
      decoder.reset()
    }
  })

  test('starts anywhere in a stream, without the bytes referenced by the first frames', async () => {
    const decoder = (await open()).create()
    const mp3 = FILES['stereo 48 kHz']
    const starts = frameStarts(mp3)
    const whole = decodeFrames(decoder, mp3)
    decoder.reset()
    const rest = decodeFrames(decoder, mp3.subarray(starts[8]))
    expect(rest.length).toBe(whole.length - 8)
    for (const pcm of rest) expect([undefined, 1152]).toContain(pcm?.length)
    expect(snr(whole.at(-1)!, rest.at(-1)!)).toBeGreaterThan(60)
  })

  test('creates and frees any number of decoders', async () => {
    const backend = await open()
    const mp3 = FILES['mono 16 kHz']
    const fresh = decodeFrames(backend.create(), mp3)
    for (let i = 0; i < 500; i++) {
      const decoder = backend.create()
      decoder.decode(mp3, 0, mp3HeaderAt(mp3, 0)!)
      decoder.reset()
      decoder.free()
      decoder.free()
    }
    expect(decodeFrames(backend.create(), mp3)).toEqual(fresh)
  })
}

/** `mp3` with its headers whole and one frame in three overwritten. */
function noisy(mp3: Uint8Array, seed = 1): Uint8Array {
  const bytes = mp3.slice()
  const starts = frameStarts(mp3)
  for (let i = 2; i + 1 < starts.length; i += 3)
    bytes.set(noise(starts[i + 1]! - starts[i]! - 4, seed * 100 + i), starts[i]! + 4)
  return bytes
}

describe('the WebAssembly backend', () => {
  conformsToMp3Backend(() => new Mp3Wasm())

  test('has room for 32 decoders per memory and throws when it is full', async () => {
    const backend = new Mp3Wasm()
    expect(backend.room).toBe(0)
    await backend.grow()
    const decoders = Array.from({ length: 32 }, () => backend.create())
    expect(backend.room).toBe(0)
    expect(() => backend.create()).toThrow(RangeError)
    await backend.grow()
    expect(backend.room).toBe(32)
    for (const decoder of decoders) decoder.free()
    expect(backend.room).toBe(64)
  })
})

describe.skipIf(!native)('the native backend', () => {
  conformsToMp3Backend(() => native!)

  test('is the default', async () => {
    expect((await openMp3Backend()).name).toBe('native')
  })

  test.each(files)('returns the same samples as WebAssembly, except for rounding: %s', async (_, mp3) => {
    const one = await openPool(native)
    const other = await openPool(new Mp3Wasm())
    expect([one.backend, other.backend]).toEqual(['native', 'wasm'])
    const a = decodeAll(one, mp3)
    const b = decodeAll(other, mp3)
    expect(a.stats).toEqual(b.stats)
    expect(a.pcm.length).toBe(b.pcm.length)
    expect(snr(a.pcm, b.pcm)).toBeGreaterThan(70)
    one.close()
    other.close()
  })
})
