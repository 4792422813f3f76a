import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { BridgeError } from '../../common/errors.ts'
import type { Logger } from '../../common/log.ts'
import type { SettingsInput } from '../../common/setting-fields.ts'
import type { LegTransport } from '../websocket/guarded-socket.ts'
import type { Spoken, WebhookCall } from './incoming-call.ts'
import { numbersSchema } from './number-settings.ts'
import type { DialInput } from './outbound/outbound-call-state.ts'
import type { OutboundSettings } from './outbound/settings.ts'
import type { PublicUrl } from './public-url.ts'

// The contract of a carrier: what it says on its media streams, how it takes instructions, what it requests and how it proves
// that, how it is asked to place calls, and its settings.

/** Encoding of the audio of a stream, mono: G.711, or 16-bit linear PCM with the low or the high byte first. */
export type LineCodec = 'mulaw' | 'alaw' | 'l16' | 'l16be'

/** Format of the audio of a stream, in both directions. */
export interface LineFormat {
  readonly codec: LineCodec
  readonly rate: 8_000 | 16_000
}

/** The format of phone lines. */
export const PHONE_LINE: LineFormat = { codec: 'mulaw', rate: 8_000 }

/**
 * A carrier’s media stream messages, as text or binary frames. No socket, no state: each stream builds its messages
 * with its own `StreamMessages`.
 */
export interface MediaDialect {
  /** The only format accepted in `start`, and that of outgoing audio. */
  readonly format: LineFormat
  /** Frames the carrier sends; a frame of another kind closes the stream. */
  readonly frames: 'text' | 'binary' | 'both'
  /**
   * Queue of the audio that is sent. `carrier`: the carrier plays it at its own pace, and supports marks and clearing.
   * `none`: the carrier plays audio when it arrives; the leg sends it in real time, and marks need no message.
   */
  readonly queue: 'carrier' | 'none'
  /** `kept`: media arrives in order. `any`: it is sorted by `sequence`, or by time, and thereby delayed if it is late. */
  readonly order: 'kept' | 'any'
  /**
   * Parses one message. `data` is valid during the call only, and bytes in the result until the next one. Must not throw.
   */
  parse(data: Buffer, isBinary: boolean): CarrierMessage
  /** Returns the builder of messages to the stream of `start`. */
  messages(start: Start): StreamMessages
}

/**
 * Builds the messages to one stream. A text is sent as a text frame, bytes as a binary frame. Returned bytes must not
 * change later.
 */
export interface StreamMessages {
  /** Plays `audio`, which the next message overwrites. */
  media(audio: Buffer): string | Buffer
  /** Returns silence after which the carrier plays all audio, if it holds back some for later; sent before a mark. */
  padding?(): string | Buffer | undefined
  /** Requests an echo of `name` once all audio before it has been played. Not called without a queue. */
  mark(name: string): string | Buffer
  /** Discards queued audio. Outstanding marks are then echoed at once, or never. Not called without a queue. */
  clear(): string | Buffer
}

export type StreamTrack = 'inbound' | 'outbound'

export interface Start {
  readonly kind: 'start'
  /** Empty if the carrier’s streams have no id. */
  readonly streamId: string
  readonly callId: string
  /** A `LineCodec`, or the carrier’s name of another one. */
  readonly codec: string
  readonly rate: number
  readonly channels: number
  /** Strings, in an object without prototype. */
  readonly parameters: Readonly<Record<string, string>>
}

/** All possible messages. `streamId` is empty if the message has none. */
export type CarrierMessage =
  | { readonly kind: 'connected' }
  | Start
  | {
      readonly kind: 'media'
      readonly streamId: string
      readonly track: StreamTrack
      /** Milliseconds since the start of the stream; NaN if absent. */
      readonly timestampMs: number
      /** Number of the message in its track, ascending by one; NaN if absent. Used if `order` is `any`. */
      readonly sequence?: number
      /** Audio in base64, not checked yet, or as bytes, which the next message may overwrite. */
      readonly payload: string | Buffer
    }
  | { readonly kind: 'dtmf'; readonly streamId: string; readonly digit: string }
  | { readonly kind: 'mark'; readonly streamId: string; readonly name: string }
  | { readonly kind: 'stop'; readonly streamId: string }
  /** An event of a later protocol version. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'invalid'; readonly fault: CarrierMessageFault }

/** Faults of a message: a closed set, usable as a metric label. */
export type CarrierMessageFault = 'json' | 'shape' | 'start' | 'media' | 'dtmf' | 'mark'

/** A response to a webhook: what the carrier does with the call next. */
export interface Instructions {
  /** Media type of `body`. */
  readonly contentType: string
  readonly body: string
}

