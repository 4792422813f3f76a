import type { ErrorCode } from '../common/errors.ts'
import type { LanguageId } from '../common/language.ts'
import type { UtteranceStages } from '../core/model/latency-stages.ts'

/** Outcome of an utterance for the first listener with playback of it. */
export type UtteranceOutcome =
  /** Played to the end. */
  | 'heard'
  /** Not played, or not to the end. */
  | 'dropped'
  /** The listener's leg failed meanwhile. */
  | 'failed'
  /** The listener left meanwhile, or the outcome is unknown. */
  | 'unknown'

/** One utterance from the end of speech to the end of playback, as traced: without text or phone numbers. */
export interface UtteranceTrace {
  /** Keyed digest: constant for a room while this process lives, and not reversible without the key. */
  readonly room: string
  readonly from?: LanguageId | undefined
  readonly to?: LanguageId | undefined
  /** Channels of the speaker and of the listener. */
  readonly speakerChannel?: string | undefined
  readonly listenerChannel?: string | undefined
  readonly outcome: UtteranceOutcome
  readonly error?: ErrorCode | undefined
  /** Number of listeners for which its playback started. */
  readonly listeners: number
  readonly audioMs: number
  readonly latencyMs?: number | undefined
  /** Times at which its first frame was sent and at which it ended (ms since 1970); equal if playback never started. */
  readonly begunAt: number
  readonly endedAt: number
  readonly stages: UtteranceStages
}

/** The stages in chronological order. */
export const IN_ORDER = ['recognition', 'service', 'translation', 'synthesis', 'network', 'bridge'] as const
