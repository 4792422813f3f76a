/** A tone of `hz` at `peak` for `ms`, at `rate` Hz: the voice of a test speaker. */
export function sine(hz: number, ms: number, peak = 8_000, rate = 16_000): Int16Array {
  const pcm = new Int16Array(Math.round((ms * rate) / 1000))
  for (let at = 0; at < pcm.length; at++)
    pcm[at] = Math.round(peak * Math.sin((2 * Math.PI * hz * at) / rate))
  return pcm
}

/** Silence of `ms` at 16 kHz. */
export function quiet(ms: number): Int16Array {
  return new Int16Array((ms * 16_000) / 1000)
}
