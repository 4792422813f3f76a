import type { Twilio } from 'twilio'
import { assertInstalled } from '../../../common/optional-package.ts'
import { type CallOrder, type CarrierApi, CarrierError, type FailureKind } from '../carrier.ts'
import { inputOf } from '../markup/call-form.ts'
import type { DialInput } from '../outbound/outbound-call-state.ts'
import { type NumbersApi, type VoiceSettings, voiceSettingsOf } from '../rest/numbers.ts'
import { credentialsOf, restClient } from './rest-client.ts'
import type { RestSettings } from './settings.ts'

const SID = /^[A-Za-z0-9_-]{2,64}$/
const EVENTS = ['initiated', 'ringing', 'answered', 'completed']
/**
 * Maximum duration of machine detection (s). With the default of 30, people would be talking long before the result.
 */
const DETECTION_SECONDS = 8

/** `CarrierApi` on Twilio's own client (Twilio: Calls resource, 2010-04-01). */
export class TwilioCallsApi implements CarrierApi {
  readonly #client: Promise<Twilio>

  /** Throws `BridgeError` `CONFIG` for incomplete credentials. */
  constructor(settings: RestSettings) {
    credentialsOf(settings)
    assertInstalled('twilio')
    this.#client = restClient(settings)
    // Callers of the methods get the error; until then it is unhandled.
    this.#client.catch(() => {})
  }

  async place(order: CallOrder): Promise<string> {
    const { sid } = await this.#ask(client => client.calls.create(parametersOf(order)))
    if (typeof sid !== 'string' || !SID.test(sid)) throw unreadable()
    return sid
  }

  async hangUp(callSid: string): Promise<void> {
    try {
      await this.#ask(client => client.calls(callSid).update({ status: 'completed' }))
    } catch (failure) {
      if (!(failure instanceof CarrierError) || failure.kind !== 'gone') throw failure
    }
  }

  async status(callSid: string): Promise<DialInput | undefined> {
    const { status } = await this.#ask(client => client.calls(callSid).fetch())
    if (typeof status !== 'string') throw unreadable()
    return inputOf(status)
  }

  async #ask<T>(request: (client: Twilio) => Promise<T>): Promise<T> {
    try {
      return await request(await this.#client)
    } catch (error) {
      throw carrierError(error)
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
    timeLimit: limitSeconds,
    ...(machineUrl && {
      machineDetection: 'Enable',
      machineDetectionTimeout: DETECTION_SECONDS,
      asyncAmd: 'true',
      asyncAmdStatusCallback: machineUrl,
      asyncAmdStatusCallbackMethod: 'POST',
    }),
  }
}

/** Twilio’s common error codes for outbound calls, with plain explanations (Twilio: Error and Warning Dictionary). */
const MEANINGS: Readonly<Record<number, string>> = {
  10004: 'too many concurrent calls for this account',
  20003: 'the credentials are wrong',
  20404: 'not found',
  20429: 'too many requests',
  21201: 'no number to call',
  21205: 'the public address is not accepted',
  21210: 'the caller number does not belong to the account and is not verified',
  21211: 'the number cannot be called',
  21212: 'the caller number is not valid',
  21214: 'the number cannot be reached',
  21215: 'calls to this country are not permitted (Voice Geographic Permissions)',
  21216: 'calls to this number are blocked',
  21217: 'the number is not valid',
  21219: 'a trial account can only call verified numbers',
  21220: 'the call is over',
}
/** The call is over already (Twilio: 20404 not found, 21220 invalid call state). */
const OVER = [20404, 21220]
/** Twilio limits concurrent calls per account. */
const TOO_MANY_CALLS = 10004

/** Converts an error of the client, without Twilio’s own message, which can contain phone numbers. */
export function carrierError(thrown: unknown): CarrierError {
  const { status, code } = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as Record<
    string,
    unknown
  >
  if (typeof status !== 'number') return CarrierError.noResponse(code)
  const carrierCode = typeof code === 'number' && code > 0 ? code : undefined
  const message = describe(status, carrierCode)
  return new CarrierError(kindOf(status, carrierCode), message, {
    carrierCode,
    busy: carrierCode === TOO_MANY_CALLS,
  })
}

/** A success response without usable content. */
function unreadable(): CarrierError {
  return new CarrierError('unsure', 'Twilio returned an invalid call resource')
}

function kindOf(status: number, code: number | undefined): FailureKind {
  if (code !== undefined && OVER.includes(code)) return 'gone'
  if (status === 429 || code === 20429) return 'later'
  if (status >= 500) return 'unsure'
  return 'refused'
}

function describe(status: number, code: number | undefined): string {
  if (code === undefined) return `the REST API returned HTTP ${status}`
  const meaning = MEANINGS[code]
  return `Twilio error ${code}${meaning === undefined ? '' : `: ${meaning}`} (HTTP ${status})`
}

/** What is used of the list of numbers in Twilio’s client; its own types are not in those of this package. */
interface IncomingPhoneNumbers {
  (sid: string): { update(settings: Partial<VoiceSettings>): Promise<unknown> }
  list(query: {
    phoneNumber: string
    limit: number
  }): Promise<
    (Parameters<typeof voiceSettingsOf>[0] & { readonly sid: string; readonly phoneNumber: string })[]
  >
}

/** The numbers of an account. */
export function twilioNumbers({
  incomingPhoneNumbers,
}: {
  readonly incomingPhoneNumbers: IncomingPhoneNumbers
}): NumbersApi {
  return {
    carrier: 'twilio',
    async find(phoneNumber) {
      const found = await answered(incomingPhoneNumbers.list({ phoneNumber, limit: 2 }))
      const number = found.find(each => each.phoneNumber === phoneNumber)
      return number && { sid: number.sid, settings: voiceSettingsOf(number) }
    },
    async update(sid, settings) {
      await answered(incomingPhoneNumbers(sid).update({ ...settings }))
    },
  }
}

async function answered<T>(request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (error) {
    throw carrierError(error)
  }
}
