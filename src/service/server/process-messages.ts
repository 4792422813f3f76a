import type { DoorCounters } from '../../guard/door-counters.ts'
import type { ServiceConfig } from './service-config.ts'

/** What the parent says to a service process: once, first. */
export interface StartMessage {
  readonly type: 'start'
  readonly config: ServiceConfig
}

/** … and regularly, once the process listens: it answers `alive`. */
export interface AskMessage {
  readonly type: 'ask'
}

/** How a service is doing. Only numbers; who asks for them decides how old they may be. */
export interface ServiceFigures {
  readonly sessions: number
  readonly maxSessions: number
  /** How late it understands (ms), and the share of its threads that are busy. */
  readonly behindMs: number
  readonly busy: number
  readonly door: Readonly<DoorCounters>
  /** How often clients were told each error. */
  readonly errors: Readonly<Record<string, number>>
  readonly overload: {
    readonly closings: number
    readonly turnedAway: number
    readonly lateMs: number
    readonly memoryShare: number
    readonly strain: string | undefined
  }
  /** Of its process: memory (bytes), and processor time since it began (s). */
  readonly memoryBytes: number
  readonly cpuSeconds: number
}

/** What the service process says to its parent. */
export type ProcessMessage =
  | { readonly type: 'alive'; readonly figures?: ServiceFigures }
  | { readonly type: 'listening'; readonly port: number }
  /** It will not listen; `code` is `config` when trying again would be useless. */
  | { readonly type: 'failed'; readonly code: 'config' | 'start'; readonly message: string }
  | {
      readonly type: 'log'
      readonly level: 'debug' | 'info' | 'warn' | 'error'
      readonly fields: object
      readonly message: string
    }

/** Whether `message` is the parent's first word. */
export function isStart(message: unknown): message is StartMessage {
  return typeOf(message) === 'start'
}

/** Whether the parent asks for a sign of life. */
export function isAsk(message: unknown): message is AskMessage {
  return typeOf(message) === 'ask'
}

function typeOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null ? (message as { type?: unknown }).type : undefined
}
