import type { Clock } from '../../common/clock.ts'
import type { EndReason } from '../../common/errors.ts'
import type { Connection, ConnectionSink } from '../../core/translation/translator.ts'
import { EVENT } from '../contract.ts'
import { taken } from './acknowledgment.ts'
import { bridgeError } from './bridge-error.ts'
import type { SessionEnd } from './session-event.ts'
import { beforeEnd, toldLifeMs } from './session-life.ts'
import { SessionSocket, type SessionSocketOptions } from './session-socket.ts'

/**
 * Adapts a session's socket to the relay's connection. Audio is sent immediately: the session above keeps fragments
 * until they are acknowledged, and applies one deadline to all of them.
 */
export class ServiceConnection implements Connection {
  readonly #socket: SessionSocket
  readonly #sink: ConnectionSink

  #life: Disposable | undefined

  /**
   * `gone` is called before `sink.ended`. The service ends the session after `lifeMs`, or earlier if announced;
   * `sink.renew` is called in time.
   */
  constructor(
    options: SessionSocketOptions & { readonly lifeMs?: number | undefined },
    sink: ConnectionSink,
    gone: (connection: Connection) => void,
  ) {
    this.#sink = sink
    this.#socket = new SessionSocket(options, {
      connected: parameters => this.#limit(options.clock, toldLifeMs(parameters) ?? options.lifeMs),
      ready: () => {
        if (!this.#life) this.#limit(options.clock, options.lifeMs)
        sink.ready()
      },
      result: result => sink.result(result),
      endOfSpeech: utterance => sink.endOfSpeech(utterance),
      fault: error => sink.fault(bridgeError(error)),
      ended: end => {
        this.#life?.[Symbol.dispose]()
        gone(this)
        sink.ended(reasonOf(end))
      },
    })
  }

  send(fragment: Uint8Array, sequence: number): void {
    this.#socket.emit(EVENT.writeStream, fragment, (...statuses) => {
      if (this.#socket.ready) this.#sink.acked(sequence, taken(statuses))
    })
  }

  #limit(clock: Clock, lifeMs: number | undefined): void {
    this.#life?.[Symbol.dispose]()
    this.#life =
      lifeMs === undefined ? undefined : beforeEnd(clock, lifeMs, leftMs => this.#sink.renew?.(leftMs))
  }

  close(): void {
    this.#socket.end({ kind: 'closed' })
  }
}

function reasonOf(end: SessionEnd): EndReason {
  if (end.kind === 'failed') return { kind: 'failed', error: bridgeError(end.error) }
  return { kind: 'hangup', by: 'local' }
}
