import type { BridgeError } from '../../../src/common/errors.ts'
import type {
  DialEnd,
  Dialer,
  DialOutcome,
  DialRequest,
  OutgoingCall,
} from '../../../src/core/model/dialer.ts'

/** An outgoing call; the test plays the callee. */
export class FakeOutgoingCall implements OutgoingCall {
  readonly id: string
  readonly request: DialRequest
  readonly outcome: Promise<DialOutcome>
  readonly over: Promise<DialEnd>
  /** Number of calls of `hangUp`. */
  hungUp = 0
  readonly #outcome = Promise.withResolvers<DialOutcome>()
  readonly #over = Promise.withResolvers<DialEnd>()

  constructor(id: string, request: DialRequest) {
    this.id = id
    this.request = request
    this.outcome = this.#outcome.promise
    this.over = this.#over.promise
  }

  /** Changes the state; without an answer the call is also over. */
  become(outcome: DialOutcome): void {
    this.#outcome.resolve(outcome)
    if (outcome.kind !== 'answered') this.#over.resolve(outcome.kind)
  }

  end(how: DialEnd): void {
    this.#outcome.resolve({ kind: 'canceled' })
    this.#over.resolve(how)
  }

  async hangUp(): Promise<void> {
    this.hungUp++
    this.end('canceled')
  }
}

export class FakeDialer implements Dialer {
  readonly calls: FakeOutgoingCall[] = []
  refuse: BridgeError | undefined

  dial(request: DialRequest): FakeOutgoingCall {
    if (this.refuse) throw this.refuse
    const call = new FakeOutgoingCall(`call-${this.calls.length + 1}`, request)
    this.calls.push(call)
    return call
  }

  /** The newest call; throws before the first one. */
  get last(): FakeOutgoingCall {
    const call = this.calls.at(-1)
    if (!call) throw new RangeError('no call was placed')
    return call
  }
}
