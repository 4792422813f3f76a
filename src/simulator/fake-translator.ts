import type { EndReason } from '../core/errors.ts'
import type { Connection, ConnectionSink, TranslationRequest, Translator } from '../core/translator.ts'

/** One connection of the `FakeTranslator`: the test plays the service. */
export class FakeConnection implements Connection {
  readonly request: TranslationRequest
  readonly sink: ConnectionSink
  /** Fragments in the order sent; each a copy. */
  readonly sent: { sequence: number; bytes: Uint8Array }[] = []
  /** Acks every fragment as it comes. */
  autoAck = true
  closed = false

  constructor(request: TranslationRequest, sink: ConnectionSink) {
    this.request = request
    this.sink = sink
  }

  send(fragment: Uint8Array, sequence: number): void {
    this.sent.push({ sequence, bytes: fragment.slice() })
    if (this.autoAck) this.sink.acked(sequence, true)
  }

  close(): void {
    if (this.closed) return
    this.closed = true
    this.sink.ended({ kind: 'hangup', by: 'local' })
  }

  /** The service or the network ends it. */
  drop(reason: EndReason): void {
    this.closed = true
    this.sink.ended(reason)
  }
}

/** A translation service without one: connections open when the test says so, and answer what it says. */
export class FakeTranslator implements Translator {
  readonly connections: FakeConnection[] = []
  /** Whether new connections are ready at once. */
  autoReady = true

  open(request: TranslationRequest, sink: ConnectionSink): Connection {
    const connection = new FakeConnection(request, sink)
    this.connections.push(connection)
    if (this.autoReady) queueMicrotask(() => connection.closed || sink.ready())
    return connection
  }

  /** The newest connection; throws when there is none. */
  get last(): FakeConnection {
    const connection = this.connections.at(-1)
    if (!connection) throw new RangeError('no connection was opened')
    return connection
  }

  async close(): Promise<void> {
    for (const connection of this.connections) connection.close()
  }
}
