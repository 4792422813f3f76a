import type { EndReason } from '../../core/errors.ts'
import type { Connection, ConnectionSink } from '../../core/translator.ts'
import { EVENT } from '../contract.ts'
import { fragmentTaken } from './acknowledgment.ts'
import { bridgeError } from './bridge-error.ts'
import type { SessionEnd } from './session-event.ts'
import { SessionSocket, type SessionSocketOptions } from './session-socket.ts'

/**
 * A session's socket as the relay's connection. Audio goes out as it is given: the session above keeps fragments until
 * they are acknowledged, and watches how long that takes with one deadline for all of them.
 */
export class ServiceConnection implements Connection {
  readonly #socket: SessionSocket
  readonly #sink: ConnectionSink

  /** `gone` is called before `sink.ended`. */
  constructor(options: SessionSocketOptions, sink: ConnectionSink, gone: (connection: Connection) => void) {
    this.#sink = sink
    this.#socket = new SessionSocket(options, {
      ready: () => sink.ready(),
      result: result => sink.result(result),
      endOfSpeech: utterance => sink.endOfSpeech(utterance),
      fault: error => sink.fault(bridgeError(error)),
      ended: end => {
        gone(this)
        sink.ended(reasonOf(end))
      },
    })
  }

  send(fragment: Uint8Array, sequence: number): void {
    this.#socket.emit(EVENT.writeStream, fragment, status => {
      if (this.#socket.ready) this.#sink.acked(sequence, fragmentTaken(status))
    })
  }

  close(): void {
    this.#socket.end({ kind: 'closed' })
  }
}

function reasonOf(end: SessionEnd): EndReason {
  if (end.kind === 'failed') return { kind: 'failed', error: bridgeError(end.error) }
  return { kind: 'hangup', by: 'local' }
}
