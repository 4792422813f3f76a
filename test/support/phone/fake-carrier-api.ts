import type { CallOrder, CarrierApi, CarrierError } from '../../../src/bridges/phone/carrier.ts'
import { inputOf } from '../../../src/bridges/phone/markup/call-form.ts'
import type { DialInput } from '../../../src/bridges/phone/outbound/outbound-call-state.ts'
import { carrierError } from '../../../src/bridges/phone/twilio/rest.ts'

/** A fake of Twilio’s REST API: records requests; the test responds. */
export class FakeCarrierApi implements CarrierApi {
  readonly orders: CallOrder[] = []
  readonly hungUp: string[] = []
  readonly looked: string[] = []
  /** Behavior of `place`; responds at once by default. */
  onPlace: (order: CallOrder) => Promise<string> = async () => `CA${this.orders.length}`
  onHangUp: (callSid: string) => Promise<void> = async () => {}
  /** Returns Twilio’s name of the status. */
  onStatus: (callSid: string) => Promise<string> = async () => 'ringing'

  place(order: CallOrder): Promise<string> {
    this.orders.push(order)
    return this.onPlace(order)
  }

  hangUp(callSid: string): Promise<void> {
    this.hungUp.push(callSid)
    return this.onHangUp(callSid)
  }

  async status(callSid: string): Promise<DialInput | undefined> {
    this.looked.push(callSid)
    return inputOf(await this.onStatus(callSid))
  }
}

/** An error as the client throws it. */
export function restError(status: number, code?: number): CarrierError {
  return carrierError({ status, code })
}
