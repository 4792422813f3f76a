import type { Clock } from '../../common/clock.ts'

/** What to conform with: languages, words and a voice that the service ought to understand. */
export interface Probe {
  /** The service's address without a trailing slash. */
  readonly base: string
  readonly apiKey: string
  readonly source: string
  readonly target: string
  /** In the source language. */
  readonly text: string
  /** In the target language. */
  readonly speech: string
  /** 16 kHz mono linear16, in the source language, with a pause behind. */
  readonly pcm: Int16Array
  /** How much faster than speech the audio is sent; 0: as fast as it is acknowledged. */
  readonly pace: number
  /** Longest wait for something that must come (ms). */
  readonly patienceMs: number
  /** Nothing more comes when nothing came for so long (ms). */
  readonly quietMs: number
  readonly clock: Clock
}
