import { BridgeError, type EndReason } from './errors.ts'
import type { Connection, ConnectionSink, TranslationRequest, Translator } from './translator.ts'

/** A connection that is made ready while another serves. */
interface Next {
  readonly number: number
  connection: Connection | undefined
  ready: boolean
}

/**
 * A session's way to the service: one connection at a time, and where it is about to end, the next one beside it.
 * Whatever a connection says that is not, or no longer, the present one, is not heard.
 */
export class SessionLine {
  readonly #translator: Translator
  readonly #request: TranslationRequest
  readonly #events: ConnectionSink
  /** The next connection did not come, or ended before it was needed. */
  readonly #failed: () => void
  readonly #thrown: (error: unknown) => void
  #made = 0
  /** Number of the present connection; 0: none. */
  #number = 0
  #connection: Connection | undefined
  #next: Next | undefined

  /** `thrown` is told what connections, or those who hear of them, threw. */
  constructor(
    translator: Translator,
    request: TranslationRequest,
    events: ConnectionSink,
    failed: () => void,
    thrown: (error: unknown) => void = () => {},
  ) {
    this.#translator = translator
    this.#request = request
    this.#events = events
    this.#failed = failed
    this.#thrown = thrown
  }

  /** Whether another connection was asked for beside the present one, and whether it could take over. */
  get next(): 'none' | 'opening' | 'ready' {
    if (!this.#next) return 'none'
    return this.#next.ready ? 'ready' : 'opening'
  }

  /** Makes a connection, in place of the one before. */
  open(): void {
    this.close()
    const number = ++this.#made
    this.#number = number
    const connection = this.#connect(number)
    if (this.#number === number) this.#connection = connection
    else this.#end(connection)
  }

  /** Makes another one beside it. */
  prepare(): void {
    const next: Next = { number: ++this.#made, connection: undefined, ready: false }
    this.#next = next
    next.connection = this.#connect(next.number)
  }

  /** The next connection takes over: it is the present one from now on, and says so by no event. */
  change(): void {
    const next = this.#next
    if (!next?.ready) throw new RangeError(`the next connection is ${this.next}, not ready`)
    const old = this.#connection
    this.#next = undefined
    this.#number = next.number
    this.#connection = next.connection
    this.#end(old)
  }

  send(bytes: Uint8Array, sequence: number): void {
    try {
      this.#connection?.send(bytes, sequence)
    } catch (error) {
      this.#thrown(error)
      this.#ended(this.#number, broken(error))
    }
  }

  /** Ends whatever is open; nothing is heard any more. */
  close(): void {
    this.#number = 0
    const { connection } = this.#next ?? {}
    this.#next = undefined
    this.#end(connection)
    const present = this.#connection
    this.#connection = undefined
    this.#end(present)
  }

  #connect(number: number): Connection {
    const heard = (tell: () => void) => {
      if (number === this.#number) this.#attempt(tell)
    }
    const events = this.#events
    const sink: ConnectionSink = {
      ready: () => {
        if (this.#next?.number === number) this.#next.ready = true
        else heard(() => events.ready())
      },
      acked: (sequence, ok) => heard(() => events.acked(sequence, ok)),
      result: result => heard(() => events.result(result)),
      endOfSpeech: utterance => heard(() => events.endOfSpeech(utterance)),
      renew: ms => heard(() => events.renew?.(ms)),
      fault: error => heard(() => events.fault(error)),
      ended: reason => this.#attempt(() => this.#ended(number, reason)),
    }
    try {
      return this.#translator.open(this.#request, sink)
    } catch (error) {
      this.#thrown(error)
      // As of any other connection its end is heard later, when whoever asked for it knows of it.
      queueMicrotask(() => sink.ended(broken(error)))
      return { send() {}, close() {} }
    }
  }

  #end(connection: Connection | undefined): void {
    this.#attempt(() => connection?.close())
  }

  #attempt(task: () => void): void {
    try {
      task()
    } catch (error) {
      this.#thrown(error)
    }
  }

  #ended(number: number, reason: EndReason): void {
    if (this.#next?.number === number) {
      this.#next = undefined
      this.#failed()
    } else if (number === this.#number) this.#events.ended(reason)
  }
}

function broken(cause: unknown): EndReason {
  const error = new BridgeError('SERVICE_LOST', 'the connection failed inside', { retryable: true, cause })
  return { kind: 'failed', error }
}
