import { after, type Clock } from '../../common/clock.ts'
import type { EndReason } from '../../common/errors.ts'
import type { Log } from '../../common/log.ts'
import type { Inbound, Start } from '../twilio/wire.ts'
import { CLOSE_CODES, type CloseCause } from './close-codes.ts'
import type { TwilioLimits } from './limits.ts'
import type { StreamListener, StreamSocket } from './stream-socket.ts'

/** Number of media messages before `start` that ends the stream (1 s of audio). */
const MAX_EARLY_MEDIA = 50

export interface GreetingTerms {
  readonly clock: Clock
  readonly log: Log
  readonly limits: TwilioLimits
  /** Checks token, call and audio format of `start`; returns the cause for rejecting the stream, or undefined. */
  readonly check: (start: Start) => CloseCause | undefined
  /** Counts a stream that never became a leg. */
  readonly refused: (cause: CloseCause) => void
}

/**
 * A media socket until its `start`: all that is known is that Twilio signed its upgrade.
 *
 *   opened ──start, valid──▶ `onStart`, same tick
 *     └──start rejected · too late · too much before it · gone──▶ closed
 */
export class Greeting implements StreamListener {
  readonly #socket: StreamSocket
  readonly #terms: GreetingTerms
  readonly #onStart: (start: Start) => void
  readonly #deadline: Disposable
  #earlyMedia = 0

  constructor(socket: StreamSocket, terms: GreetingTerms, onStart: (start: Start) => void) {
    this.#socket = socket
    this.#terms = terms
    this.#onStart = onStart
    this.#deadline = after(terms.clock, terms.limits.startWithinMs, () => socket.fail('no-start'))
    socket.listener = this
  }

  message(message: Inbound): void {
    if (message.kind === 'start') this.#start(message)
    else if (message.kind === 'media' && ++this.#earlyMedia >= MAX_EARLY_MEDIA) this.#socket.fail('bad-media')
  }

  closed(reason: EndReason, cause?: CloseCause): void {
    this.#deadline[Symbol.dispose]()
    const { log, refused } = this.#terms
    if (cause === undefined) {
      log.info({ reason: reason.kind }, 'stream closed before start')
      return
    }
    refused(cause)
    log.warn({ cause, code: CLOSE_CODES[cause].code }, 'stream rejected')
  }

  /** Already logged once, on rejection. */
  fault(): void {}

  #start(start: Start): void {
    const cause = this.#terms.check(start)
    if (cause !== undefined) {
      this.#socket.fail(cause)
      return
    }
    this.#deadline[Symbol.dispose]()
    this.#onStart(start)
  }
}
