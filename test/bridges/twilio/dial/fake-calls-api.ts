import type { CallOrder, CallsApi } from '../../../../src/bridges/telephony/outbound/carrier-api.ts'
import { CarrierError } from '../../../../src/bridges/telephony/outbound/carrier-api.ts'

/** A fake of Twilio’s REST API: records requests; the test responds. */
export class FakeCallsApi implements CallsApi {
  readonly orders: CallOrder[] = []
  readonly hungUp: string[] = []
  readonly looked: string[] = []
  /** Behavior of `create`; responds at once by default. */
  onCreate: (order: CallOrder) => Promise<string> = async () => `CA${this.orders.length}`
  onHangUp: (callSid: string) => Promise<void> = async () => {}
  onStatus: (callSid: string) => Promise<string> = async () => 'ringing'

  create(order: CallOrder): Promise<string> {
    this.orders.push(order)
    return this.onCreate(order)
  }

  hangUp(callSid: string): Promise<void> {
    this.hungUp.push(callSid)
    return this.onHangUp(callSid)
  }

  status(callSid: string): Promise<string> {
    this.looked.push(callSid)
    return this.onStatus(callSid)
  }
}

/** An error as the client throws it. */
export function restError(status: number, code?: number): CarrierError {
  return CarrierError.from({ status, code })
}
