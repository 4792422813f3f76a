import type { EndReason } from '../../src/common/lifecycle.ts'
import type {
  Connection,
  ConnectionSink,
  TranslationRequest,
  Translator,
} from '../../src/core/translation/translator.ts'

/** One connection of the `FakeTranslator`: the test plays the service. */
export class FakeConnection implements Connection {
  readonly request: TranslationRequest
  /** Receives the service's messages: the test calls it. */
  readonly sink: ConnectionSink
  /** Copies of the fragments, in the order sent. Excludes fragments sent before `ready` or after the end. */
  readonly sent: { sequence: number; bytes: Uint8Array }[] = []
  /** Acknowledges every fragment on arrival. */
  autoAck = true
  closed = false
  #ready = false

  constructor(request: TranslationRequest, sink: ConnectionSink) {
    this.request = request
    this.sink = {
      ready: (sender, fallback) => {
        this.#ready = true
        sink.ready(sender, fallback)
      },
      acked: (sequence, ok) => sink.acked(sequence, ok),
      result: result => sink.result(result),
      endOfSpeech: utterance => sink.endOfSpeech(utterance),
      renew: ms => sink.renew?.(ms),
      fault: error => sink.fault(error),
      ended: reason => sink.ended(reason),
    }
  }

  /** True while the connection accepts audio. */
  get live(): boolean {
    return this.#ready && !this.closed
  }

  send(fragment: Uint8Array, sequence: number): void {
    if (!this.#ready || this.closed) return
    this.sent.push({ sequence, bytes: new Uint8Array(fragment) })
    if (this.autoAck) this.sink.acked(sequence, true)
  }

  close(): void {
    this.drop({ kind: 'hangup', by: 'local' })
  }

  /** Ends the connection from the side of the service or the network. Idempotent. */
  drop(reason: EndReason): void {
    if (this.closed) return
    this.closed = true
    this.sink.ended(reason)
  }
}

/** A translation service in memory: connections open when the test says, and send what the test says. */
export class FakeTranslator implements Translator {
  readonly connections: FakeConnection[] = []
  /** Makes new connections ready at once. */
  autoReady = true
  /** If set, new connections end with this reason. */
  refuse: EndReason | undefined
  onFallback?: boolean

  open(request: TranslationRequest, sink: ConnectionSink): Connection {
    const connection = this.make(request, sink)
    this.connections.push(connection)
    const { refuse } = this
    if (refuse) queueMicrotask(() => connection.drop(refuse))
    else if (this.autoReady)
      queueMicrotask(() => connection.closed || connection.live || connection.sink.ready())
    return connection
  }

  /** The newest connection; throws before the first one. */
  get last(): FakeConnection {
    const connection = this.connections.at(-1)
    if (!connection) throw new RangeError('no connection was opened')
    return connection
  }

  async close(): Promise<void> {
    for (const connection of this.connections) connection.close()
  }

  /** Creates a connection that is not open yet; override it to change its behavior. */
  protected make(request: TranslationRequest, sink: ConnectionSink): FakeConnection {
    return new FakeConnection(request, sink)
  }
}
