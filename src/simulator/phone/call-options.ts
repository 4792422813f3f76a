import { type Clock, systemClock } from '../../core/clock.ts'
import { type Log, silentLog } from '../../core/log.ts'
import type { Method } from './attributes.ts'
import { newSid } from './ids.ts'
import { PhoneLine } from './line.ts'
import { checkQuirks, type Quirks } from './quirks.ts'

/** A call to be placed: who calls whom, where the bridge is, and how the phone behaves. */
export interface CallOptions {
  /** The voice webhook, where it can be reached: `http://127.0.0.1:8080/twilio/voice`. */
  webhook: string
  /** How Twilio asks it. Default POST. */
  method?: Method
  /** The bridge's public address as configured there, `https://bridge.example.com`, perhaps with a path: what is signed. Default: as reached. */
  publicUrl?: string
  /** Further public hosts and where they really are: `{ 'other.example.com': 'http://127.0.0.1:8081' }`. */
  resolve?: Readonly<Record<string, string>>
  /** Requests look as if a reverse proxy had passed them on: inner `host`, `x-forwarded-proto: https`. Default false. */
  proxied?: boolean
  /** Follows `ws://` stream URLs, which Twilio refuses (31922): for bridges without a public name. Default false. */
  allowInsecureStream?: boolean
  /** Signs the webhook and the upgrade. Without it nothing is signed. */
  authToken?: string
  accountSid?: string
  callSid?: string
  /** Default +15005550006 and +15005550001, Twilio's numbers for tests. */
  from?: string
  to?: string
  /** The bridge has called the party: `Direction` is `outbound-api`, and the call is answered from the beginning. Default false. */
  outbound?: boolean
  /** The first instructions, instead of those of the webhook, which is not asked. */
  twiml?: string
  /** Further fields of the webhook, or other values of the usual ones. */
  fields?: Readonly<Record<string, string>>
  quirks?: Quirks
  /** Shared by all phones of a load test; its clock is then the call's clock. Default: one of its own. */
  line?: PhoneLine
  clock?: Clock
  log?: Log
  /** Keeps what the party hears for `heard()`: about 11 kB a second. Default true. */
  record?: boolean
  /** Silence in what is heard counts as a gap when the audio goes on within this time. Default 400 ms. */
  gapWithinMs?: number
  /** The voice of `<Say>`, 8 kHz mono; `language` as written, `es-ES`. Without it texts take no time and are not heard. */
  speak?: (text: string, language: string | undefined) => Int16Array | Promise<Int16Array>
  /** Called when the call is answered: its first instructions are there and do not reject it. */
  onAnswered?: () => void
  /** Called for every media message that arrives, with the bytes of µ-law it has and its base64: for measuring. */
  onMedia?: (now: number, bytes: number, payload: string) => void
  /** Called for every mark that was reached: all before it was played. The name is as the bridge sent it. */
  onMark?: (now: number, name: string) => void
  /** Called for every media message that falls due on its way to the bridge: for measuring. */
  onSent?: (due: number, now: number, timestampMs: number) => void
}

/** The options with everything decided. */
export type PlacedCall = Required<Omit<CallOptions, Optional>> & {
  [K in Optional]: CallOptions[K] | undefined
} & {
  /** The webhook as Twilio knows it. */
  publicWebhook: string
}

type Optional =
  | 'publicUrl'
  | 'authToken'
  | 'twiml'
  | 'speak'
  | 'gapWithinMs'
  | 'onAnswered'
  | 'onMark'
  | 'onMedia'
  | 'onSent'

/** Fills in the defaults. Throws TypeError for a URL that is none, RangeError for quirks that cannot be. */
export function decide(options: CallOptions): PlacedCall {
  const { webhook, publicUrl, quirks = {}, line } = options
  const reached = new URL(webhook)
  if (line && options.clock && options.clock !== line.clock)
    throw new TypeError('a phone on a line takes the clock of the line')
  checkQuirks(quirks)
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
    accountSid: newSid('AC'),
    callSid: newSid('CA'),
    from: '+15005550006',
    to: '+15005550001',
    fields: {},
    log: silentLog,
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
  speak: undefined,
  gapWithinMs: undefined,
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
