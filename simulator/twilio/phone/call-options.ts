import { type Clock, systemClock } from '../../../src/common/clock.ts'
import { type Logger, noopLogger } from '../../../src/common/log.ts'
import { PhoneLine } from './line.ts'
import { type PhoneProfile, twilioProfile } from './profile.ts'
import type { Method } from './twiml.ts'

/** A call to place: caller and called number, address of the bridge, and behavior of the phone. */
export interface CallOptions {
  /** Reachable address of the voice webhook: `http://127.0.0.1:8080/twilio/voice`. */
  webhook: string
  /** HTTP method of the webhook request. Default POST. */
  method?: Method
  /**
   * The bridge's public address as configured there, `https://bridge.example.com`, optionally with a path: the signed
   * address. Default: the address as reached.
   */
  publicUrl?: string
  /** Further public hosts and their actual addresses: `{ 'other.example.com': 'http://127.0.0.1:8081' }`. */
  resolve?: Readonly<Record<string, string>>
  /** Makes requests look forwarded by a reverse proxy: inner `host`, `x-forwarded-proto: https`. Default false. */
  proxied?: boolean
  /** Follows `ws://` stream URLs, which Twilio rejects (31922): for bridges without a public name. Default false. */
  allowInsecureStream?: boolean
  /** Signs the webhook and the upgrade. Without it, requests are not signed. */
  authToken?: string
  accountSid?: string
  callSid?: string
  /** The carrier of the phone. Default: Twilio. */
  profile?: PhoneProfile
  /** Default +15005550006 and +15005550001, Twilio's test numbers. */
  from?: string
  to?: string
  /** The bridge placed the call: `Direction` is `outbound-api`, and the call is answered from the start. Default false. */
  outbound?: boolean
  /** The first instructions; the webhook is then not requested. */
  twiml?: string
  /**
   * Webhook that receives the end of the call. Default with `placeCall`: `status` next to `webhook`, for carriers whose
   * streams do not announce their end.
   */
  hangupUrl?: string | undefined
  /** Additional fields of the webhook, or overrides of the usual ones. */
  fields?: Readonly<Record<string, string>>
  quirks?: Quirks
  /** Shared by all phones of a load test; its clock is then the call's clock. Default: a separate line. */
  line?: PhoneLine
  clock?: Clock
  log?: Logger
  /** Keeps the received audio for `heard()`: about 11 kB per second. Default true. */
  record?: boolean
  /** Voice of `<Say>`, 8 kHz mono; `language` as written, `es-ES`. Without it texts take no time and are silent. */
  speak?: (text: string, language: string | undefined) => Int16Array | Promise<Int16Array>
  /** Called when the call is answered: its first instructions have arrived and do not reject it. */
  onAnswered?: () => void
  /**
   * Called for every media message that arrives, with its number of µ-law bytes and its base64: for measurements. `audible`: it
   * is not just silence or comfort noise.
   */
  onMedia?: (now: number, bytes: number, payload: string, audible: boolean) => void
  /** Called for every mark after the playback of all audio before it, with the name that the bridge sent. */
  onMark?: (now: number, name: string) => void
  /** Called for every media message that falls due on its way to the bridge: for measurements. */
  onSent?: (due: number, now: number, timestampMs: number) => void
}

/** The options with all defaults filled in. */
export type PlacedCall = Required<Omit<CallOptions, Optional>> & {
  [K in Optional]: CallOptions[K] | undefined
} & {
  /** The public URL of the webhook, as configured at Twilio. */
  publicWebhook: string
}

type Optional =
  | 'publicUrl'
  | 'authToken'
  | 'twiml'
  | 'hangupUrl'
  | 'speak'
  | 'onAnswered'
  | 'onMark'
  | 'onMedia'
  | 'onSent'

/** Fills in the defaults. Throws TypeError for an invalid URL, RangeError for invalid quirks. */
export function decide(options: CallOptions): PlacedCall {
  const { webhook, publicUrl, quirks = {}, line, profile = twilioProfile } = options
  const reached = new URL(webhook)
  if (line && options.clock && options.clock !== line.clock)
    throw new TypeError('a phone on a line takes the clock of the line')
  if (!((quirks.jitterMs ?? 0) >= 0))
    throw new RangeError(`jitterMs must be 0 or more, got ${quirks.jitterMs}`)
  const clock = line?.clock ?? options.clock ?? systemClock
  const publicWebhook =
    publicUrl === undefined
      ? webhook
      : new URL(publicUrl.replace(/\/+$/, '') + reached.pathname + reached.search).href
  return {
    ...UNSET,
    method: 'POST',
    outbound: false,
    resolve: {},
    proxied: false,
    allowInsecureStream: false,
    profile,
    accountSid: profile.newSid('AC'),
    callSid: profile.newSid('CA'),
    from: '+15005550006',
    to: '+15005550001',
    fields: {},
    log: noopLogger,
    record: true,
    ...options,
    quirks,
    clock,
    line: line ?? new PhoneLine(clock),
    publicWebhook,
  }
}

const UNSET: { readonly [K in Optional]: undefined } = {
  publicUrl: undefined,
  authToken: undefined,
  twiml: undefined,
  hangupUrl: undefined,
  speak: undefined,
  onAnswered: undefined,
  onMark: undefined,
  onMedia: undefined,
  onSent: undefined,
}

/** The usual fields of a voice webhook ("TwiML Voice: Twilio's request to your application"). */
export function webhookFields(call: PlacedCall, status: string): Record<string, string> {
  const { callSid, accountSid, from, to, fields } = call
  return {
    AccountSid: accountSid,
    ApiVersion: '2010-04-01',
    CallSid: callSid,
    CallStatus: status,
    Called: to,
    Caller: from,
    Direction: call.outbound ? 'outbound-api' : 'inbound',
    From: from,
    To: to,
    ...fields,
  }
}

/**
 * Observed behavior of real phones, networks, attackers and Twilio itself. Everything is off by default: a phone
 * without quirks is the well-behaved, documented case.
 */
export interface Quirks {
  /** Messages arrive up to this much before or after their mean time (±60 is usual), still in order. */
  jitterMs?: number
  /** Media messages arrive in any order, each up to this late (ms). */
  shuffleMs?: number
  /** `start` has no `customParameters`. */
  omitParameters?: boolean
  /** Overrides parameters of the TwiML: `{ token: 'stolen' }`. */
  parameters?: Readonly<Record<string, string>>
  /** Sends an unknown event after `start`. */
  unknownEvent?: boolean
  /** `start` names another call. */
  callSid?: string
  /** Every socket has a twin that sends the same `start`: the token is used twice. */
  twinSocket?: boolean
  /** Sends ten media messages between `connected` and `start`. */
  mediaBeforeStart?: boolean
  /** Replaces the fifth media message with an invalid message. */
  badMessage?: 'base64' | 'binary' | 'oversized' | 'json'
  /** The upgrade's signature: omitted, made with another token, over `https://`, or over another path. */
  streamSignature?: 'none' | 'wrong-token' | 'https' | 'other-path'
  /** The webhook's signature: omitted, or made with another token. */
  webhookSignature?: 'none' | 'wrong-token'
  /** Seed of the jitter: the same seed gives the same call. Default 1. */
  seed?: number
}
