import { rms } from '../src/transcode/level.ts'
import { LoudnessNormalizer } from '../src/transcode/loudness-normalizer.ts'
import { FRAME_SAMPLES } from '../src/transcode/pcm.ts'
import { TimeStretcher } from '../src/transcode/stretch/time-stretch.ts'
import type { Candidate } from './alternate.ts'
import { speech } from './speech.ts'

const FRAMES = 250
/** Output of a decoder per frame. */
const MP3_FRAME = 576

let sink = 0

/** Processing of a translation after its decoder: time stretching and loudness normalization. */
export function speechCandidates(): [what: string, candidates: Candidate[]][] {
  const pcm = speech()
  return [
    [
      'translation catching up',
      [
        stretched('unchanged', pcm, 1, false),
        stretched('pauses trimmed', pcm, 1, true),
        stretched('a tenth faster', pcm, 1.1, true),
        stretched('a quarter faster', pcm, 1.25, true),
      ],
    ],
    ['translation normalized', [levelled(pcm)]],
  ]
}

/** Frames in playing order: the more is skipped, the more of the source is processed. */
function stretched(name: string, pcm: Int16Array, factor: number, trimming: boolean): Candidate {
  let at = 0
  const stretch = new TimeStretcher(() => {
    if (at + FRAME_SAMPLES > pcm.length) at = 0
    at += FRAME_SAMPLES
    return pcm.subarray(at - FRAME_SAMPLES, at)
  })
  stretch.factor = factor
  stretch.trimming = trimming
  const out = new Int16Array(FRAME_SAMPLES)
  return {
    name,
    frames: FRAMES,
    run: () => {
      for (let n = 0; n < FRAMES; n++) sink += stretch.read(out)
      if (rms(out) < 0 || sink < 0) throw new Error('nothing was heard')
    },
  }
}

function levelled(pcm: Int16Array): Candidate {
  const leveler = new LoudnessNormalizer(-20)
  return {
    name: 'Leveler',
    frames: FRAMES,
    run: () => {
      leveler.begin()
      for (let at = 0; at < FRAMES * FRAME_SAMPLES; at += MP3_FRAME) {
        const frame = pcm.slice(at, at + MP3_FRAME)
        leveler.process(frame)
        sink += frame[0]!
      }
    },
  }
}
