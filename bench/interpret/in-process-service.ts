import type { Socket } from 'socket.io'
import type { Clock } from '../../src/common/clock.ts'
import { BridgeError } from '../../src/common/errors.ts'
import type { EndReason } from '../../src/common/lifecycle.ts'
import { noopLogger } from '../../src/common/log.ts'
import type {
  Connection,
  ConnectionSink,
  TranslationRequest,
  Translator,
} from '../../src/core/translation/translator.ts'
import { readResult } from '../../src/service/client/result-reader.ts'
import { sessionQuery } from '../../src/service/client/session-query.ts'
import { EVENT } from '../../src/service/contract.ts'
import type { EngineSet } from '../../src/service/engines/engine-set.ts'
import { boundSettings } from '../../src/service/server/limits.ts'
import { type NamespaceOptions, openSts } from '../../src/service/server/session/namespace-sessions.ts'
import type { Channel } from '../../src/service/server/session/session.ts'
import type { SocketChannel } from '../../src/service/server/session/socket-channel.ts'
import { type ServiceConfig, serviceSettings } from '../../src/service/server/settings.ts'

/** Sessions of the service on the bridge's clock, without a network between: results cross in the form of the interface. */
export class InProcessService implements Translator {
  readonly #engines: EngineSet
  readonly #clock: Clock
  readonly #config: Partial<ServiceConfig>
  readonly #sent: (event: string, payload: unknown) => void
  readonly connections: InProcessConnection[] = []

  /** `sent` sees every event of every session. */
  constructor(
    engines: EngineSet,
    clock: Clock,
    config: Partial<ServiceConfig> = {},
    sent: (event: string, payload: unknown) => void = () => {},
  ) {
    this.#engines = engines
    this.#clock = clock
    this.#config = config
    this.#sent = sent
  }

  open(request: TranslationRequest, sink: ConnectionSink): Connection {
    const settings = boundSettings(serviceSettings({ apiKeys: ['bench'], ...this.#config }), {
      warnLagMs: 1e9,
      endLagMs: 1e9,
    })
    const options = {
      ...{ engines: this.#engines, clock: this.#clock, settings, log: noopLogger },
      workload: { follow: () => ({ [Symbol.dispose]() {} }) },
    } as unknown as NamespaceOptions
    const connection = new InProcessConnection(request, sink, options, this.#sent)
    this.connections.push(connection)
    return connection
  }

  async close(): Promise<void> {
    for (const connection of this.connections) connection.close()
  }
}

/** One session. */
export class InProcessConnection implements Connection {
  readonly #sink: ConnectionSink
  readonly #session: ReturnType<typeof openSts>
  #ended = false

  constructor(
    { from, to }: TranslationRequest,
    sink: ConnectionSink,
    options: NamespaceOptions,
    sent: (event: string, payload: unknown) => void,
  ) {
    this.#sink = sink
    const query = sessionQuery('/sts', {
      ...{ languageIdSource: from, languageIdTarget: to, partials: true },
      receiveAudio: { mode: 'streaming' },
    })
    const channel: Channel = {
      unreadBytes: 0,
      emit: (event, payload) => {
        sent(event, payload)
        if (!this.#ended) this.#emit(event, payload)
      },
      drained: async () => {},
      end: () => this.drop(),
    }
    const socket = { handshake: { query }, data: { holder: { takeAudio() {} } } } as unknown as Socket
    this.#session = openSts(socket, channel as SocketChannel, noopLogger, options)
    queueMicrotask(() => void this.#session.open())
  }

  send(fragment: Uint8Array, sequence: number): void {
    if (this.#ended) return
    const taken = this.#session.take(fragment.slice())
    queueMicrotask(() => {
      if (!this.#ended) this.#sink.acked(sequence, taken)
    })
  }

  /** The connection is lost. */
  drop(): void {
    this.#end({ kind: 'failed', error: new BridgeError('SERVICE_LOST', 'lost', { retryable: true }) })
  }

  close(): void {
    this.#end({ kind: 'hangup', by: 'local' })
  }

  #emit(event: string, payload: unknown): void {
    if (event === EVENT.start) this.#sink.ready()
    else if (event === EVENT.result) this.#sink.result(readResult(payload, '0'))
    else if (event === EVENT.endSynth) this.#sink.endOfSpeech((payload as { id: string }).id)
  }

  #end(reason: EndReason): void {
    if (this.#ended) return
    this.#ended = true
    void this.#session.close('closed')
    queueMicrotask(() => this.#sink.ended(reason))
  }
}
