import { createHmac } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { parseJson } from '../../../common/json.ts'
import { sameSecret } from '../../../common/secrets.ts'
import { systemWallClock, type WallClock } from '../../../common/wall-clock.ts'
import type {
  CallInstructions,
  Carrier,
  CarrierMessage,
  CarrierRequest,
  CarrierRequests,
  Instructions,
  KeyPlan,
  LineFormat,
  MediaDialect,
  RequestVerifier,
  StreamMessages,
  StreamPlan,
} from '../carrier.ts'
import { assertSecrets, hasBasicCredentials } from '../credentials.ts'
import type { Spoken } from '../incoming-call.ts'
import {
  dtmfOf,
  type Fields,
  INVALID,
  isFields,
  markOf,
  parametersOf,
  pcmMedia,
  readFields,
} from '../json-media/message-fields.ts'
import { formatOf } from '../json-media/stream-format.ts'
import { numberOf } from '../markup/call-form.ts'
import type { DialInput, FinalStatus } from '../outbound/outbound-call-state.ts'

export interface JambonzCarrierOptions {
  /** Webhook secrets of the account; several during rotation. */
  readonly webhookSecrets: readonly string[]
  /** Sample rate of media streams (Hz). Default 8000. */
  readonly sampleRate?: JambonzRate | undefined
}

/** jambonz, with the webhook secrets of an account. */
export function jambonzCarrier({ webhookSecrets, sampleRate = 8_000 }: JambonzCarrierOptions): Carrier {
  const [secret] = webhookSecrets
  return {
    name: 'jambonz',
    title: 'jambonz',
    media: jambonzMedia(sampleRate),
    instructions: jambonzVerbs(sampleRate, secret ? streamLogin(secret) : undefined),
    requests: jambonzRequests,
    verifier: () => {
      assertSecrets(webhookSecrets, 'jambonz', 'a webhook secret')
      return new JambonzVerifier(webhookSecrets)
    },
    secrets: webhookSecrets,
  }
}

/** Sample rates of a stream, in both directions (Hz). */
export type JambonzRate = LineFormat['rate']

/**
 * Parses and builds the messages of jambonz’s verb `listen`: 16-bit PCM in binary frames in both directions, and events as
 * JSON. The first text frame describes the call. Unknown fields and events are ignored.
 */
export function jambonzMedia(rate: JambonzRate): MediaDialect {
  const format: LineFormat = { codec: 'l16', rate }
  return {
    format,
    frames: 'both',
    queue: 'carrier',
    order: 'kept',
    parse: (data, isBinary) =>
      isBinary ? pcmMedia(data) : readFields(data.toString('utf8'), message => event(message, format)),
    messages: () => messagesOf(rate),
  }
}

const UNKNOWN: CarrierMessage = { kind: 'unknown' }
const CALL_SID = /^[A-Za-z0-9_-]{2,64}$/

function event(message: Fields, line: LineFormat): CarrierMessage {
  if (message.type === 'mark') return mark(message)
  if (message.event === 'dtmf') return dtmf(message)
  if (message.type !== undefined || message.event !== undefined) return UNKNOWN
  return message.callSid === undefined ? UNKNOWN : start(message, line)
}

/**
 * The echo of a mark. Its `event` is `playout`, or `cleared` after `killAudio`; the caller knows which marks it has
 * flushed.
 */
function mark({ data }: Fields): CarrierMessage {
  return markOf(isFields(data) ? data.name : undefined, '')
}

function dtmf({ dtmf: digit }: Fields): CarrierMessage {
  return dtmfOf(digit, '')
}

/**
 * The attributes of the call, its format, and the `metadata` of the verb, at the top level (jambonz-feature-server: `listen`); read
 * from a field `metadata` as well.
 */
function start(message: Fields, line: LineFormat): CarrierMessage {
  const { callSid, sampleRate, mixType, metadata } = message
  if (typeof callSid !== 'string' || !CALL_SID.test(callSid)) return INVALID.start
  return {
    kind: 'start',
    streamId: '',
    callId: callSid,
    ...formatOf({ sampleRate, channels: mixType === 'stereo' ? 2 : 1 }, line),
    parameters: Object.assign(Object.create(null), parametersOf(message), parametersOf(metadata)),
  }
}

/** Audio that jambonz holds back until more arrives: before the first playback, and from then on (ms). */
const FIRST_HELD_MS = 160
const HELD_MS = 80

/**
 * Messages to one stream. jambonz plays audio in batches of 80 ms, and holds back the rest (freeswitch-modules of October
 * 2024: `streamingPreBufSize`), so silence follows the end of a sentence.
 */
function messagesOf(rate: JambonzRate): StreamMessages {
  const bytesPerMs = (rate / 1_000) * 2
  let first = true
  /** Audio was sent since the last silence. */
  let holding = false
  return {
    media(pcm) {
      holding = true
      return mediaMessage(pcm)
    },
    padding() {
      if (!holding) return undefined
      const ms = first ? FIRST_HELD_MS : HELD_MS
      first = false
      holding = false
      return Buffer.alloc(ms * bytesPerMs)
    },
    mark: name => JSON.stringify({ type: 'mark', data: { name } }),
    clear() {
      holding = false
      return '{"type":"killAudio"}'
    },
  }
}

