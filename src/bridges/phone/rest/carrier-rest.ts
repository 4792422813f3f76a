import { type CallOrder, CarrierError, type CarrierErrorOptions, type FailureKind } from '../carrier.ts'

/** Response timeout of an API (ms). */
const TIMEOUT_MS = 10_000
/** Maximum response size (bytes); a call resource has about 2 kB. */
const MAX_ANSWER_BYTES = 262_144

/** Fields of a response; empty without a JSON object. */
export type RestFields = Readonly<Record<string, unknown>>

/** An error of the API, as its carrier describes it. */
export interface RestFailure extends CarrierErrorOptions {
  /** Default: by status. */
  readonly kind?: FailureKind | undefined
  /** Plain explanation without phone numbers. */
  readonly meaning?: string | undefined
}

export interface CarrierRestOptions {
  /** Name in messages, such as `Telnyx`. */
  readonly title: string
  /** Address of the API, without a trailing slash. */
  readonly base: string
  /** Value of the header `authorization`. */
  readonly authorization: string
  /** Reads an error from a response with a status of 400 or more. */
  readonly failure: (status: number, fields: RestFields) => RestFailure
}

/** A carrier’s REST API. Every request rejects only with `CarrierError`, whose message contains no phone numbers. */
export class CarrierRest {
  readonly #options: CarrierRestOptions

  constructor(options: CarrierRestOptions) {
    this.#options = options
  }

  /** Sends `body`, a form or JSON. Resolves to the fields of the response. */
  async request(
    method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    path: string,
    body?: URLSearchParams | object,
  ): Promise<RestFields> {
    const { base, authorization, title } = this.#options
    const response = await fetch(base + path, {
      method,
      headers: { authorization, accept: 'application/json', ...contentTypeOf(body) },
      body: body instanceof URLSearchParams ? body.toString() : JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch(error => {
      throw CarrierError.noResponse(codeOf(error))
    })
    const fields = await fieldsOf(response)
    if (response.ok) return fields ?? unreadable(title)
    throw this.#failed(response.status, fields ?? {})
  }

  #failed(status: number, fields: RestFields): CarrierError {
    const { title, failure } = this.#options
    const { kind = kindOf(status), meaning, ...options } = failure(status, fields)
    const { carrierCode } = options
    const what =
      carrierCode === undefined
        ? `${title} returned HTTP ${status}`
        : `${title} error ${carrierCode} (HTTP ${status})`
    return new CarrierError(kind, meaning === undefined ? what : `${what}: ${meaning}`, options)
  }
}

function contentTypeOf(body: URLSearchParams | object | undefined): Record<string, string> {
  if (body === undefined) return {}
  const form = body instanceof URLSearchParams
  return { 'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json' }
}

/** Undefined if the body is too long or not a JSON object; an empty body has no fields. */
async function fieldsOf(response: Response): Promise<RestFields | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of response.body ?? []) {
      length += chunk.length
      if (length > MAX_ANSWER_BYTES) return undefined
      chunks.push(chunk)
    }
    if (length === 0) return {}
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as RestFields) : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw CarrierError.noResponse(codeOf(error))
  }
}

function unreadable(title: string): never {
  throw new CarrierError('unsure', `${title} returned an invalid response`)
}

function kindOf(status: number): FailureKind {
  if (status === 404) return 'gone'
  if (status === 429) return 'later'
  return status >= 500 ? 'unsure' : 'refused'
}

/** The code of a network error; a timeout counts as `ETIMEDOUT`. */
function codeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined
  if (error.name === 'TimeoutError') return 'ETIMEDOUT'
  return (error.cause as NodeJS.ErrnoException | undefined)?.code
}

/**
 * Maximum duration of machine detection (s). With the default of 30, people would be talking long before the result.
 */
const DETECTION_SECONDS = 8

/**
 * The fields of a new call in the REST APIs that follow Twilio’s (Twilio: Calls resource). `events` are those of the status
 * callback, as separate fields or in one.
 */
export function callParameters(order: CallOrder, events: readonly string[]): URLSearchParams {
  const { to, from, answerUrl, statusUrl, machineUrl, ringSeconds, limitSeconds } = order
  const form = new URLSearchParams({ To: to, From: from, Url: answerUrl, Method: 'POST' })
  form.set('StatusCallback', statusUrl)
  form.set('StatusCallbackMethod', 'POST')
  for (const event of events) form.append('StatusCallbackEvent', event)
  form.set('Timeout', String(ringSeconds))
  if (limitSeconds !== undefined) form.set('TimeLimit', String(Math.ceil(limitSeconds)))
  if (machineUrl === undefined) return form
  form.set('MachineDetection', 'Enable')
  form.set('MachineDetectionTimeout', String(DETECTION_SECONDS))
  form.set('AsyncAmd', 'true')
  form.set('AsyncAmdStatusCallback', machineUrl)
  form.set('AsyncAmdStatusCallbackMethod', 'POST')
  return form
}
