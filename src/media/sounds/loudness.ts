import { peak, rms } from '../../transcode/level.ts'
import { FRAME_SAMPLES } from '../../transcode/pcm.ts'
import { saturate } from '../../transcode/saturate.ts'

/** Level of all notices: speech at −20 dBFS. */
const TARGET = 32_768 * 10 ** (-20 / 20)
/** Maximum amplitude of a sample. */
const MOST_PEAK = 30_000
/** Frames this far below the loudest are pauses (factor, −30 dB). */
const QUIET = 10 ** (-30 / 20)

/** Returns `pcm` at the level of notices, measured without pauses, as a new array. Silence stays silence. */
export function levelled(pcm: Int16Array): Int16Array {
  const loud = speechLevel(pcm)
  if (loud === 0) return pcm.slice()
  const gain = Math.min(TARGET / loud, MOST_PEAK / peak(pcm))
  return pcm.map(sample => saturate(sample * gain))
}

/** RMS of the frames that are not pauses. */
function speechLevel(pcm: Int16Array): number {
  const levels: number[] = []
  for (let at = 0; at + FRAME_SAMPLES <= pcm.length; at += FRAME_SAMPLES)
    levels.push(rms(pcm.subarray(at, at + FRAME_SAMPLES)))
  if (levels.length === 0) return rms(pcm)
  const least = Math.max(...levels) * QUIET
  const speech = levels.filter(level => level > least)
  return Math.sqrt(speech.reduce((sum, level) => sum + level ** 2, 0) / Math.max(1, speech.length))
}
