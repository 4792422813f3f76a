import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { DialInput, FinalStatus } from '../../../src/bridges/telephony/outbound/outbound-call-state.ts'
import type {
  CallInstructions,
  Instructions,
} from '../../../src/bridges/telephony/ports/call-instructions.ts'
import type { Carrier } from '../../../src/bridges/telephony/ports/carrier.ts'
import {
  type CallOrder,
  type CarrierApi,
  CarrierError,
  type FailureKind,
} from '../../../src/bridges/telephony/ports/carrier-api.ts'
import type {
  CarrierRequest,
  CarrierRequests,
  RequestVerifier,
} from '../../../src/bridges/telephony/ports/carrier-requests.ts'
import {
  type Inbound,
  type MediaDialect,
  PHONE_LINE,
} from '../../../src/bridges/telephony/ports/media-dialect.ts'
import type { PublicUrl } from '../../../src/bridges/telephony/public-url.ts'
import { BridgeError } from '../../../src/common/errors.ts'

/**
 * A carrier unlike Twilio, to prove the seam: audio in binary frames and events as queries in text frames, marks that a
 * clear forgets, call markup as a list of JSON steps, webhooks as JSON signed with HMAC-SHA256, and a REST API.
 */
export function toyCarrier(secret: string): Carrier {
  return {
    name: 'toy',
    title: 'Toy',
    media: toyMedia,
    instructions: toySteps,
    requests: toyRequests,
    verifier: publicUrl => {
      if (secret === '') throw new BridgeError('CONFIG', 'the Toy bridge needs a secret')
      return new ToyVerifier(secret, publicUrl)
    },
    secrets: [secret],
  }
}

/** Bytes before the audio of a binary frame: the time in ms. */
const HEADER = 4
const ID = /^[a-z0-9-]{1,40}$/

/** `00 00 00 14` and µ-law in both directions; `start?call=…`, `key?digit=5`, `played?name=…`, `bye`. */
const toyMedia: MediaDialect = {
  format: PHONE_LINE,
  frames: 'both',
  queue: 'carrier',
  order: 'kept',
  parse: (data, isBinary) => (isBinary ? audio(data) : event(data.toString('utf8'))),
  messages: () => {
    let frame = Buffer.alloc(0)
    return {
      media(mulaw, length) {
        frame = Buffer.alloc(HEADER + length)
        mulaw.copy(frame, HEADER, 0, length)
        return frame
      },
      mark: name => `mark?${new URLSearchParams({ name })}`,
      clear: () => 'clear',
    }
  },
}

function audio(data: Buffer): Inbound {
  if (data.length < HEADER) return { kind: 'invalid', fault: 'media' }
  const timestampMs = data.readUInt32BE(0)
  return { kind: 'media', streamId: '', track: 'inbound', timestampMs, payload: data.subarray(HEADER) }
}

