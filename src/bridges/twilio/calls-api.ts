import type { Twilio } from 'twilio'
import { assertInstalled } from '../../common/optional-package.ts'
import { RestFailure } from '../telephony/outbound/rest-failure.ts'
import { restClient } from './rest-client.ts'
import { credentialsOf, type RestSettings } from './rest-settings.ts'

/** The parameters of a new call. All addresses are absolute and public. */
export interface CallOrder {
  readonly to: string
  readonly from: string
  /** Queried for instructions when the call is answered. */
  readonly answerUrl: string
  /** Receives status callbacks. */
  readonly statusUrl: string
  /** Receives the result of machine detection; absent: no detection. */
  readonly machineUrl?: string
  readonly ringSeconds: number
  readonly limitSeconds?: number
}

/** The part of Twilio’s REST API needed for dialing. Every method rejects only with `RestFailure`. */
export interface CallsApi {
  /** Resolves to the CallSid. */
  create(order: CallOrder): Promise<string>
  /** Ends the call at any stage; succeeds if it is already over. */
  hangUp(callSid: string): Promise<void>
  /** Resolves to Twilio’s status, such as `in-progress`. */
  status(callSid: string): Promise<string>
}

const SID = /^[A-Za-z0-9_-]{2,64}$/
const EVENTS = ['initiated', 'ringing', 'answered', 'completed']
/**
 * Maximum duration of machine detection (s). With the default of 30, people would be talking long before the result.
 */
const DETECTION_SECONDS = 8

/** `CallsApi` on Twilio's own client (Twilio: Calls resource, 2010-04-01). */
export class TwilioCallsApi implements CallsApi {
  readonly #client: Promise<Twilio>

  /** Throws `BridgeError` `CONFIG` for incomplete credentials. */
  constructor(settings: RestSettings) {
    credentialsOf(settings)
    assertInstalled('twilio')
    this.#client = restClient(settings)
    // Callers of the methods get the error; until then it is unhandled.
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