/**
 * Copies PCM, without samples of −1: jambonz keeps marks as samples of that value in its queue, and a
 * mark would be confirmed early and the sample dropped (jambonz, freeswitch-modules of October 2024: `AUDIO_MARKER`).
 */
export function mediaMessage(pcm: Buffer): Buffer {
  const message = Buffer.allocUnsafe(pcm.length)
  for (let at = 0; at < pcm.length; at += 2) {
    const low = pcm[at]!
    const high = pcm[at + 1]!
    message[at] = low === 0xff && high === 0xff ? 0xfe : low
    message[at + 1] = high
  }
  return message
}

/** A verb, as jambonz executes it: one after the other, until the list ends and the call with it. */
interface Verb {
  readonly verb: string
  readonly [option: string]: unknown
}

/** User name and password of the media socket. */
export interface StreamLogin {
  readonly username: string
  readonly password: string
}

/** Derives the login of the media socket from a webhook secret, so that all servers of an account share it. */
function streamLogin(webhookSecret: string): StreamLogin {
  const password = createHmac('sha256', webhookSecret).update('dragoman listen').digest('hex').slice(0, 32)
  return { username: 'dragoman', password }
}

/** `CallInstructions` as jambonz verbs. `login`: absent if requests are not verified. */
function jambonzVerbs(rate: JambonzRate, login?: StreamLogin): CallInstructions {
  return {
    connectStream: plan => verbs(...connectStream(plan, rate, login)),
    waitAndAsk: (seconds, url) => verbs({ verb: 'pause', length: Math.round(seconds) }, ask(url)),
    gatherKeys: plan => verbs(gatherKeys(plan)),
    playAndHangUp: urls => verbs({ verb: 'play', url: urls }, HANG_UP),
    sayAndHangUp: spoken => verbs(say(spoken), HANG_UP),
    reject: reason => verbs(DECLINE[reason]),
    hangUp: () => verbs(HANG_UP),
  }
}

const HANG_UP: Verb = { verb: 'hangup' }

const DECLINE: Readonly<Record<'busy' | 'rejected', Verb>> = {
  busy: { verb: 'sip:decline', status: 486, reason: 'Busy Here' },
  rejected: { verb: 'sip:decline', status: 603, reason: 'Decline' },
}

function verbs(...list: readonly Verb[]): Instructions {
  return { contentType: 'application/json; charset=utf-8', body: JSON.stringify(list) }
}

/** Requests further verbs, by POST. */
function ask(url: string): Verb {
  return { verb: 'redirect', actionHook: url }
}

/**
 * Answers the call and streams it. The `redirect` runs once the socket is closed and the call continues; an `actionHook` of
 * `listen` would be requested after a hang-up as well.
 */
function connectStream(
  { streamUrl, parameters, resumeUrl, pauseSeconds = 0 }: StreamPlan,
  sampleRate: JambonzRate,
  login: StreamLogin | undefined,
): readonly Verb[] {
  const pause: readonly Verb[] = pauseSeconds > 0 ? [{ verb: 'pause', length: Math.round(pauseSeconds) }] : []
  const listen: Verb = {
    verb: 'listen',
    url: streamUrl,
    mixType: 'mono',
    sampleRate,
    passDtmf: true,
    // Without `streaming` jambonz ignores binary frames; without `sampleRate` it would guess.
    bidirectionalAudio: { enabled: true, streaming: true, sampleRate },
    metadata: parameters,
    ...(login && { wsAuth: login }),
  }
  return [...pause, listen, ask(resumeUrl)]
}

function gatherKeys({ playUrls, actionUrl, keys, pauseSeconds }: KeyPlan): Verb {
  const seconds = Math.round(pauseSeconds)
  return {
    verb: 'gather',
    input: ['digits'],
    play: { url: playUrls },
    actionHook: actionUrl,
    timeout: seconds,
    // The pause between keys only counts once `minDigits` were pressed, and never without `minDigits`.
    ...(keys === undefined
      ? { finishOnKey: '#', minDigits: 1, interDigitTimeout: seconds }
      : { numDigits: keys }),
  }
}

/** Speaks with the default vendor of the application. */
function say({ text, language = 'en-US' }: Spoken): Verb {
  return { verb: 'say', text: plain(text), synthesizer: { vendor: 'default', language } }
}

/** A text that starts with `<speak` would be read as SSML. */
function plain(text: string): string {
  return text.toWellFormed().replace(/^\s*<(?=speak)/, ' ')
}

const MAX_FIELDS = 500

