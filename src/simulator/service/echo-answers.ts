import { FRAME_MS, FRAME_SAMPLES, joined } from '../../transcode/pcm.ts'
import type { Answering } from './scripted-answers.ts'

/** Detection of the utterances to echo. */
export interface EchoOptions {
  /** Silence that ends an utterance (ms). Default 300. */
  silenceMs?: number
  /** Mean level from which a frame counts as speech, of 32 768. Default 300. */
  threshold?: number
}

/**
 * Answers every utterance with its own audio as mp3 (64 kbit/s), so that a test can compare what arrives at the other
 * end.
 */
export function echoes({ silenceMs = 300, threshold = 300 }: EchoOptions = {}): Answering {
  return (session, maker) => {
    let frame = new Int16Array(FRAME_SAMPLES)
    let filled = 0
    let frames = 0
    let spoken: Int16Array[] = []
    let beganMs = 0
    let loudMs = 0

    function take(): void {
      const nowMs = ++frames * FRAME_MS
      const loud = frame.reduce((sum, sample) => sum + Math.abs(sample), 0) / frame.length >= threshold
      if (loud && spoken.length === 0) beganMs = nowMs - FRAME_MS
      if (loud || spoken.length > 0) spoken.push(frame)
      if (loud) loudMs = nowMs
      if (spoken.length === 0 || nowMs - loudMs < silenceMs) return
      const pcm = joined(spoken.slice(0, (loudMs - beganMs) / FRAME_MS))
      const audio = maker.encode(pcm, 16_000, 64)
      spoken = []
      session.say({ audio, pcm, rate: 16_000, startMs: beganMs, endMs: loudMs })
    }

    return pcm => {
      for (const sample of pcm) {
        frame[filled++] = sample
        if (filled < FRAME_SAMPLES) continue
        take()
        frame = new Int16Array(FRAME_SAMPLES)
        filled = 0
      }
    }
  }
}