/** Target of a call’s stream, and of the call after the stream has ended. */
export interface StreamPlan {
  readonly callId: string
  /** `wss://…`, without a query. */
  readonly streamUrl: string
  /** Delivered in `Start.parameters`; name and value together under 500 characters. */
  readonly parameters: Readonly<Record<string, string>>
  /** Requested once the stream has closed while the call continues. */
  readonly resumeUrl: string
  /** Silence before the stream opens, in whole seconds. */
  readonly pauseSeconds?: number
}

/** Sounds that prompt for keys, and the target of the keys. */
export interface KeyPlan {
  readonly playUrls: readonly string[]
  /** Requested with the keys, or without them if no key was pressed. */
  readonly actionUrl: string
  /** Number of keys in an answer; absent: ends with `#` or a pause. */
  readonly keys?: number
  /** The pause that ends an answer, in whole seconds. */
  readonly pauseSeconds: number
}

/** Writes a carrier’s call markup. Pure: the same arguments give the same document. All requests are POST. */
export interface CallInstructions {
  /** Answers the call and streams it in both directions. */
  connectStream(plan: StreamPlan): Instructions
  /** Pauses for whole seconds, then requests `url` for instructions. */
  waitAndAsk(seconds: number, url: string): Instructions
  /** Plays sounds and collects keys meanwhile or afterwards. */
  gatherKeys(plan: KeyPlan): Instructions
  /** Answers, plays WAV files of 8 kHz and hangs up. */
  playAndHangUp(urls: readonly string[]): Instructions
  /** Answers, speaks with a voice of the carrier and hangs up. */
  sayAndHangUp(spoken: Spoken): Instructions
  /** Rejects a call that has not been answered. */
  reject(reason: 'busy' | 'rejected'): Instructions
  hangUp(): Instructions
}

/**
 * The call of a webhook. `callId` was checked for characters and length, because it is logged and part
 * of keys. Everything else is content of the caller or unchecked.
 */
export interface CarrierRequest extends Omit<WebhookCall, 'parameters' | 'query' | 'answers'> {
  /** All fields of the request, first values, in an object without prototype. */
  readonly fields: Readonly<Record<string, string>>
}

/** Names and descriptions of fields, for the host’s OpenAPI document. */
export type FieldWords = Readonly<Record<string, string>>

/** Reads a carrier’s webhooks, which are all POST. */
export interface CarrierRequests {
  /**
   * Media type of the body: a form arrives parsed, as fields; anything else as text, which signatures can cover.
   * Requests of other types are rejected.
   */
  readonly contentType: 'application/x-www-form-urlencoded' | 'application/json'
  /** A form arrives as text, too. */
  readonly raw?: true
  /** Returns undefined if the request has no call. Must not throw. Called after the request was verified. */
  read(request: FastifyRequest): CarrierRequest | undefined
  /** Documented fields: of all webhooks, and in addition those of menus and machine detection. */
  readonly words?: { readonly call: FieldWords; readonly digits: FieldWords; readonly answeredBy: FieldWords }
}

/** Verifies that requests come from the carrier. */
export interface RequestVerifier {
  /** Verifies a webhook with its body. */
  webhook(request: FastifyRequest): boolean
  /** Verifies the upgrade of the media socket at `path`. A single-use token in `start` protects streams as well. */
  upgrade(request: FastifyRequest, path: string): boolean
}

/** Makes the verifier for the bridge’s public address. Throws `BridgeError` `CONFIG` without credentials. */
export type VerifierFactory = (publicUrl: () => PublicUrl) => RequestVerifier

/**
 * A phone carrier: its media messages, call markup, webhooks and signatures. `CarrierApi`, for outbound calls, is passed
 * to the dialer.
 */
export interface Carrier {
  /** A word such as `twilio`: the channel of its legs, its label in metrics, and the default path of its routes. */
  readonly name: string
  /** Name in messages, such as `Twilio`. */
  readonly title: string
  readonly media: MediaDialect
  /**
   * Opens another way for streams to connect than the WebSocket at `media`, and passes each connection to `accept`, which
   * owns it. Rejects if that fails; the bridge disposes of the result.
   */
  readonly listen?: (accept: (connection: LegTransport) => void, log: Logger) => Promise<AsyncDisposable>
  readonly instructions: CallInstructions
  readonly requests: CarrierRequests
  readonly verifier: VerifierFactory
  /** The carrier does not authenticate upgrades: the address of streams contains a secret of this process. */
  readonly secretStreams?: true
  /** Secrets that all servers of the account share; they sign addresses of prompts. Empty: a secret of this process. */
  readonly secrets: readonly string[]
}

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

