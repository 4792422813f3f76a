import type { Logger } from '../../../common/log.ts'
import type { LegTransport } from '../../websocket/guarded-socket.ts'
import type { CallInstructions } from './call-instructions.ts'
import type { CarrierRequests, VerifierFactory } from './carrier-requests.ts'
import type { MediaDialect } from './media-dialect.ts'

/**
 * A phone carrier: its media messages, call markup, webhooks and signatures. `CarrierApi`, for outbound calls, is passed
 * to the dialer.
 */
export interface Carrier {
  /** A word such as `twilio`: the channel of its legs, its label in metrics, and the default path of its routes. */
  readonly name: string
  /** Name in messages, such as `Twilio`. */
  readonly title: string
  readonly media: MediaDialect
  /** WebSocket subprotocol that the carrier requires, and that the server selects. */
  readonly subprotocol?: string
  /**
   * Opens another way for streams to connect than the WebSocket at `media`, and passes each connection to `accept`, which
   * owns it. Rejects if that fails; the bridge disposes of the result.
   */
  readonly listen?: (accept: (connection: LegTransport) => void, log: Logger) => Promise<AsyncDisposable>
  readonly instructions: CallInstructions
  readonly requests: CarrierRequests
  readonly verifier: VerifierFactory
  /** The carrier does not authenticate upgrades: the address of streams contains a secret of this process. */
  readonly secretStreams?: true
  /** Secrets that all servers of the account share; they sign addresses of prompts. Empty: a secret of this process. */
  readonly secrets: readonly string[]
}
