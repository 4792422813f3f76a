import type { Clock } from '../../common/clock.ts'
import type { Logger } from '../../common/log.ts'
import type { ContainedFaults } from '../model/contained-faults.ts'
import type { SessionState } from '../model/events.ts'
import type { RelayCounters } from '../model/relay-counters.ts'
import type { RelaySettings } from '../model/relay-settings.ts'
import type { FragmentPool } from './fragment-store.ts'
import type { SessionPlaces } from './session-places.ts'
import type { TranslationRequest, TranslationResult, Translator } from './translator.ts'

/** Timing of a session; the lengths of fragments are whole frames. */
export type SessionSettings = Pick<
  RelaySettings,
  'fragmentMs' | 'replayMs' | 'ackDeadlineMs' | 'connectTimeoutMs'
>

/** Receives what the service answers to a session. An exception ends neither the session nor its connection. */
export interface SessionResults {
  /** `saidAt`: when the words being spoken were said, in their middle (clock ms), if the service tells. */
  result(result: TranslationResult, saidAt?: number): void
  /** The audio of an utterance is complete; `utterance` names it if the service does. */
  endOfSpeech(utterance?: string): void
  /** A connection was lost: utterances in progress receive no more data. */
  interrupted(): void
}

/** Services that sessions share. */
export interface SessionServices {
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: RelayCounters
  readonly translator: Translator
  readonly pool: FragmentPool
  readonly places: SessionPlaces
  readonly random: () => number
  readonly faults: ContainedFaults
}

export interface SessionOptions {
  /** The speaker's id. */
  readonly speaker: string
  readonly request: TranslationRequest
  /** The speaker is on a phone line of 8 kHz. Default: false. */
  readonly narrowband?: boolean | undefined
  /** The service recently refused the same request: it counts as unavailable until it accepts. Default: false. */
  readonly refusedBefore?: boolean | undefined
  readonly settings: SessionSettings
  readonly services: SessionServices
  readonly results: SessionResults
  /** The state of `session` has changed. */
  readonly changed: (state: SessionState) => void
}
