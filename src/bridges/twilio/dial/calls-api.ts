import type { Twilio } from 'twilio'
import { assertInstalled } from '../../../core/optional-part.ts'
import { restClient } from './rest-client.ts'
import { RestFailure } from './rest-failure.ts'
import { credentialsOf, type RestSettings } from './rest-settings.ts'

/** A call as it is ordered. All addresses are complete and public. */
export interface CallOrder {
  readonly to: string
  readonly from: string
  /** Asked for instructions once somebody has picked up. */
  readonly answerUrl: string
  /** Told how it goes on. */
  readonly statusUrl: string
  /** Told whether it is a machine; absent: nobody looks. */
  readonly machineUrl?: string
  readonly ringSeconds: number
  readonly limitSeconds?: number
}

/** The part of Twilio's REST API that dialling needs. Every method rejects with `RestFailure` and nothing else. */
export interface CallsApi {
  /** Resolves to the CallSid. */
  create(order: CallOrder): Promise<string>
  /** Ends the call at any stage; one that is over already is fine. */
  hangUp(callSid: string): Promise<void>
  /** Twilio's word for its state, such as `in-progress`. */
  status(callSid: string): Promise<string>
}

const SID = /^[A-Za-z0-9_-]{2,64}$/
const EVENTS = ['initiated', 'ringing', 'answered', 'completed']
/** How long a machine is looked for (s). The default of 30 is long after anybody has begun to talk. */
const DETECTION_SECONDS = 8

/** `CallsApi` on Twilio's own client (Twilio: Calls resource, 2010-04-01). */
export class TwilioCallsApi implements CallsApi {
  readonly #client: Promise<Twilio>

  /** Throws `BridgeError` `CONFIG` for credentials that are incomplete. */
  constructor(settings: RestSettings) {
    credentialsOf(settings)
    assertInstalled('twilio')
    this.#client = restClient(settings)
    // Whoever asks gets the fault; until then it is nobody's.
    this.#client.catch(() => {})
  }

  async create(order: CallOrder): Promise<string> {
    const { sid } = await this.#ask(client => client.calls.create(parametersOf(order)))
    if (typeof sid !== 'string' || !SID.test(sid)) throw RestFailure.unreadable()
    return sid
  }

  async hangUp(callSid: string): Promise<void> {
    try {
      await this.#ask(client => client.calls(callSid).update({ status: 'completed' }))
    } catch (failure) {
      if (!(failure instanceof RestFailure) || failure.kind !== 'gone') throw failure
    }
  }

  async status(callSid: string): Promise<string> {
    const { status } = await this.#ask(client => client.calls(callSid).fetch())
    if (typeof status !== 'string') throw RestFailure.unreadable()
    return status
  }

  async #ask<T>(request: (client: Twilio) => Promise<T>): Promise<T> {
    try {
      return await request(await this.#client)
    } catch (error) {
      throw RestFailure.from(error)
    }
  }
}

function parametersOf(order: CallOrder) {
  const { to, from, answerUrl, statusUrl, machineUrl, ringSeconds, limitSeconds } = order
  return {
    to,
    from,
    url: answerUrl,
    method: 'POST',
    statusCallback: statusUrl,
    statusCallbackMethod: 'POST',
    statusCallbackEvent: EVENTS,
    timeout: ringSeconds,
    ...(limitSeconds === undefined ? {} : { timeLimit: limitSeconds }),
    ...(machineUrl === undefined
      ? {}
      : {
          machineDetection: 'Enable',
          machineDetectionTimeout: DETECTION_SECONDS,
          asyncAmd: 'true',
          asyncAmdStatusCallback: machineUrl,
          asyncAmdStatusCallbackMethod: 'POST',
        }),
  }
}
