import type { ErrorCode } from '../core/errors.ts'
import type { LanguageId } from '../core/languages.ts'
import type { UtteranceStages } from '../core/stages.ts'

/** What became of an utterance for the first listener who got to hear it. */
export type UtteranceOutcome =
  /** It was heard to its end. */
  | 'heard'
  /** It was never played, or not to its end. */
  | 'dropped'
  /** The listener's leg failed meanwhile. */
  | 'failed'
  /** The listener left meanwhile, or it was never known. */
  | 'unknown'

/** One utterance from the end of speech until it was heard: all that a trace says. Neither words nor numbers. */
export interface UtteranceTrace {
  /** Keyed digest: the same room has the same one while this process lives, and nobody else can tell which it is. */
  readonly room: string
  readonly from?: LanguageId | undefined
  readonly to?: LanguageId | undefined
  /** Channels of who speaks and of who listens. */
  readonly speakerChannel?: string | undefined
  readonly listenerChannel?: string | undefined
  readonly outcome: UtteranceOutcome
  readonly error?: ErrorCode | undefined
  /** Listeners for whom it began to play. */
  readonly listeners: number
  readonly audioMs: number
  readonly latencyMs?: number | undefined
  /** When its first frame was sent, and when it was over (ms since 1970); the same where it was never begun. */
  readonly begunAt: number
  readonly endedAt: number
  readonly stages: UtteranceStages
}

/** The stages in the order in which they happen. */
export const IN_ORDER = ['recognition', 'service', 'translation', 'synthesis', 'network', 'bridge'] as const
