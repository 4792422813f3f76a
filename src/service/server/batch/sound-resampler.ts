import { createResampler, RATES } from '../../../transcode/resample/resampler.ts'

/** Sample rates accepted for batch files (Hz): the common ones and studio rates. */
export const FILE_RATES: readonly number[] = [...RATES, 64_000, 88_200, 96_000, 176_400, 192_000]

/** Resamples mono audio of one rate to 16 kHz, piece by piece. */
export interface SoundResampler {
  /** Returns a view that is valid until the next call. */
  process(pcm: Int16Array): Int16Array
  /** Returns the rest of the audio. */
  flush(): Int16Array
}

/**
 * Returns a resampler from one of `FILE_RATES` to 16 kHz. Filters depend only on the ratio, so those from a rate to 8
 * kHz also halve or quarter studio rates, to 16 or 32 kHz.
 */
export function soundResampler(rate: number): SoundResampler {
  if (RATES.some(each => each === rate)) return createResampler(rate, 16_000)
  if (!FILE_RATES.includes(rate))
    throw new RangeError(`cannot read ${rate} Hz, rates are ${FILE_RATES.join(', ')}`)
  if (rate <= 96_000) return createResampler(rate / 2, 8_000)
  const first = createResampler(rate / 4, 8_000)
  const second = createResampler(32_000, 16_000)
  return {
    process: pcm => second.process(first.process(pcm)),
    flush() {
      const last = second.process(first.flush()).slice()
      const end = second.flush()
      const all = new Int16Array(last.length + end.length)
      all.set(last)
      all.set(end, last.length)
      return all
    },
  }
}
