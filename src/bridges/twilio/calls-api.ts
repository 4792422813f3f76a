import type { Twilio } from 'twilio'
import { assertInstalled } from '../../common/optional-package.ts'
import { type CallOrder, type CallsApi, CarrierError } from '../telephony/outbound/carrier-api.ts'
import type { DialInput, FinalStatus } from '../telephony/outbound/outbound-call-state.ts'
import { restClient } from './rest-client.ts'
import { credentialsOf, type RestSettings } from './rest-settings.ts'

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
    if (typeof sid !== 'string' || !SID.test(sid)) throw CarrierError.unreadable()
    return sid
  }

  async hangUp(callSid: string): Promise<void> {
    try {
      await this.#ask(client => client.calls(callSid).update({ status: 'completed' }))
    } catch (failure) {
      if (!(failure instanceof CarrierError) || failure.kind !== 'gone') throw failure
    }
  }

  async status(callSid: string): Promise<string> {
    const { status } = await this.#ask(client => client.calls(callSid).fetch())
    if (typeof status !== 'string') throw CarrierError.unreadable()
    return status
  }

  async #ask<T>(request: (client: Twilio) => Promise<T>): Promise<T> {
    try {
      return await request(await this.#client)
    } catch (error) {
      throw CarrierError.from(error)
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

const FINAL: readonly string[] = [
  'completed',
  'busy',
  'no-answer',
  'failed',
  'canceled',
] satisfies FinalStatus[]

/** Converts a `CallStatus` (Twilio: Call resource); undefined if it is irrelevant. */
export function inputOf(status: string): DialInput | undefined {
  if (FINAL.includes(status)) return { type: 'final', status: status as FinalStatus }
  if (status === 'ringing') return { type: 'ringing' }
  // The callback event `answered` has this status.
  if (status === 'in-progress') return { type: 'picked-up' }
  return undefined
}

/**
 * Converts an `AnsweredBy` (Twilio: Answering Machine Detection); anything not identified as a machine is a person.
 */
export function verdictOf(answeredBy: string): DialInput | undefined {
  if (answeredBy === 'human' || answeredBy === 'unknown') return { type: 'person' }
  if (answeredBy === 'fax' || answeredBy.startsWith('machine_')) return { type: 'machine' }
  return undefined
}
