import type { GuardedSocket } from '../websocket/guarded-socket.ts'
import type { BrowserLegCounters } from './leg-counters.ts'

/** Reasons for which the server closes a socket, with their close codes. Listed in `docs/reference/errors.md`. */
export const CLOSE_CODES = {
  done: { code: 1000, meaning: 'The visit is over.' },
  'going-away': { code: 1001, meaning: 'The server is shutting down.' },
  protocol: { code: 1002, meaning: 'Invalid WebSocket frames (RFC 6455).' },
  'bad-messages': { code: 1007, meaning: '10 invalid messages within one second.' },
  flood: { code: 1008, meaning: 'Far more messages than a visit needs.' },
  'too-large': { code: 1009, meaning: 'A message exceeds the size limit.' },
  failed: { code: 1011, meaning: 'An error occurred on the server; the page reconnects.' },
  refused: { code: 4403, meaning: 'Not admitted; the preceding `refused` message gives the reason.' },
  'no-hello': {
    code: 4408,
    meaning: 'No `hello` or `resume` within 5 seconds, or displaced by newer connections.',
  },
  replaced: { code: 4409, meaning: 'A newer connection of the same visit replaced this one.' },
} as const satisfies Record<string, { code: number; meaning: string }>

export type CloseCause = keyof typeof CLOSE_CODES

/** The socket of a page, whose holder closes it. Text carries messages, binary carries audio, each with its own size limit. */
export type PageSocket = GuardedSocket<CloseCause, BrowserLegCounters>
