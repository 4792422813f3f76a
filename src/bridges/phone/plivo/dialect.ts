import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { parse as parseQuery } from 'node:querystring'
import type { FastifyRequest } from 'fastify'
import { BoundedMap } from '../../../common/bounded-map.ts'
import {
  type CallInstructions,
  type Carrier,
  type CarrierMessage,
  type CarrierRequest,
  type CarrierRequests,
  type KeyPlan,
  type LineFormat,
  type MediaDialect,
  PHONE_LINE,
  type RequestVerifier,
  type StreamPlan,
} from '../carrier.ts'
import { assertSecrets } from '../credentials.ts'
import type { Spoken } from '../incoming-call.ts'
import {
  dtmfOf,
  type Fields,
  INVALID,
  isFields,
  markOf,
  parametersOf,
  readFields,
  textOf,
} from '../json-media/message-fields.ts'
import { formatOf } from '../json-media/stream-format.ts'
import { firstValues } from '../markup/call-form.ts'
import { escapeXml, response, xml } from '../markup/call-xml.ts'
import type { FormFields } from '../markup/form-signature.ts'
import type { DialInput, FinalStatus } from '../outbound/outbound-call-state.ts'
import type { PublicUrl } from '../public-url.ts'

/** Plivo, with the auth tokens of an account; several during rotation. */
export function plivoCarrier(authTokens: readonly string[], audio: PlivoAudio = 'mulaw-8k'): Carrier {
  return {
    name: 'plivo',
    title: 'Plivo',
    media: plivoMedia(audio),
    instructions: plivoXml(audio),
    requests: plivoRequests,
    verifier: publicUrl => {
      assertSecrets(authTokens, 'Plivo', 'an auth token')
      return new PlivoVerifier(authTokens, publicUrl)
    },
    secrets: authTokens,
  }
}

/** Audio of a stream, by its name in the settings. Plivo does not document the byte order of linear PCM. */
export type PlivoAudio = 'mulaw-8k' | 'l16-16k' | 'l16be-16k'

const LINES: Readonly<Record<PlivoAudio, LineFormat>> = {
  'mulaw-8k': PHONE_LINE,
  'l16-16k': { codec: 'l16', rate: 16_000 },
  'l16be-16k': { codec: 'l16be', rate: 16_000 },
}

const MULAW = 'audio/x-mulaw'
const LINEAR = 'audio/x-l16'
/** Plivo’s IDs are UUIDs; the length limit protects logs. */
const ID = /^[A-Za-z0-9-]{1,64}$/
const UNKNOWN: CarrierMessage = { kind: 'unknown' }

/** Returns the encoding and sample rate of a stream, as `<Stream contentType>` has them. */
export function contentTypeOf(audio: PlivoAudio): string {
  const { rate } = LINES[audio]
  return `${encodingOf(audio)};rate=${rate}`
}

function encodingOf(audio: PlivoAudio): string {
  return LINES[audio].codec === 'mulaw' ? MULAW : LINEAR
}

/**
 * Plivo’s stream messages (Plivo: Stream Event Protocol): numbers are JSON numbers, no message precedes `start`, and none
 * announces the end. `media.timestamp` is a time of day, not a position in the audio, so audio counts as continuous.
 */
export function plivoMedia(audio: PlivoAudio): MediaDialect {
  const format = LINES[audio]
  const encoding = { contentType: encodingOf(audio), sampleRate: format.rate }
  return {
    format,
    frames: 'text',
    queue: 'carrier',
    order: 'kept',
    parse: data => readFields(data.toString('utf8'), message => parse(message, format)),
    messages: ({ streamId }) => ({
      media: bytes =>
        JSON.stringify({ event: 'playAudio', media: { ...encoding, payload: bytes.toString('base64') } }),
      mark: name => JSON.stringify({ event: 'checkpoint', streamId, name }),
      clear: () => JSON.stringify({ event: 'clearAudio', streamId }),
    }),
  }
}

