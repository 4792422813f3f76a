import type { OverloadFigures } from '../../../net/overload.ts'
import type { RequestGuardCounters } from '../../../net/request-guard.ts'
import type { InterpretationFigures } from '../../engines/interpret/interpretation-figures.ts'
import type { EngineFigures, MissingEngine, StandIn } from '../../engines/usage/engine-figures.ts'
import type { KeyFigures } from '../keys/key-holder.ts'
import type { ServiceConfig } from '../settings.ts'

/** First message from the parent to a service process; sent once. */
export interface StartMessage {
  readonly type: 'start'
  readonly config: ServiceConfig
}

/** Heartbeat request, sent regularly once the process listens; the process answers `alive`. */
export interface AskMessage {
  readonly type: 'ask'
}

/** Figures of a service, numbers only. The reader decides how old they can be. */
export interface ServiceFigures {
  readonly sessions: number
  readonly maxSessions: number
  /** Delay of recognition (ms), and share of busy threads. */
  readonly behindMs: number
  readonly busy: number
  readonly requestGuard: Readonly<RequestGuardCounters>
  /** Number of errors sent to clients, by code. */
  readonly errors: Readonly<Record<string, number>>
  /** Work and cost of each engine, in order of preference, and current replacements. */
  readonly engines: readonly EngineFigures[]
  readonly standIns: readonly StandIn[]
  readonly missing: readonly MissingEngine[]
  /** Of speech that is translated by recognizer, translator and voice together. */
  readonly interpretation: Readonly<InterpretationFigures>
  readonly keys: readonly KeyFigures[]
  readonly overload: OverloadFigures
  /** Process memory (bytes) and CPU time since start (s). */
  readonly memoryBytes: number
  readonly cpuSeconds: number
}

/** Messages from the service process to its parent. */
export type ProcessMessage =
  | { readonly type: 'alive'; readonly figures?: ServiceFigures }
  | { readonly type: 'listening'; readonly port: number }
  /** It will not listen; `code` is `config` when a retry would be useless. */
  | { readonly type: 'failed'; readonly code: 'config' | 'start'; readonly message: string }
  | {
      readonly type: 'log'
      readonly level: 'debug' | 'info' | 'warn' | 'error'
      readonly fields: object
      readonly message: string
    }

/** True if `message` is the parent's start message. */
export function isStart(message: unknown): message is StartMessage {
  return typeOf(message) === 'start'
}

/** True if `message` is a heartbeat request. */
export function isAsk(message: unknown): message is AskMessage {
  return typeOf(message) === 'ask'
}

function typeOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null ? (message as { type?: unknown }).type : undefined
}
