/** Level of a block, in sample units: 0 is silence, 32 768 is full scale. */

const FULL_SCALE = 32_768

/** Root mean square of `pcm`, 0 to 32 768; 0 for no samples. */
export function rms(pcm: Int16Array): number {
  const length = pcm.length
  if (length === 0) return 0
  let sum = 0
  for (let i = 0; i < length; i++) {
    const sample = pcm[i]!
    sum += sample * sample
  }
  return Math.sqrt(sum / length)
}

/** The largest magnitude in `pcm`, 0 to 32 768; 0 for no samples. */
export function peak(pcm: Int16Array): number {
  let highest = 0
  for (let i = 0; i < pcm.length; i++) {
    const magnitude = Math.abs(pcm[i]!)
    if (magnitude > highest) highest = magnitude
  }
  return highest
}

/**
 * `level` in decibels below full scale: 0 dBFS is 32 768, so that the *peak* of a full-scale sine is 0 dBFS and its
 * RMS -3.01 dBFS. Silence is -Infinity. Throws RangeError for a level below 0 or not a number.
 */
export function dbfs(level: number): number {
  if (!(level >= 0)) throw new RangeError(`a level is 0 or above, got ${level}`)
  return 20 * Math.log10(level / FULL_SCALE)
}

/**
 * Returns the amplitude of the tone of `hz` in `pcm` at `rate` Hz (Goertzel's algorithm): near 10 000 for a sine of
 * peak 10 000, near 0 for any other tone. Sharpest if `pcm` holds whole periods. 0 for no samples. Throws RangeError
 * unless 0 < hz < rate / 2.
 */
export function loudness(pcm: Int16Array, hz: number, rate: number): number {
  if (!(hz > 0 && hz < rate / 2))
    throw new RangeError(`a tone at ${rate} Hz lies between 0 and ${rate / 2} Hz, got ${hz}`)
  if (pcm.length === 0) return 0
  const turn = 2 * Math.cos((2 * Math.PI * hz) / rate)
  let last = 0
  let before = 0
  for (let i = 0; i < pcm.length; i++) {
    const next = pcm[i]! + turn * last - before
    before = last
    last = next
  }
  const power = last * last + before * before - turn * last * before
  return (2 / pcm.length) * Math.sqrt(Math.max(0, power))
}
