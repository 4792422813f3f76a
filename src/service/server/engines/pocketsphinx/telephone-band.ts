/** Taps of the high-pass filter above the phone band. */
const TAPS = 63
/** Cutoff as a share of the sample rate: 5.2 kHz of 16. */
const EDGE = 5_200 / 16_000
/** Minimum level for a decision (RMS). */
const AUDIBLE_RMS = 80
/** Maximum rounding noise above the band (RMS), and the leakage of the filter. */
const ROUNDING_NOISE_RMS = 0.6
const LEAK = 0.0005

const HIGH_PASS = highPass()

/**
 * Returns true if 16 kHz audio came by phone: it was sampled at 8 kHz on the way, so it has nothing above 4 kHz, not
 * even noise. Undefined if the level is too low.
 */
export function isTelephoneBand(pcm: Int16Array): boolean | undefined {
  let all = 0
  let high = 0
  let count = 0
  // Every third position is enough to measure a level.
  for (let at = 0; at + TAPS <= pcm.length; at += 3) {
    let value = 0
    for (let tap = 0; tap < TAPS; tap++) value += HIGH_PASS[tap]! * pcm[at + tap]!
    high += value * value
    all += pcm[at]! * pcm[at]!
    count++
  }
  const level = Math.sqrt(all / count)
  if (!(level > AUDIBLE_RMS)) return undefined
  return Math.sqrt(high / count) < ROUNDING_NOISE_RMS + level * LEAK
}

/** Windowed sinc, Blackman: over 70 dB down below 4.7 kHz. */
function highPass(): Float64Array {
  const middle = (TAPS - 1) / 2
  return Float64Array.from({ length: TAPS }, (_, tap) => {
    const n = tap - middle
    const ideal = n === 0 ? 1 - 2 * EDGE : -Math.sin(2 * Math.PI * EDGE * n) / (Math.PI * n)
    const phase = (2 * Math.PI * tap) / (TAPS - 1)
    return ideal * (0.42 - 0.5 * Math.cos(phase) + 0.08 * Math.cos(2 * phase))
  })
}