function event(text: string): Inbound {
  const at = text.indexOf('?')
  const query = new URLSearchParams(at < 0 ? '' : text.slice(at + 1))
  const streamId = ''
  switch (at < 0 ? text : text.slice(0, at)) {
    case 'start':
      return start(query)
    case 'key':
      return /^[0-9*#A-D]$/.test(query.get('digit') ?? '')
        ? { kind: 'dtmf', streamId, digit: query.get('digit') ?? '' }
        : { kind: 'invalid', fault: 'dtmf' }
    case 'played':
      return { kind: 'mark', streamId, name: query.get('name') ?? '' }
    case 'bye':
      return { kind: 'stop', streamId }
    default:
      return { kind: 'unknown' }
  }
}

function start(query: URLSearchParams): Inbound {
  const { call = '', codec = '', rate, ...parameters } = Object.fromEntries(query)
  if (!ID.test(call)) return { kind: 'invalid', fault: 'start' }
  return {
    kind: 'start',
    ...{ callId: call, streamId: call },
    ...{ codec: codec === 'PCMU' ? 'mulaw' : codec, rate: Number(rate), channels: 1 },
    parameters: Object.assign(Object.create(null), parameters),
  }
}

/** One step of a call: the network takes them in order, and the call is over after the last. */
export type ToyStep =
  | { readonly do: 'stream'; readonly url: string; readonly with: Readonly<Record<string, string>> }
  | { readonly do: 'wait'; readonly seconds: number }
  | { readonly do: 'ask'; readonly url: string }
  | {
      readonly do: 'keys'
      readonly play: readonly string[]
      readonly url: string
      readonly keys?: number
      readonly seconds: number
    }
  | { readonly do: 'play'; readonly urls: readonly string[] }
  | { readonly do: 'say'; readonly text: string; readonly language: string }
  | { readonly do: 'reject'; readonly reason: 'busy' | 'rejected' }

function steps(...list: readonly ToyStep[]): Instructions {
  return { contentType: 'application/json', body: JSON.stringify(list) }
}

const toySteps: CallInstructions = {
  connectStream: ({ streamUrl, parameters, resumeUrl, pauseSeconds = 0 }) =>
    steps(
      { do: 'wait', seconds: pauseSeconds },
      { do: 'stream', url: streamUrl, with: parameters },
      { do: 'ask', url: resumeUrl },
    ),
  waitAndAsk: (seconds, url) => steps({ do: 'wait', seconds }, { do: 'ask', url }),
  gatherKeys: ({ playUrls, actionUrl, keys, pauseSeconds }) =>
    steps({
      ...{ do: 'keys', play: playUrls, url: actionUrl, seconds: pauseSeconds },
      ...(keys === undefined ? {} : { keys }),
    }),
  playAndHangUp: urls => steps({ do: 'play', urls }),
  sayAndHangUp: ({ text, language = 'en-US' }) => steps({ do: 'say', text, language }),
  reject: reason => steps({ do: 'reject', reason }),
  hangUp: () => steps(),
}

const ENDS: Readonly<Record<string, FinalStatus>> = {
  done: 'completed',
  busy: 'busy',
  unanswered: 'no-answer',
  withdrawn: 'canceled',
  broken: 'failed',
}

function inputOf(state: string): DialInput | undefined {
  if (state === 'ringing') return { type: 'ringing' }
  if (state === 'talking') return { type: 'picked-up' }
  const status = ENDS[state]
  return status && { type: 'final', status }
}

const toyRequests: CarrierRequests = {
  contentType: 'application/json',
  read({ body }: FastifyRequest): CarrierRequest | undefined {
    const fields = fieldsIn(String(body))
    const { call = '', account = '', caller = '', called = '', way = '', state = '' } = fields
    if (!ID.test(call)) return undefined
    const { keys = '', listener = '' } = fields
    return {
      ...{ callId: call, accountId: account, from: caller, to: called, direction: way, fields },
      digits: keys,
      status: inputOf(state),
      answeredBy:
        listener === 'machine' || listener === 'person' ? { type: listener as 'machine' } : undefined,
    }
  },
}

function fieldsIn(body: string): Record<string, string> {
  const fields: Record<string, string> = Object.create(null)
  try {
    for (const [name, value] of Object.entries(JSON.parse(body) ?? {})) fields[name] = String(value)
  } catch {
    // No fields.
  }
  return fields
}

/** The header `toy-signature`: HMAC-SHA256 of the address and the body. */
export function toySignature(secret: string, url: string, body = ''): string {
  return createHmac('sha256', secret).update(`${url}\n${body}`).digest('hex')
}

class ToyVerifier implements RequestVerifier {
  readonly #secret: string
  readonly #publicUrl: () => PublicUrl

  constructor(secret: string, publicUrl: () => PublicUrl) {
    this.#secret = secret
    this.#publicUrl = publicUrl
  }

  webhook(request: FastifyRequest): boolean {
    return this.#signed(request, this.#publicUrl().http(request.originalUrl), String(request.body))
  }

  upgrade(request: FastifyRequest, path: string): boolean {
    return this.#signed(request, this.#publicUrl().ws(path), '')
  }

  #signed({ headers }: FastifyRequest, url: string, body: string): boolean {
    const given = Buffer.from(String(headers['toy-signature'] ?? ''))
    const right = Buffer.from(toySignature(this.#secret, url, body))
    return given.length === right.length && timingSafeEqual(given, right)
  }
}

/** The REST API at `url`: `POST /calls`, `GET` and `DELETE /calls/…`, JSON. */
export class ToyApi implements CarrierApi {
  readonly #url: string
  readonly #secret: string

  constructor(url: string, secret: string) {
    this.#url = url
    this.#secret = secret
  }

  async place(order: CallOrder): Promise<string> {
    const { call } = await this.#ask('POST', '/calls', order)
    if (typeof call !== 'string' || !ID.test(call)) throw new CarrierError('unsure', 'Toy returned no call')
    return call
  }

  async hangUp(callId: string): Promise<void> {
    await this.#ask('DELETE', `/calls/${callId}`).catch(error => {
      if (error.kind !== 'gone') throw error
    })
  }

  async status(callId: string): Promise<DialInput | undefined> {
    return inputOf(String((await this.#ask('GET', `/calls/${callId}`)).state))
  }

  async #ask(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#secret}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    }).catch(error => {
      throw CarrierError.noResponse(error.cause?.code)
    })
    if (!response.ok)
      throw new CarrierError(kindOf(response.status), `Toy answered ${response.status}`, {
        carrierCode: response.status,
      })
    return response.json() as Promise<Record<string, unknown>>
  }
}

function kindOf(status: number): FailureKind {
  if (status === 404) return 'gone'
  if (status === 429) return 'later'
  return status >= 500 ? 'unsure' : 'refused'
}
