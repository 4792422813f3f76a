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

/** What the service process says to its parent. */
export type ProcessMessage =
  | { readonly type: 'alive' }
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
