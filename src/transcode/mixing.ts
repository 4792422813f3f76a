import { saturate } from './pcm.ts'

/**
 * Adds `source` to `target`, sample by sample, saturating at 16 bits. The gain (linear, 1 = unchanged) changes linearly
 * from `gainFrom` at the first sample to `gainTo`, the gain of the sample *after* the last one: consecutive blocks have
 * no gain step, so no click. `source` is not kept. Throws RangeError if the lengths differ or a gain is not finite.
 */
export function mixInto(target: Int16Array, source: Int16Array, gainFrom: number, gainTo: number): void {
  const length = target.length
  if (source.length !== length)
    throw new RangeError(`both blocks need one length, got ${source.length} samples into ${length}`)
  assertGains(gainFrom, gainTo)
  const step = (gainTo - gainFrom) / length
  if (step === 0 && gainFrom === 1) {
    for (let i = 0; i < length; i++) target[i] = saturate(target[i]! + source[i]!)
    return
  }
  for (let i = 0; i < length; i++) target[i] = saturate(target[i]! + source[i]! * (gainFrom + step * i))
}

/**
 * Multiplies `target` in place by a gain that changes as in {@link mixInto}. Throws RangeError for a gain that is not
 * finite.
 */
export function scale(target: Int16Array, gainFrom: number, gainTo: number): void {
  assertGains(gainFrom, gainTo)
  const length = target.length
  const step = (gainTo - gainFrom) / length
  if (step === 0 && gainFrom === 1) return
  if (gainFrom === 0 && gainTo === 0) {
    target.fill(0)
    return
  }
  for (let i = 0; i < length; i++) target[i] = saturate(target[i]! * (gainFrom + step * i))
}

function assertGains(from: number, to: number): void {
  if (!Number.isFinite(from) || !Number.isFinite(to))
    throw new RangeError(`a gain is a finite number, got ${from} to ${to}`)
}
