import { loudness } from '../../../src/transcode/level.ts'

/** Number of parts of 20 ms with the tone at no less than half its level; a late packet costs at most two. */
export function loudParts(pcm: Int16Array, hz: number): number {
  let loud = 0
  for (let at = 0; at + 320 <= pcm.length; at += 320)
    if (loudness(pcm.subarray(at, at + 320), hz, 16_000) > 4_000) loud++
  return loud
}
