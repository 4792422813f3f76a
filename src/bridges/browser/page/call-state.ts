import type { Vital } from './signs-of-life.ts'

/** State of the connection to the server. */
export type ConnectionState = 'connecting' | 'open' | 'waiting' | 'over'

/** State of a call, as shown to its participant. */
export type CallState =
  | 'connecting'
  | 'reconnecting'
  | 'paused'
  | 'dead'
  | 'unheard'
  | 'muted'
  | 'original'
  | 'playing'
  | 'translating'
  | 'listening'

/** The facts that the state is derived from. */
export interface CallFacts {
  readonly line: ConnectionState
  readonly sound: Vital
  /** False: no microphone, no permission to use it, or muted by the system. */
  readonly microphone: boolean
  readonly muted: boolean
  /** Translation is unavailable, so originals are played. */
  readonly outage: boolean
  readonly playing: boolean
  readonly translating: boolean
}

/** Returns the state to show: the first that applies. States that need an action precede the others. */
export function callState(facts: CallFacts): CallState {
  const { line, sound, microphone, muted, outage, playing, translating } = facts
  if (line !== 'open') return line === 'connecting' ? 'connecting' : 'reconnecting'
  if (sound !== 'alive') return sound
  if (!microphone) return 'unheard'
  if (muted) return 'muted'
  if (outage) return 'original'
  if (playing) return 'playing'
  return translating ? 'translating' : 'listening'
}

/** Level above which playback is audible (0 to 1), and the pauses within speech that do not end it (ms). */
const AUDIBLE = 0.01
const PAUSE_MS = 600
/** Time after which a missing translation is shown, so that the state does not flicker; and no longer expected (ms). */
const SHOWN_AFTER_MS = 300
const EXPECTED_FOR_MS = 8_000

/** The parts of a caption that show whether a translation is due. */
export interface CaptionProgress {
  readonly utterance: string
  readonly final: boolean
  readonly from: string
  readonly to: string
  readonly text?: string
  readonly translation?: string
}

/** Follows captions and playback to tell whether a translation is being made or played. Times in ms of one clock. */
export class Activity {
  #audibleAt = Number.NEGATIVE_INFINITY
  readonly #due = new Map<string, number>()

  /** Playback had this level at `now`. */
  level(level: number, now: number): void {
    if (level > AUDIBLE) this.#audibleAt = now
  }

  caption({ utterance, final, from, to, text = '', translation = '' }: CaptionProgress, now: number): void {
    const complete = final && translation !== ''
    const due = from !== to && text !== '' && !complete && (final || translation !== '')
    if (!due) this.#due.delete(utterance)
    else if (!this.#due.has(utterance)) this.#due.set(utterance, now)
  }

  playing(now: number): boolean {
    return now - this.#audibleAt < PAUSE_MS
  }

  translating(now: number): boolean {
    for (const [utterance, since] of this.#due) {
      if (now - since > EXPECTED_FOR_MS) this.#due.delete(utterance)
      else if (now - since >= SHOWN_AFTER_MS) return true
    }
    return false
  }
}
