import { BridgeError } from '../../../src/common/errors.ts'
import type {
  DialEnd,
  Dialer,
  DialOutcome,
  DialRequest,
  OutgoingCall,
} from '../../../src/core/model/dialer.ts'

/** A call whose result the test determines. */
export class FakeCall implements OutgoingCall {
  readonly id: string
  readonly request: DialRequest
  readonly outcome: Promise<DialOutcome>
  readonly over: Promise<DialEnd>
  hangUps = 0
  readonly settle: (outcome: DialOutcome) => void
  readonly end: (end: DialEnd) => void

  constructor(id: string, request: DialRequest) {
    this.id = id
    this.request = request
    const outcome = Promise.withResolvers<DialOutcome>()
    const over = Promise.withResolvers<DialEnd>()
    this.outcome = outcome.promise
    this.over = over.promise
    this.settle = outcome.resolve
    this.end = over.resolve
  }

  async hangUp(): Promise<void> {
    this.hangUps++
    this.settle({ kind: 'canceled' })
    this.end('canceled')
    await this.over
  }
}

/** Places no real calls; the test determines the results. Numbers that start with +1900 are rejected. */
export class FakeDialer implements Dialer {
  readonly calls: FakeCall[] = []
  busy = false

  dial(request: DialRequest): OutgoingCall {
    if (request.to.startsWith('+1900')) throw new BridgeError('DIAL_REFUSED', 'not dialed: not allowed')
    if (this.busy) throw new BridgeError('CAPACITY', 'too many calls', { retryable: true })
    const call = new FakeCall(`call-${this.calls.length + 1}`, request)
    this.calls.push(call)
    return call
  }
}
