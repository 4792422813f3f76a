import { EVENT } from '../contract.ts'
import { isErrorObject, taken } from './acknowledgment.ts'
import { ServiceFailure } from './service-failure.ts'
import type { SessionEnd, SessionEvent } from './session-event.ts'
import { SessionSocket, type SessionSocketOptions } from './session-socket.ts'

/** Receives what happens on the wire, in order; nothing after `ended`. */
export interface SessionWireSink {
  connected(parameters: unknown): void
  /** The service takes data from now on; the payload of `start`. */
  ready(start: unknown): void
  /** `sent` was taken, or refused for this reason. */
  acked(sent: number, refusal?: ServiceFailure): void
  /** `bytes`: about what it holds. */
  event(event: SessionEvent, bytes: number): void
  ended(end: SessionEnd): void
}

export interface SessionWireOptions extends SessionSocketOptions {
  /** From something sent to its acknowledgment (ms). */
  readonly ackMs: number
}

/** Bytes that an event takes besides its audio, roughly. */
const EVENT_BYTES = 500

/** A session's socket with numbered sends, a deadline for each, and what comes back as events. */
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

  /** The address of the service that it is, or was, connected to. */
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

  /** Stops reading, so that the service waits. False where that cannot be done. */
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

  /** The service says why in the status itself, or in an `error` just before. */
  #refusal(statuses: readonly unknown[]): ServiceFailure {
    const error = statuses.find(isErrorObject)
    // One that only says that it failed explains nothing.
    if (error && ('code' in error || 'error' in error)) return ServiceFailure.told(error)
    const reason = this.#socket.takeReason()
    return reason ?? ServiceFailure.found('refused/not_taken', 'the service did not take it')
  }
}
