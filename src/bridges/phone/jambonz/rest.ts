import { type CallOrder, type CarrierApi, CarrierError, type FailureKind } from '../carrier.ts'
import type { DialInput } from '../outbound/outbound-call-state.ts'
import { CarrierRest, type RestFailure } from '../rest/carrier-rest.ts'
import { inputOf } from './dialect.ts'
import type { JambonzRestSettings } from './settings.ts'

const SID = /^[A-Za-z0-9_-]{2,64}$/
/** The call is over, or in another state than the request requires. */
const WRONG_STATE = 422
/** All feature servers are busy or down. */
const NO_SERVER = 480
/**
 * Maximum duration of machine detection (ms). With the default of 15 s, people would be talking long before the result.
 */
const DETECTION_MS = 8_000

/** `CarrierApi` on jambonz’s REST API (jambonz: Calls). */
export class JambonzCallsApi implements CarrierApi {
  readonly #settings: JambonzRestSettings
  readonly #rest: CarrierRest

  constructor(settings: JambonzRestSettings) {
    this.#settings = settings
    const { apiUrl, accountSid, apiKey } = settings
    this.#rest = new CarrierRest({
      title: 'jambonz',
      base: `${apiUrl.replace(/\/+$/, '')}/v1/Accounts/${accountSid}/Calls`,
      authorization: `Bearer ${apiKey}`,
      failure,
    })
  }

  async place(order: CallOrder): Promise<string> {
    const { sid } = await this.#rest.request('POST', '', this.#parameters(order))
    if (typeof sid !== 'string' || !SID.test(sid)) throw unreadable()
    return sid
  }

  /** A call that rings is canceled with another status than an answered one is ended with, and can be answered meanwhile. */
  async hangUp(callSid: string): Promise<void> {
    for (const status of ['completed', 'no-answer', 'completed']) {
      try {
        await this.#rest.request('PUT', `/${callSid}`, { call_status: status })
        return
      } catch (error) {
        if (!(error instanceof CarrierError) || error.kind !== 'gone') throw error
        if (error.carrierCode !== WRONG_STATE) return
      }
    }
  }

  async status(callSid: string): Promise<DialInput | undefined> {
    const { call_status: status } = await this.#rest.request('GET', `/${callSid}`)
    if (typeof status !== 'string') throw unreadable()
    return inputOf(status)
  }

  #parameters({ to, from, answerUrl, statusUrl, machineUrl, ringSeconds, limitSeconds }: CallOrder) {
    const {
      speechVendor = 'google',
      speechLanguage = 'en-US',
      speechVoice = 'en-US-Standard-C',
    } = this.#settings
    return {
      from,
      to: { type: 'phone', number: to },
      call_hook: { url: answerUrl, method: 'POST' },
      call_status_hook: { url: statusUrl, method: 'POST' },
      timeout: ringSeconds,
      timeLimit: limitSeconds,
      // Required without an application, whose webhooks would replace those of this call.
      speech_synthesis_vendor: speechVendor,
      speech_synthesis_language: speechLanguage,
      speech_synthesis_voice: speechVoice,
      speech_recognizer_vendor: speechVendor,
      speech_recognizer_language: speechLanguage,
      amd: machineUrl && { actionHook: machineUrl, timers: { decisionTimeoutMs: DETECTION_MS } },
    }
  }
}

/** A success response without usable content. */
function unreadable(): CarrierError {
  return new CarrierError('unsure', 'jambonz returned an invalid call resource')
}

/** Without the message of the response, which can contain phone numbers. */
function failure(status: number): RestFailure {
  return { kind: KINDS[status], meaning: MEANINGS[status], carrierCode: status, busy: status === NO_SERVER }
}

const MEANINGS: Readonly<Record<number, string>> = {
  400: 'a parameter is invalid, or the account is not that of the API key',
  401: 'the API key is wrong',
  403: 'the API key has no access to the account',
  404: 'not found',
  422: 'the call is over, or in another state',
  429: 'too many requests',
  480: 'no feature server is available',
}

const KINDS: Readonly<Record<number, FailureKind>> = { [WRONG_STATE]: 'gone', [NO_SERVER]: 'later' }
