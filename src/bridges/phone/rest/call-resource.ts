import { type AccountState, type CallOrder, type CarrierApi, CarrierError } from '../carrier.ts'
import { inputOf } from '../markup/call-form.ts'
import type { DialInput } from '../outbound/outbound-call-state.ts'
import type { CarrierRest, RestFields } from './carrier-rest.ts'

export interface CallResourceOptions {
  readonly rest: CarrierRest
  /** Name in messages, such as `Telnyx`. */
  readonly title: string
  /** Path of new calls, and that of a call. */
  readonly calls: string
  path(callId: string): string
  /** The form of a new call. */
  parameters(order: CallOrder): URLSearchParams
  /** The carrier’s ID in the response to a new call. */
  idOf(fields: RestFields): unknown
  readonly id: RegExp
  /** Path of the account, or of what represents it, and its state. */
  readonly account: { readonly path: string; state(fields: RestFields): AccountState }
}

/** `CarrierApi` on REST APIs that follow Twilio’s (Twilio: Calls resource): a form in, JSON out, and an update that ends a call. */
export class CallResourceApi implements CarrierApi {
  readonly #options: CallResourceOptions

  constructor(options: CallResourceOptions) {
    this.#options = options
  }

  async place(order: CallOrder): Promise<string> {
    const { rest, calls, parameters, idOf, id } = this.#options
    const found = idOf(await rest.request('POST', calls, parameters(order)))
    if (typeof found === 'string' && id.test(found)) return found
    throw this.#unreadable()
  }

  async hangUp(callId: string): Promise<void> {
    const { rest, path } = this.#options
    try {
      await rest.request(
        'POST',
        path(encodeURIComponent(callId)),
        new URLSearchParams({ Status: 'completed' }),
      )
    } catch (failure) {
      if (!(failure instanceof CarrierError) || failure.kind !== 'gone') throw failure
    }
  }

  async status(callId: string): Promise<DialInput | undefined> {
    const { rest, path } = this.#options
    const { status } = await rest.request('GET', path(encodeURIComponent(callId)))
    if (typeof status === 'string') return inputOf(status)
    throw this.#unreadable()
  }

  async account(): Promise<AccountState> {
    const { rest, account } = this.#options
    return account.state(await rest.request('GET', account.path))
  }

  #unreadable(): CarrierError {
    return new CarrierError('unsure', `${this.#options.title} returned an invalid call resource`)
  }
}
