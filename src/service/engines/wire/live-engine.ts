import type { Clock } from '../../../common/clock.ts'
import type { LanguageId } from '../../../common/language.ts'
import { EngineError, type EngineKind, type SpeechStream } from '../engine.ts'
import type { SocketFault } from './engine-socket.ts'
import { FailureCooldown } from './failure-cooldown.ts'
import type { LiveProtocol } from './live-protocol.ts'
import { LiveStream } from './live-stream.ts'

/** Settings that every live engine has. */
export interface LiveEngineSettings {
  readonly languages: readonly LanguageId[]
  /** Replaces the time without speech after which a connection is closed (ms), for tests. */
  readonly quietMs?: number
}

/** Time after repeated failures in which the engine is not used (ms). */
const COOLDOWN_MS = 10_000
/** Time without speech after which a connection is closed; it opens again with speech (ms). */
const QUIET_MS = 20_000

/** The shared parts of one engine’s streams over WebSocket: settings, failures, and errors in the name of the engine. */
export class LiveEngine {
  readonly #kind: EngineKind
  readonly #name: string
  readonly #quietMs: number
  readonly #clock: Clock
  readonly #streams = new Set<LiveStream>()
  readonly #cooldown: FailureCooldown
  #closed = false

  constructor(kind: EngineKind, name: string, { quietMs = QUIET_MS }: LiveEngineSettings, clock: Clock) {
    this.#kind = kind
    this.#name = name
    this.#quietMs = quietMs
    this.#clock = clock
    this.#cooldown = new FailureCooldown(clock, COOLDOWN_MS)
  }

  /**
   * Opens a stream that speaks `protocol`. `failed` is called once if it fails later. Rejects with an `EngineError`,
   * also during the cooldown after failures, so that another engine can take over. `closed` is called before a stream
   * closes: its results are no longer needed.
   */
  async open(
    protocol: LiveProtocol,
    failed: (error: EngineError) => void,
    closed = () => {},
  ): Promise<SpeechStream> {
    if (this.#closed) throw this.error('is closed')
    if (this.#cooldown.active) throw this.error('has failed several times and is skipped temporarily')
    try {
      const stream: LiveStream = await LiveStream.open({
        protocol,
        clock: this.#clock,
        quietMs: this.#quietMs,
        closed: () => {
          this.#streams.delete(stream)
          closed()
        },
        connected: fault => {
          if (fault) this.#cooldown.failed({ final: !fault.passing })
          else this.#cooldown.succeeded()
        },
        failed: fault => {
          this.#streams.delete(stream)
          failed(this.error(fault.message, fault))
        },
      })
      this.#streams.add(stream)
      return stream
    } catch (fault) {
      throw this.error((fault as SocketFault).message, fault)
    }
  }

  /** Creates an error of this engine. */
  error(message: string, cause?: unknown): EngineError {
    return new EngineError(this.#kind, this.#name, message, { cause })
  }

  /** Closes all streams. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(Array.from(this.#streams, stream => stream.close()))
  }
}
