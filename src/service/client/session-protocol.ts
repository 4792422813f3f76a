import { EVENT } from '../contract.ts'
import { ServiceClientError } from './errors.ts'
import type { SessionEnd, SessionEvent } from './results.ts'
import { isErrorObject, SessionSocket, type SessionSocketOptions, taken } from './session-transport.ts'

/** Receives the events of the wire, in order; none after `ended`. */
export interface SessionWireSink {
  connected(parameters: unknown): void
  /** The service accepts data from now on; `start` is the payload of that event. */
  ready(start: unknown): void
  /** `sent` was accepted, or rejected with `refusal`. */
  acked(sent: number, refusal?: ServiceClientError): void
  /** `bytes`: approximate size of the event. */
  event(event: SessionEvent, bytes: number): void
  ended(end: SessionEnd): void
}

export interface SessionWireOptions extends SessionSocketOptions {
  /** Time from a send to its acknowledgment (ms). */
  readonly ackMs: number
}

/** Approximate size of an event without its audio. */
const EVENT_BYTES = 500

/** A session's socket with numbered sends, a deadline for each, and its results as events. */
export class SessionWire {
  readonly #ackMs: number
  readonly #sink: SessionWireSink
  readonly #socket: SessionSocket
  readonly #deadlines = new Map<number, Disposable>()

  constructor({ ackMs, ...options }: SessionWireOptions, sink: SessionWireSink) {
    this.#ackMs = ackMs
    this.#sink = sink
    this.#socket = new SessionSocket(options, {
      connected: parameters => sink.connected(parameters),
      ready: start => sink.ready(start),
      result: (result, payload) =>
        sink.event({ kind: 'result', ...result, payload }, EVENT_BYTES + (result.audio?.length ?? 0)),
      endOfSpeech: utterance => sink.event({ kind: 'endSynth', utterance }, EVENT_BYTES),
      fault: error => sink.event({ kind: 'error', error }, EVENT_BYTES),
      ended: end => {
        for (const deadline of this.#deadlines.values()) deadline[Symbol.dispose]()
        sink.ended(end)
      },
    })
  }

  get ready(): boolean {
    return this.#socket.ready
  }

  /** The remote address of the current or last connection. */
  get peer(): string | undefined {
    return this.#socket.peer
  }

  /** Sends text as `text`, bytes as `write_stream`. Only between `ready` and `ended`. */
  emit(item: string | Buffer, sent: number): void {
    const text = typeof item === 'string'
    const acked = (...statuses: unknown[]) => this.#acked(sent, statuses)
    if (!this.#socket.emit(text ? EVENT.text : EVENT.writeStream, item, acked)) return
    const what = `acknowledge ${sent}`
    this.#deadlines.set(sent, this.#socket.limit(this.#ackMs, 'timeout/no_acknowledgment', what))
  }

  /** Stops reading, so that the service waits. Returns false if that is not possible. */
  pause(): boolean {
    return this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** Ends the connection. Idempotent: the first end counts. */
  end(end: SessionEnd): void {
    this.#socket.end(end)
  }

  #acked(sent: number, statuses: readonly unknown[]): void {
    if (!this.ready) return
    this.#deadlines.get(sent)?.[Symbol.dispose]()
    this.#deadlines.delete(sent)
    if (taken(statuses)) this.#sink.acked(sent)
    else this.#sink.acked(sent, this.#refusal(statuses))
  }

  /** The service gives the reason in the status itself, or in an `error` just before. */
  #refusal(statuses: readonly unknown[]): ServiceClientError {
    const error = statuses.find(isErrorObject)
    // A bare failure status explains nothing.
    if (error && ('code' in error || 'error' in error)) return ServiceClientError.told(error)
    const reason = this.#socket.takeReason()
    return reason ?? ServiceClientError.found('refused/not_taken', 'the service rejected it without a reason')
  }
}
