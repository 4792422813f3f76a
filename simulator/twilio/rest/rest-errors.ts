import { type HttpFault, HttpFaults } from '../../rest-faults.ts'

/** Errors of the REST API by code: HTTP status and text (Twilio: Error and Warning Dictionary). `{}` is the value sent. */
const ERRORS = {
  10004: [400, 'Call concurrency limit exceeded'],
  20001: [400, 'Invalid parameter: {}'],
  20003: [401, 'Authenticate'],
  20004: [405, 'Method not allowed'],
  20005: [401, 'Account not active'],
  20404: [404, 'The requested resource {} was not found'],
  20429: [429, 'Too Many Requests'],
  20500: [500, 'An internal server error has occurred'],
  20503: [503, 'Service unavailable'],
  21201: [400, "No 'To' number is specified"],
  21205: [400, 'Url is not a valid URL: {}'],
  21207: [400, "'MachineDetection' is not valid: {}"],
  21208: [400, "'Timeout' is not valid: {}"],
  21209: [400, 'Method is not valid: {}'],
  21210: [
    400,
    'The source phone number provided, {}, is not yet verified for your account. You may only make calls from phone numbers that you have verified or purchased from Twilio.',
  ],
  21211: [400, "The 'To' number {} is not a valid phone number."],
  21212: [400, "The 'From' number {} is not a valid phone number, shortcode, or alphanumeric sender ID."],
  21213: [400, "'From' phone number is required."],
  21214: [400, "'To' phone number {} cannot be reached"],
  21215: [
    400,
    'Account not authorized to call {}. Perhaps you need to enable some international permissions.',
  ],
  21216: [400, 'Account not allowed to call {}'],
  21217: [400, 'Phone number {} does not appear to be valid'],
  21218: [400, "'ApplicationSid' is not valid: {}"],
  21219: [400, 'The number {} is unverified. Trial accounts may only make calls to verified numbers.'],
  21220: [400, 'Call is not in-progress. Cannot redirect.'],
  21262: [400, "'AsyncAmdStatusCallback' is required with AsyncAmd"],
  21402: [400, 'Url is not valid: {}'],
  21403: [400, 'Method is not valid: {}'],
  21609: [400, "Invalid 'StatusCallback' URL: {}"],
  21626: [400, 'Invalid value(s) for StatusCallbackEvents: {}'],
} as const satisfies Record<number, readonly [status: number, words: string]>

/** An error code that the simulator can return. */
export type RestErrorCode = keyof typeof ERRORS

/** A rejected request, in the API's words. */
export class RestError extends Error {
  readonly code: RestErrorCode
  readonly status: number

  /** `what`: the invalid value. */
  constructor(code: RestErrorCode, what = '') {
    const [status, words] = ERRORS[code]
    super(words.replace('{}', what))
    this.name = 'RestError'
    this.code = code
    this.status = status
  }

  /** The body of the response. */
  get body(): Readonly<Record<string, unknown>> {
    const { code, message, status } = this
    return { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status }
  }
}

/**
 * A fault of the API. `only` is a kind of request: the method and the last part of the path, `POST Calls`,
 * `POST Calls/*`, `GET Calls/*`.
 */
export interface RestFault extends HttpFault {
  /** Returns this error instead of carrying out the request. */
  code?: RestErrorCode
}

/** Selects the fault for a request. */
export class RestFaults extends HttpFaults<RestFault> {}