/** Reads jambonz’s webhooks: JSON with names in snake case (jambonz: session:new, verb hooks, call status, AMD). */
const jambonzRequests: CarrierRequests = {
  contentType: 'application/json',
  read,
  words: {
    call: {
      call_sid: 'The call.',
      account_sid: 'The account.',
      from: 'Caller: a number or a SIP user.',
      to: 'Destination.',
      call_status: 'trying, ringing, in-progress, completed …',
    },
    digits: { digits: 'The keys.' },
    answeredBy: { type: 'amd_human_detected, amd_machine_detected …' },
  },
}

function read({ body }: FastifyRequest): CarrierRequest | undefined {
  const fields = typeof body === 'string' ? fieldsIn(body) : undefined
  const { call_sid: callId = '', account_sid: accountId = '', from = '', to = '' } = fields ?? {}
  if (!fields || !CALL_SID.test(callId)) return undefined
  const { direction = '', digits = '', call_status: status = '', type = '' } = fields
  return {
    ...{ callId, accountId, direction, fields, digits },
    from: numberOf(from),
    to: numberOf(to),
    status: inputOf(status),
    answeredBy: verdictOf(type),
  }
}

/** Returns the texts and numbers of a JSON object; undefined if `body` is not one, or has too many fields. */
function fieldsIn(body: string): Readonly<Record<string, string>> | undefined {
  const parsed = parseJson(body)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined
  const entries = Object.entries(parsed)
  if (entries.length > MAX_FIELDS) return undefined
  const fields: Record<string, string> = Object.create(null)
  for (const [name, value] of entries)
    if (typeof value === 'string' || typeof value === 'number') fields[name] = String(value)
  return fields
}

const FINAL: Readonly<Record<string, FinalStatus>> = {
  completed: 'completed',
  busy: 'busy',
  'no-answer': 'no-answer',
  failed: 'failed',
}

/** Converts a `call_status`; undefined if it is irrelevant. */
export function inputOf(status: string): DialInput | undefined {
  if (status === 'ringing' || status === 'early-media') return { type: 'ringing' }
  if (status === 'in-progress') return { type: 'picked-up' }
  const final = Object.hasOwn(FINAL, status) ? FINAL[status] : undefined
  return final && { type: 'final', status: final }
}

/** Results that exclude a machine: without speech or a decision, a person is assumed. */
const PERSON = ['amd_human_detected', 'amd_no_speech_detected', 'amd_decision_timeout']

/** Converts the `type` of an AMD event; undefined for events after the decision. */
export function verdictOf(type: string): DialInput | undefined {
  if (type === 'amd_machine_detected') return { type: 'machine' }
  return PERSON.includes(type) ? { type: 'person' } : undefined
}

/** Maximum difference between the time of a signature and ours (s). */
const TOLERANCE_SECONDS = 300
const HEADER = /^t=(\d{1,12})((?:,\s*v1=[0-9a-f]{64}){1,4})$/

/**
 * Returns the `Jambonz-Signature` of a webhook (jambonz: securing your webhooks): HMAC-SHA256, keyed with the webhook
 * secret of the account, over the time, a dot and the body. The address is not covered.
 */
export function sign(webhookSecret: string, body: string, seconds: number): string {
  return `t=${seconds},v1=${digest(webhookSecret, body, String(seconds))}`
}

/**
 * Returns true if `header` signs `body` with any of `secrets`, about now (s). It can have several signatures (jambonz
 * node client: `verifyJambonzSignature`). Compares in constant time.
 */
export function isSigned(
  header: string | undefined,
  secrets: readonly string[],
  body: string,
  nowSeconds: number,
): boolean {
  const [, seconds = '', signatures = ''] = HEADER.exec(header ?? '') ?? []
  if (signatures === '' || Math.abs(Number(seconds) - nowSeconds) > TOLERANCE_SECONDS) return false
  let signed = false
  for (const given of signatures.match(/[0-9a-f]{64}/g) ?? [])
    for (const secret of secrets) if (sameSecret(given, digest(secret, body, seconds))) signed = true
  return signed
}

function digest(secret: string, body: string, seconds: string): string {
  return createHmac('sha256', secret).update(`${seconds}.${body}`, 'utf8').digest('hex')
}

/** Accepts webhooks signed with one of the secrets, and streams with the login that our instructions contain. */
class JambonzVerifier implements RequestVerifier {
  readonly #secrets: readonly string[]
  readonly #logins: readonly StreamLogin[]
  readonly #wallClock: WallClock

  constructor(secrets: readonly string[], wallClock: WallClock = systemWallClock) {
    this.#secrets = secrets
    this.#logins = secrets.map(streamLogin)
    this.#wallClock = wallClock
  }

  webhook({ headers, body }: FastifyRequest): boolean {
    const header = headers['jambonz-signature']
    if (typeof header !== 'string' || typeof body !== 'string') return false
    return isSigned(header, this.#secrets, body, Math.floor(this.#wallClock() / 1_000))
  }

  upgrade(request: FastifyRequest): boolean {
    let accepted = false
    for (const { username, password } of this.#logins)
      if (hasBasicCredentials(request, username, password)) accepted = true
    return accepted
  }
}
