import { concat, SAMPLE_RATE, saturate } from '../../src/transcode/pcm.ts'
import { sentence, twoVoices } from '../speech.ts'

/**
 * The speech of the phones: recorded speech with its pauses; the same without pauses, as on a noisy line; music, as on hold;
 * or nothing.
 */
export const LOADS = ['speech', 'talk', 'music', 'idle'] as const
export type Load = (typeof LOADS)[number]

/** Duration of an answer (ms). */
const ANSWER_MS = 2_200

/**
 * Frames over which pauses are detected (ms), and the mean magnitude below which a frame is one: −32 dBFS, so that soft
 * sounds between words do not count as speech either.
 */
const STEP_MS = 10
const QUIET = 800
/** Longest pause of continuous talk (ms). */
const PAUSE_MS = 100

/** Four chords (Hz), each held for two seconds. Whole numbers: each chord starts and ends at zero. */
const CHORDS = [
  [220, 277, 330, 440],
  [185, 220, 277, 370],
  [147, 185, 220, 294],
  [165, 208, 247, 330],
] as const
const CHORD_SECONDS = 2
/** Harmonics of each tone, as of strings: the n-th has 1/n of the amplitude, and alternate signs start softly. */
const HARMONICS = 8
/** Amplitude of the first harmonic: the sum is about −15 dBFS, as loud as music on hold. */
const TONE_PEAK = 3_200

/** The speech of all phones of a run, in a loop, and the answer of the service. 16 kHz mono. */
export interface Voices {
  /** Undefined: silence. */
  readonly said: Int16Array | undefined
  readonly answer: Int16Array
}

/**
 * The voices of `load`. The answer is a sentence that no phone says: playback with the words that the phone says next
 * would rightly be taken for its echo.
 */
export function voicesOf(load: Load): Voices {
  const [phones, service] = twoVoices()
  return { said: saidIn(load, phones), answer: sentence(service, ANSWER_MS) }
}

function saidIn(load: Load, phones: Int16Array): Int16Array | undefined {
  switch (load) {
    case 'speech':
      return phones
    case 'talk':
      return withoutPauses(phones)
    case 'music':
      return music()
    case 'idle':
      return undefined
  }
}

/** Shortens the pauses of `pcm` (16 kHz) to 100 ms, across its end too, so that it can be looped. */
function withoutPauses(pcm: Int16Array): Int16Array {
  const step = (STEP_MS * SAMPLE_RATE) / 1000
  const kept: Int16Array[] = []
  // The pause at the end counts before the first frame.
  let quietMs = PAUSE_MS
  for (let at = 0; at + step <= pcm.length; at += step) {
    const frame = pcm.subarray(at, at + step)
    quietMs = magnitude(frame) < QUIET ? quietMs + STEP_MS : 0
    if (quietMs <= PAUSE_MS) kept.push(frame)
  }
  return concat(kept)
}

/** Sustained chords without pauses, 16 kHz, to be looped. */
function music(): Int16Array {
  const samples = CHORD_SECONDS * SAMPLE_RATE
  const pcm = new Int16Array(CHORDS.length * samples)
  CHORDS.forEach((chord, n) => {
    const tones = chord.flatMap(hz =>
      Array.from({ length: HARMONICS }, (_, k) => ({ hz: hz * (k + 1), part: (-1) ** k / (k + 1) })),
    )
    for (let i = 0; i < samples; i++) {
      const at = (2 * Math.PI * i) / SAMPLE_RATE
      const sum = tones.reduce((all, { hz, part }) => all + part * Math.sin(hz * at), 0)
      pcm[n * samples + i] = saturate(TONE_PEAK * sum)
    }
  })
  return pcm
}

function magnitude(frame: Int16Array): number {
  return frame.reduce((sum, sample) => sum + Math.abs(sample), 0) / frame.length
}