/** Never throws. */
function parse(message: Fields, format: LineFormat): CarrierMessage {
  switch (message.event) {
    case 'media':
      return media(message)
    case 'playedStream':
      return mark(message)
    case 'dtmf':
      return dtmf(message)
    case 'start':
      return start(message, format)
    case 'stop':
      return { kind: 'stop', streamId: textOf(message.streamId) }
    default:
      return typeof message.event === 'string' ? UNKNOWN : INVALID.shape
  }
}

function media(message: Fields): CarrierMessage {
  const fields = message.media
  if (!isFields(fields) || typeof fields.payload !== 'string') return INVALID.media
  return {
    kind: 'media',
    streamId: textOf(message.streamId),
    track: fields.track === 'outbound' ? 'outbound' : 'inbound',
    timestampMs: Number.NaN,
    payload: fields.payload,
  }
}

/** A checkpoint was reached. After `clearAudio`, those before it are not confirmed. */
function mark(message: Fields): CarrierMessage {
  return markOf(message.name, textOf(message.streamId))
}

function dtmf(message: Fields): CarrierMessage {
  return dtmfOf(isFields(message.dtmf) ? message.dtmf.digit : undefined, textOf(message.streamId))
}

function start(message: Fields, line: LineFormat): CarrierMessage {
  const fields = message.start
  if (!isFields(fields)) return INVALID.start
  const streamId = textOf(fields.streamId ?? message.streamId)
  const callId = textOf(fields.callId)
  if (!ID.test(streamId) || !ID.test(callId)) return INVALID.start
  return {
    kind: 'start',
    streamId,
    callId,
    ...formatOf(fields.mediaFormat, line),
    parameters: headersIn(message.extra_headers ?? fields.extra_headers),
  }
}

/**
 * Returns `parameters` for `<Stream extraHeaders>`: `name=value,…`, at most 512 bytes of letters and digits, so values are
 * written as hexadecimal UTF-8. Names must be lower-case letters and digits.
 */