/** The account that places calls, as its carrier reports it. */
export interface AccountState {
  /** The reason why it places no calls, or not all; undefined: it reports none. */
  readonly problem?: string | undefined
  /** The address that its application requests for incoming calls, if the carrier reports it. */
  readonly voiceUrl?: string | undefined
}

/** The part of a carrier’s REST API needed for dialing. Every method rejects only with `CarrierError`. */
export interface CarrierApi {
  /** Resolves to the carrier’s id of the call. */
  place(order: CallOrder): Promise<string>
  /** Ends the call at any stage; succeeds if it is already over. */
  hangUp(callId: string): Promise<void>
  /** Resolves to the state of the call; undefined if it says nothing new, as for a call that waits to be dialed. */
  status(callId: string): Promise<DialInput | undefined>
  /** Resolves to the state of the account, for checks; absent if the API does not report it. */
  account?(): Promise<AccountState>
}

/**
 * Consequence of a failed request. `refused`: not executed, permanently. `later`: not executed, but can be retried.
 * `unsure`: possibly executed. `gone`: the call does not exist or is over.
 */
export type FailureKind = 'refused' | 'later' | 'unsure' | 'gone'

/** Errors before a connection was established: the request was not executed. */
const UNREACHED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']

export interface CarrierErrorOptions {
  /** The carrier’s error code, if the response has one. */
  readonly carrierCode?: number | string | undefined
  /** The account has too many calls: for callers, all lines are busy. */
  readonly busy?: boolean
}

/** A failed request to the REST API. Its message is safe for logs: it contains no phone numbers. */
export class CarrierError extends BridgeError {
  readonly kind: FailureKind
  readonly carrierCode: number | string | undefined

  constructor(kind: FailureKind, message: string, { carrierCode, busy = false }: CarrierErrorOptions = {}) {
    super(busy ? 'CAPACITY' : 'DIAL_FAILED', message, { retryable: kind !== 'refused' })
    this.kind = kind
    this.carrierCode = carrierCode
  }

  /** A request without a response; `code` is that of the network error, such as `ECONNREFUSED`. */
  static noResponse(code: unknown): CarrierError {
    const name = typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code) ? code : 'unknown'
    const kind = UNREACHED.includes(name) ? 'later' : 'unsure'
    return new CarrierError(kind, `no response from the REST API (${name})`)
  }
}

/** Schemas of the settings that every carrier has in its section. */
export const carrierFields = {
  insecure: z
    .boolean()
    .default(false)
    .meta({ about: 'Accept unsigned requests from this machine, for testing.' }),
  numbers: numbersSchema,
}

const carrierSettingsSchema = z.object(carrierFields)

/** Settings that every carrier has; each adds its credentials. */
export type CarrierSettings = SettingsInput<typeof carrierSettingsSchema> & {
  readonly outbound?: OutboundSettings | undefined
}

/**
 * A carrier as a part of the server. It is loaded with the schema of all settings, so its other parts are loaded on demand.
 */
export interface CarrierDefinition<
  Name extends string = string,
  Schema extends z.ZodType = z.ZodType,
  Settings = CarrierSettings,
> {
  /** The name of its `Carrier`, and of its section in the settings. */
  readonly name: Name
  /** Name in messages, such as `Twilio`. */
  readonly title: string
  /** Its section in the settings. */
  readonly schema: Schema
  /** Its setting that verifies requests, for messages about a missing one. */
  readonly credential: string
  /** Keys of its section whose values are never shown and can be read from a file. */
  readonly secrets: readonly string[]
  /** It listens on another port than the server, so it is opened only with credentials. Default: false. */
  readonly hasOwnPort?: boolean
  /** Returns whether the settings have credentials that verify requests. */
  isSigned(settings: Settings): boolean
  /** Returns the secret with which a simulated phone can sign requests; undefined if there is none in the settings. */
  signingSecret(settings: Settings): string | undefined
  /** Resolves to the carrier. Requests signed with one of `ownKeys`, secrets of this server, are accepted too. */
  carrier(settings: Settings, ownKeys: readonly string[]): Promise<Carrier>
  /** Resolves to the API for outbound calls; called only if `outbound` is set. */
  api(settings: Settings): Promise<CarrierApi>
}

/** Infers the types of a definition from its schema. */
export function defineCarrier<const Name extends string, Schema extends z.ZodType>(
  definition: CarrierDefinition<Name, Schema, SettingsInput<Schema>>,
): CarrierDefinition<Name, Schema, SettingsInput<Schema>> {
  return definition
}
