/** Weight of a sample in the moving averages of power: 16 ms at 16 kHz. */
const WEIGHT = 1 / 256
/** Power of the sum of all channels, relative to the sum of their powers, below which they cancel each other out. */
const CANCELLED = 0.02
/** Steps of a cross-fade between the mean and a single channel, per sample: 8 ms at 16 kHz. */
const FADE = 1 / 128

/**
 * Mixes the channels of a stream to one: their mean, as long as it is audible. In recordings with one channel of reversed
 * polarity the mean is silence; the loudest channel then takes its place. The result does not depend on how the stream is
 * cut.
 */
export class ChannelMixer {
  readonly channels: number
  readonly #powers: Float64Array
  #sumPower = 0
  #kept = 0
  /** Share of the kept channel in the output, 0 to 1. */
  #share = 0

  constructor(channels: number) {
    this.channels = channels
    this.#powers = new Float64Array(channels)
  }

  /** Mixes interleaved samples into a new array; a single channel is returned as it is. */
  mix(pcm: Int16Array): Int16Array {
    const { channels } = this
    if (channels === 1) return pcm
    const powers = this.#powers
    const mixed = new Int16Array(Math.floor(pcm.length / channels))
    for (let i = 0, at = 0; i < mixed.length; i++, at += channels) {
      let sum = 0
      let all = 0
      for (let n = 0; n < channels; n++) {
        const sample = pcm[at + n]!
        sum += sample
        const power = powers[n]! + WEIGHT * (sample * sample - powers[n]!)
        powers[n] = power
        all += power
      }
      this.#sumPower += WEIGHT * (sum * sum - this.#sumPower)
      const mean = Math.round(sum / channels)
      const cancelled = this.#sumPower < CANCELLED * all
      if (!cancelled && this.#share === 0) {
        mixed[i] = mean
        continue
      }
      if (this.#share === 0) this.#kept = loudest(powers)
      this.#share = Math.max(0, Math.min(1, this.#share + (cancelled ? FADE : -FADE)))
      mixed[i] = Math.round(mean + this.#share * (pcm[at + this.#kept]! - mean))
    }
    return mixed
  }
}

function loudest(powers: Float64Array): number {
  let best = 0
  for (let n = 1; n < powers.length; n++) if (powers[n]! > powers[best]!) best = n
  return best
}
