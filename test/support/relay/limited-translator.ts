import { type FakeConnection, FakeTranslator } from '../../../simulator/fakes/fake-translator.ts'
import { BridgeError } from '../../../src/common/errors.ts'
import type {
  Connection,
  ConnectionSink,
  TranslationRequest,
} from '../../../src/core/translation/translator.ts'

/** A service in memory with a limited number of places: further connections are refused, as by the embedded server. */
export class LimitedTranslator extends FakeTranslator {
  places: number
  /** The most places taken at once, and connections refused. */
  most = 0
  refused = 0

  constructor(places: number) {
    super()
    this.places = places
  }

  /** The connections that have a place. */
  get taken(): FakeConnection[] {
    return this.connections.filter(({ closed }) => !closed)
  }

  override open(request: TranslationRequest, sink: ConnectionSink): Connection {
    this.refuse = undefined
    if (this.taken.length >= this.places) {
      this.refused++
      this.refuse = {
        kind: 'failed',
        error: new BridgeError('SERVICE_REFUSED', 'the service reports limit/too_many_sessions', {
          retryable: true,
          full: true,
        }),
      }
    }
    const connection = super.open(request, sink)
    if (!this.refuse) this.most = Math.max(this.most, this.taken.length)
    return connection
  }
}
