import { SAMPLE_RATE } from '../pcm.ts'
import { createResampler, RATES, type Resampler } from './resampler.ts'

/** Sample rates of audio that is received (Hz): {@link RATES}, and those of studios. */
export const INPUT_RATES: readonly number[] = [...RATES, 64_000, 88_200, 96_000, 176_400, 192_000]

const MIDDLE_RATE = 32_000

/**
 * Creates a resampler from one of {@link INPUT_RATES} to 16 kHz; throws RangeError for another rate. Filters depend only on
 * the ratio, so those from a rate to 8 kHz also halve or quarter studio rates, to 16 or 32 kHz.
 */
export function inputResampler(rate: number): Resampler {
  if (RATES.some(each => each === rate)) return createResampler(rate, SAMPLE_RATE)
  if (!INPUT_RATES.includes(rate))
    throw new RangeError(`cannot read ${rate} Hz, rates are ${INPUT_RATES.join(', ')}`)
  return rate <= 96_000
    ? new StudioResampler(rate, createResampler(rate / 2, 8_000))
    : new StudioResampler(rate, createResampler(rate / 4, 8_000), createResampler(MIDDLE_RATE, SAMPLE_RATE))
}

/** Runs `first` faster than its rates say, and then `second`. */
class StudioResampler implements Resampler {
  readonly from: number
  readonly to = SAMPLE_RATE
  readonly delayMs: number
  readonly #first: Resampler
  readonly #second: Resampler | undefined

  constructor(from: number, first: Resampler, second?: Resampler) {
    this.from = from
    this.delayMs = (first.delayMs * first.from) / from + (second?.delayMs ?? 0)
    this.#first = first
    this.#second = second
  }

  process(pcm: Int16Array): Int16Array {
    const halved = this.#first.process(pcm)
    return this.#second?.process(halved) ?? halved
  }

  flush(): Int16Array {
    const last = this.#first.flush()
    if (!this.#second) return last
    const end = this.#second.process(last).slice()
    const rest = this.#second.flush()
    const all = new Int16Array(end.length + rest.length)
    all.set(end)
    all.set(rest, end.length)
    return all
  }

  reset(): void {
    this.#first.reset()
    this.#second?.reset()
  }
}
