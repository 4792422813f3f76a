import type { Answering, ScriptedSession } from '../../simulator/index.ts'
import { durationMs } from '../../src/transcode/pcm.ts'

/** The rhythm of a service: `inARow` answers, one per `everyMs` of audio, then nothing for another `pauseMs`. */
export interface Pace {
  readonly everyMs: number
  readonly inARow: number
  readonly pauseMs: number
}

/**
 * Answers of 2.2 s that fill 86 % of the time. In the pauses nothing plays at the phone and its echo has died away (1.2 s),
 * so that no frame waits for the echo gate: there the latency of the bridge itself can be measured.
 */
const TALKATIVE: Pace = { everyMs: 2_350, inARow: 10, pauseMs: 2_500 }

/**
 * Time of the first answer after `afterMs` of audio, for a session whose audio started `phaseMs` into the rhythm. Both
 * ends are milliseconds of the session's audio.
 */
function nextAnswerMs(afterMs: number, phaseMs: number, { everyMs, inARow, pauseMs }: Pace): number {
  const cycleMs = everyMs * inARow + pauseMs
  const rhythmMs = afterMs + phaseMs
  const began = Math.floor(rhythmMs / cycleMs) * cycleMs
  const number = Math.floor((rhythmMs - began) / everyMs) + 1
  const next = number <= inARow ? began + number * everyMs : began + cycleMs + everyMs
  return next - phaseMs
}

/** A constant answer. */
export interface PacedOptions {
  readonly mp3: Uint8Array
  /** False: due answers are skipped. */
  readonly answering: () => boolean
  /** Position in the rhythm at which a session starts (ms), so that not all answer at once. */
  readonly phaseMs: (session: ScriptedSession) => number
  /** Called immediately before each answer is sent. */
  readonly onAnswer: (session: ScriptedSession) => void
}

/** Answers with the same mp3 in the rhythm of `TALKATIVE`, without detecting speech. */
export function paced({ mp3, answering, phaseMs, onAnswer }: PacedOptions): Answering {
  return session => {
    const phase = phaseMs(session)
    let samples = 0
    let startMs = 0
    let nextMs = nextAnswerMs(0, phase, TALKATIVE)
    return pcm => {
      samples += pcm.length
      while (durationMs(samples) >= nextMs) {
        if (answering()) {
          onAnswer(session)
          session.say({ audio: mp3, startMs, endMs: nextMs })
        }
        startMs = nextMs
        nextMs = nextAnswerMs(nextMs, phase, TALKATIVE)
      }
    }
  }
}
