import { BridgeError } from '../common/errors.ts'
import type { Dialer, DialRequest, OutgoingCall } from '../core/model/dialer.ts'
import type { OpenCarrier } from './carriers.ts'

export interface CarrierSelectionOptions {
  /** Those with outbound calls are used; the first one is the default. */
  readonly carriers: readonly Pick<OpenCarrier, 'name' | 'limitedDialer' | 'numbers'>[]
  /** Returns the channels of the participants of a room. */
  readonly channelsOf: (room: string) => Iterable<string>
}

/**
 * Places each call through a carrier: the one it names, else the one that owns its caller ID, else that of a participant of
 * the room, else the first one.
 */
export class CarrierSelection implements Dialer {
  readonly #options: CarrierSelectionOptions

  constructor(options: CarrierSelectionOptions) {
    this.#options = options
  }

  /** Returns whether any carrier places calls. */
  get available(): boolean {
    return this.#callable.length > 0
  }

  /** Calls rejected by the rate limits of all carriers. */
  get refused(): number {
    return this.#callable.reduce((sum, { limitedDialer }) => sum + (limitedDialer?.refused ?? 0), 0)
  }

  dial(request: DialRequest): OutgoingCall {
    const carrier = this.#select(request)
    if (carrier?.limitedDialer) return carrier.limitedDialer.dial(request)
    const names = this.#callable.map(({ name }) => name).join(', ')
    throw new BridgeError(
      'DIAL_REFUSED',
      request.carrier === undefined
        ? 'outbound calls are not configured'
        : `carrier ${JSON.stringify(request.carrier)} places no calls; configured: ${names || 'none'}`,
    )
  }

  #select({ carrier, from, invitation }: DialRequest) {
    const callable = this.#callable
    if (carrier !== undefined) return callable.find(({ name }) => name === carrier)
    const owner = from === undefined ? undefined : callable.find(({ numbers }) => numbers.has(from))
    if (owner) return owner
    const channels = new Set(this.#options.channelsOf(invitation.room))
    return callable.find(({ name }) => channels.has(name)) ?? callable[0]
  }

  get #callable() {
    return this.#options.carriers.filter(({ limitedDialer }) => limitedDialer)
  }
}
