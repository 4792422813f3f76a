import { type Clock, setTimer, systemClock } from '../../common/clock.ts'
import { withDefaults } from '../../common/defaults.ts'
import type { EndReason } from '../../common/lifecycle.ts'
import type {
  Connection,
  ConnectionSink,
  TranslationRequest,
  Translator,
} from '../../core/translation/translator.ts'
import type { ReceiveAudio } from '../contract.ts'
import { toBridgeError } from './errors.ts'
import { RESULT_PATHS, type ResultPaths } from './result-paths.ts'
import { baseUrl, currentUrl, socketAddress, socketPath } from './service-address.ts'
import type { SessionEnd } from './session-events.ts'
import { sessionQuery } from './session-query.ts'
import { SessionSocket, type SessionSocketOptions } from './session-socket.ts'

/** Time before the end of a session at which it should be replaced, long enough to find a pause (ms). */
const BEFORE_MS = 60_000
/** Maximum share of the lifetime for that: not in the first three quarters. */
const SHARE = 0.25
/** A larger message ends the connection; this is more than two minutes of mp3 (bytes). */
const MOST_MESSAGE_BYTES = 2_000_000
/** Maximum delay of a timer (ms): 24 days. */
const LONGEST_MS = 2 ** 31 - 1

/** Returns the lifetime of a session as announced by `connected` (ms), or undefined. */
function toldLifeMs(parameters: unknown): number | undefined {
  if (typeof parameters !== 'object' || parameters === null || !('expiresInMs' in parameters))
    return undefined
  const { expiresInMs } = parameters
  return typeof expiresInMs === 'number' && expiresInMs > 0 ? expiresInMs : undefined
}

/**
 * Calls `renew` once, shortly before a session of `lifeMs` that starts now ends, with the remaining time. The caller
 * disposes the timer.
 */
function beforeEnd(clock: Clock, lifeMs: number, renew: (leftMs: number) => void): Disposable {
  const leftMs = Math.min(BEFORE_MS, lifeMs * SHARE)
  return setTimer(clock, Math.min(LONGEST_MS, lifeMs - leftMs), () => renew(leftMs))
}

/**
 * Adapts a session's socket to the relay's connection. Audio is sent immediately: the session above keeps fragments
 * until they are acknowledged, and applies one deadline to all of them.
 */
class ServiceConnection implements Connection {
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
      ...sink,
      connected: parameters => this.#limit(options.clock, toldLifeMs(parameters) ?? options.lifeMs),
      ready: () => {
        if (!this.#life) this.#limit(options.clock, options.lifeMs)
        sink.ready(this.#socket)
      },
      fault: error => sink.fault(toBridgeError(error)),
      ended: end => {
        this.#life?.[Symbol.dispose]()
        gone(this)
        sink.ended(reasonOf(end))
      },
    })
  }

  send(fragment: Uint8Array, sequence: number): void {
    this.#socket.send(fragment, sequence)
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
  if (end.kind === 'failed') return { kind: 'failed', error: toBridgeError(end.error) }
  return { kind: 'hangup', by: 'local' }
}

/** Address of the service, and options of its sessions. */
export interface ServiceTranslatorOptions {
  /** Base address of the service, `http://` or `https://`; a function if it can change (an embedded service). */
  readonly url: string | (() => string)
  readonly apiKey: string
  /** Path of Socket.IO, if it is below a path of the address (`ServiceClientOptions`). */
  readonly socketPath?: string | undefined
  /** `streaming` (default): translated speech in pieces as synthesized. `block`: one result per utterance. */
  readonly mode?: ReceiveAudio['mode']
  /** Timeouts (ms) for the handshake, and from there to `start`. Default 3 s each. */
  readonly deadlines?: { readonly connectMs?: number; readonly startMs?: number }
  readonly clock?: Clock
  /** Paths of text and mp3 in `result`, for servers that use other names. */
  readonly resultPaths?: Partial<ResultPaths>
  /**
   * Lifetime of a session at the service (ms): sessions are replaced in a pause before it ends. Default: as announced
   * by `connected`.
   */
  readonly sessionMs?: number
}

/** Adapts any server of the translation-service interface to the relay's translator. */
export class ServiceTranslator implements Translator {
  readonly #options: ServiceTranslatorOptions
  readonly #connections = new Set<Connection>()
  #closed = false

  constructor(options: ServiceTranslatorOptions) {
    if (typeof options.url === 'string') baseUrl(options.url)
    socketPath(options.socketPath)
    this.#options = options
  }

  /** The origin of the service. */
  get address(): string | undefined {
    return URL.parse(currentUrl(this.#options.url))?.origin
  }

  open({ from, to, want, voice }: TranslationRequest, sink: ConnectionSink): Connection {
    if (this.#closed) throw new RangeError('this translator is closed')
    const { url, apiKey, mode = 'streaming', deadlines = {}, resultPaths } = this.#options
    const { clock = systemClock, sessionMs } = this.#options
    const { connectMs = 3_000, startMs = 3_000 } = deadlines
    const heard = { languageIdSource: from, partials: true }
    const connection = new ServiceConnection(
      {
        address: socketAddress(
          baseUrl(currentUrl(url)),
          want === 'speech' ? '/sts' : '/stt',
          this.#options.socketPath,
        ),
        apiKey,
        query:
          want === 'speech'
            ? sessionQuery('/sts', {
                ...heard,
                languageIdTarget: to,
                receiveAudio: { mode },
                voiceId: voice,
              })
            : sessionQuery('/stt', heard),
        connectMs,
        startMs,
        clock,
        resultPaths: withDefaults(RESULT_PATHS, resultPaths),
        voice: want === 'speech' ? mode : 'none',
        maxMessageBytes: MOST_MESSAGE_BYTES,
        lifeMs: sessionMs,
      },
      sink,
      ended => this.#connections.delete(ended),
    )
    this.#connections.add(connection)
    return connection
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const connection of this.#connections) connection.close()
  }
}