export function extraHeaders(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${Buffer.from(value, 'utf8').toString('hex')}`)
    .join(',')
}

const HEX = /^[0-9a-f]*$/i
const MAX_LENGTH = 1_024
/** Around names and values: braces (`{X-PH-token: …}`), quotes and spaces. */
const AROUND = /[{}[\]"'\s]/g
const PREFIX = /^(?:x-ph-)+/

/**
 * Reads `extra_headers` of `start`, of which public sources show different forms: `token=…;room=…` (Plivo: Audio Streaming
 * Protocol Reference), `{X-PH-token: …, X-PH-room: …}`, JSON text (plivo-labs/agent-transport), and an object. Names are not
 * case-sensitive, and can have the prefix `X-PH-`.
 */
function headersIn(given: unknown): Readonly<Record<string, string>> {
  const headers: Record<string, string> = Object.create(null)
  for (const [spelled, value] of pairsIn(given)) {
    const name = spelled.toLowerCase().replace(PREFIX, '')
    if (name !== '' && name !== '__proto__' && HEX.test(value))
      headers[name] = Buffer.from(value, 'hex').toString('utf8')
  }
  return headers
}

function pairsIn(given: unknown): readonly (readonly [name: string, value: string])[] {
  const fields = Object.entries(parametersOf(given))
  if (typeof given !== 'string' || fields.length > 0) return fields
  return given
    .slice(0, MAX_LENGTH)
    .replace(AROUND, '')
    .split(/[;,&]/)
    .map(pair => {
      const at = pair.search(/[=:]/)
      return [pair.slice(0, Math.max(0, at)), pair.slice(at + 1)] as const
    })
}

/** `CallInstructions` in Plivo XML (Plivo: XML). */
export function plivoXml(audio: PlivoAudio): CallInstructions {
  return {
    connectStream: plan => xml(connectStream(plan, audio)),
    waitAndAsk: (seconds, url) => xml(response(wait(seconds) + redirect(url))),
    gatherKeys: plan => xml(gatherKeys(plan)),
    playAndHangUp: urls => xml(response(`${plays(urls)}<Hangup/>`)),
    sayAndHangUp: spoken => xml(response(`${speak(spoken)}<Hangup/>`)),
    // As the first element of a call that has not been answered.
    reject: reason => xml(response(`<Hangup reason="${reason}"/>`)),
    hangUp: () => xml(response('<Hangup/>')),
  }
}

/** With `keepCallAlive`, the redirect runs once the stream has ended; without, Plivo would continue at once. */
function connectStream(
  { streamUrl, parameters, resumeUrl, pauseSeconds = 0 }: StreamPlan,
  audio: PlivoAudio,
): string {
  const attributes = [
    'bidirectional="true"',
    'keepCallAlive="true"',
    `contentType="${contentTypeOf(audio)}"`,
    `extraHeaders="${escapeXml(extraHeaders(parameters))}"`,
  ].join(' ')
  const stream = `<Stream ${attributes}>${escapeXml(streamUrl)}</Stream>`
  return response(`${pauseSeconds > 0 ? wait(pauseSeconds) : ''}${stream}${redirect(resumeUrl)}`)
}

/** The redirect runs if no key was pressed. */
function gatherKeys({ playUrls, actionUrl, keys, pauseSeconds }: KeyPlan): string {
  const seconds = whole(pauseSeconds)
  const attributes = [
    `action="${escapeXml(actionUrl)}"`,
    'method="POST"',
    ...(keys === undefined ? [] : [`numDigits="${whole(keys)}"`]),
    'finishOnKey="#"',
    `timeout="${seconds}"`,
    `digitTimeout="${seconds}"`,
    'retries="1"',
  ].join(' ')
  return response(`<GetDigits ${attributes}>${plays(playUrls)}</GetDigits>${redirect(actionUrl)}`)
}

function redirect(url: string): string {
  return `<Redirect method="POST">${escapeXml(url)}</Redirect>`
}

function wait(seconds: number): string {
  return `<Wait length="${whole(seconds)}"/>`
}

/** Plivo accepts positive integers only. */
function whole(number: number): number {
  return Math.max(1, Math.round(number))
}

function plays(urls: readonly string[]): string {
  return urls.map(url => `<Play>${escapeXml(url)}</Play>`).join('')
}

/** Languages of `<Speak>`; the first of each language is its default. */
const SPOKEN = [
  ...['en-US', 'en-GB', 'en-AU', 'es-ES', 'es-US', 'fr-FR', 'fr-CA', 'pt-BR', 'pt-PT'],
  ...['da-DK', 'nl-NL', 'de-DE', 'it-IT', 'pl-PL', 'ru-RU', 'sv-SE'],
]
/** Languages without a voice of a woman, which is the default. */
const MALE = ['pt-PT']

function speak({ text, language = 'en-US' }: Spoken): string {
  const spoken = spokenLanguage(language)
  const voice = MALE.includes(spoken) ? ' voice="MAN"' : ''
  return `<Speak language="${spoken}"${voice}>${escapeXml(text)}</Speak>`
}

/** Plivo rejects other languages: takes a variant of the same language, otherwise English. */
function spokenLanguage(language: string): string {
  const wanted = language.toLowerCase()
  const [base = ''] = wanted.split('-')
  return (
    SPOKEN.find(each => each.toLowerCase() === wanted) ??
    SPOKEN.find(each => each.startsWith(`${base}-`)) ??
    'en-US'
  )
}

const CALL_UUID = /^[A-Za-z0-9-]{2,64}$/
const MAX_FIELDS = 500

/** Reads Plivo’s webhooks: answer, action, hangup, ring and machine detection URL (Plivo: XML request, Make a call). */
const plivoRequests: CarrierRequests = {
  contentType: 'application/x-www-form-urlencoded',
  read,
  words: {
    call: {
      CallUUID: 'The call.',
      From: 'Caller: digits with the country code, or a SIP address.',
      To: 'Destination.',
      CallStatus: 'ringing, in-progress, completed …',
    },
    digits: { Digits: 'The keys.' },
    answeredBy: { Machine: 'true if a machine answered.' },
  },
}

function read({ body }: FastifyRequest): CarrierRequest | undefined {
  const fields = firstValues(Object.entries((body ?? {}) as Record<string, string | string[]>), MAX_FIELDS)
  if (!fields) return undefined
  const { CallUUID = '', From = '', To = '', Direction = '' } = fields
  if (!CALL_UUID.test(CallUUID)) return undefined
  const { Digits = '', CallStatus = '', Machine = '' } = fields
  return {
    callId: CallUUID,
    // Webhooks do not contain the account.
    accountId: '',
    from: numberOf(From),
    to: numberOf(To),
    direction: Direction,
    fields,
    digits: Digits,
    status: inputOf(CallStatus),
    answeredBy: verdictOf(Machine),
  }
}

const DIGITS = /^[1-9]\d{6,14}$/

/** Plivo writes E.164 numbers without their plus. */
function numberOf(text: string): string {
  return DIGITS.test(text) ? `+${text}` : text
}

const FINAL: Readonly<Record<string, FinalStatus>> = {
  completed: 'completed',
  busy: 'busy',
  'no-answer': 'no-answer',
  timeout: 'no-answer',
  failed: 'failed',
  cancel: 'canceled',
  canceled: 'canceled',
}

/** Converts a `CallStatus`; undefined if it is irrelevant. */
export function inputOf(status: string): DialInput | undefined {
  if (status === 'ringing') return { type: 'ringing' }
  if (status === 'in-progress') return { type: 'picked-up' }
  const final = Object.hasOwn(FINAL, status) ? FINAL[status] : undefined
  return final && { type: 'final', status: final }
}

function verdictOf(machine: string): DialInput | undefined {
  switch (machine.toLowerCase()) {
    case 'true':
      return { type: 'machine' }
    case 'false':
      return { type: 'person' }
    default:
      return undefined
  }
}

/** Signatures with the token of the account or subaccount, and with that of the main account. */
const V3 = ['x-plivo-signature-v3', 'x-plivo-signature-ma-v3']
const V3_NONCE = 'x-plivo-signature-v3-nonce'
const V2 = ['x-plivo-signature-v2', 'x-plivo-signature-ma-v2']
const V2_NONCE = 'x-plivo-signature-v2-nonce'
const SIGNATURE = /^[A-Za-z0-9+/]{43}=$/
const NONCE = /^[\x21-\x7e]{1,128}$/
/** A header has one signature for each token of the account that is valid. */
const MAX_SIGNATURES = 8
/** Nonces of version 2 that are remembered. */
const MAX_NONCES = 10_000

/**
 * Returns the `X-Plivo-Signature-V3` of a request (Plivo: Signature validation V3; plivo-node 4.79: `validateV3Signature`):
 * base64 of HMAC-SHA256, keyed with the auth token, over the address, a dot and the nonce. The query of the address is
 * decoded and sorted. The fields of a form follow the query, after a dot, as names and values without separators, sorted.
 */
export function sign(authToken: string, url: string, nonce: string, form: FormFields = {}): string {
  return digest(authToken, `${canonical(url, form)}.${nonce}`)
}

function digest(authToken: string, text: string): string {
  return createHmac('sha256', authToken).update(text, 'utf8').digest('base64')
}

function canonical(url: string, form: FormFields): string {
  const at = url.indexOf('?')
  const [base, query] = at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)]
  const asked = sorted(parseQuery(query))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
  const posted = sorted(form)
  if (posted.length === 0) return asked === '' ? base : `${base}?${asked}`
  const fields = posted.map(([name, value]) => name + value).join('')
  return `${base}?${asked}${asked === '' ? '' : '.'}${fields}`
}

/** Pairs of a name and one of its values, sorted by both as UTF-16. */
function sorted(fields: FormFields): readonly (readonly [string, string])[] {
  return Object.keys(fields)
    .sort()
    .flatMap(name => {
      const value = fields[name] ?? []
      return typeof value === 'string'
        ? [[name, value] as const]
        : [...value].sort().map(each => [name, each] as const)
    })
}

/**
 * Accepts requests with a valid signature, for the public address: version 3, or version 2 if the request has none of version 3
 * (Plivo: Signature validation). Streams are signed as GET of their address, which public code reads as https (Plivo’s SDK for
 * streams), as http (the same behind a proxy that ends TLS) or as wss.
 */
export class PlivoVerifier implements RequestVerifier {
  readonly #authTokens: readonly string[]
  readonly #publicUrl: () => PublicUrl
  /**
   * Version 2 signs neither query nor form, so each of its nonces is valid for the first request that has it, and for
   * repetitions of that request.
   */
  readonly #nonces = new BoundedMap<string, string>(MAX_NONCES)

  constructor(authTokens: readonly string[], publicUrl: () => PublicUrl) {
    this.#authTokens = authTokens
    this.#publicUrl = publicUrl
  }

  webhook(request: FastifyRequest): boolean {
    const { headers, originalUrl, body } = request
    const form = (body ?? {}) as FormFields
    if (!this.#isSigned(request, this.#publicUrl().signedHttp(originalUrl), form)) return false
    const nonce = headers[V2_NONCE]
    if (typeof nonce !== 'string' || !NONCE.test(nonce)) return true
    const content = createHash('sha256').update(canonical(originalUrl, form)).digest('base64')
    // Also if version 3 is valid: without its header, the request could be altered.
    return this.#nonces.getOrSet(nonce, () => content) === content || hasSignature(headers, V3)
  }

  upgrade(request: FastifyRequest, path: string): boolean {
    const schemes = this.#publicUrl().ws('').startsWith('wss')
      ? ['https', 'wss', 'http', 'ws']
      : ['http', 'ws']
    return this.#isSigned(request, this.#publicUrl().signedWs(path, schemes), {})
  }

  #isSigned({ headers }: FastifyRequest, urls: readonly string[], form: FormFields): boolean {
    if (hasSignature(headers, V3)) {
      const texts = urls.map(url => `${canonical(url, form)}.`)
      return this.#matches(signaturesIn(headers, V3), headers[V3_NONCE], texts)
    }
    const bare = urls.map(url => url.split('?', 1)[0]!)
    return this.#matches(signaturesIn(headers, V2), headers[V2_NONCE], bare)
  }

  /** Computes every combination and compares in constant time. */
  #matches(given: readonly Buffer[], nonce: unknown, texts: readonly string[]): boolean {
    if (typeof nonce !== 'string' || !NONCE.test(nonce)) return false
    let signed = false
    for (const text of new Set(texts))
      for (const token of this.#authTokens) {
        const right = Buffer.from(digest(token, text + nonce), 'latin1')
        for (const signature of given) if (timingSafeEqual(signature, right)) signed = true
      }
    return signed
  }
}

type Headers = FastifyRequest['headers']

function hasSignature(headers: Headers, names: readonly string[]): boolean {
  return names.some(name => headers[name] !== undefined)
}

/** Compared as text: the last character of base64 has spare bits. */
function signaturesIn(headers: Headers, names: readonly string[]): readonly Buffer[] {
  return names
    .flatMap(name => {
      const header = headers[name]
      return typeof header === 'string' ? header.split(',', MAX_SIGNATURES) : []
    })
    .map(text => text.trim())
    .filter(text => SIGNATURE.test(text))
    .map(text => Buffer.from(text, 'latin1'))
}
