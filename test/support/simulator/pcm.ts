/** `ms` of a tone at the phone's rate. */
export function toneOf(ms: number, hz = 440): Int16Array {
  return Int16Array.from({ length: ms * 8 }, (_, i) => 8000 * Math.sin((2 * Math.PI * hz * i) / 8000))
}
