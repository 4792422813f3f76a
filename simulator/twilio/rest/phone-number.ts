import type { SimulatedCall } from '../phone/call.ts'
import type { CallOptions } from '../phone/call-options.ts'
import type { Method } from '../phone/twiml.ts'
import type { Voice } from '../phone/voice.ts'
import { apiDate, type Form } from './form.ts'

/** Reaction to a call. */
export type Behavior = 'answers' | 'busy' | 'no-answer' | 'voicemail' | 'fails'

/** Behavior of a subscriber whose phone rings. */
export interface SubscriberOptions {
  /** Default `answers`. `fails`: the network finds no route. `voicemail`: a machine answers. */
  behavior?: Behavior
  /** Time from the first ring to the answer. Default 100 ms. */
  answerAfterMs?: number
  /** Speech after answering: a voice, or a function that controls the whole call. */
  voice?: Voice | ((call: SimulatedCall) => void | Promise<void>)
  /** Options of their phone: `quirks`, `record`, `onMedia`, … */
  phone?: Partial<CallOptions>
}

/** A person with a phone number outside of the account. Their behavior can be changed between calls. */
export class Subscriber {
  /** E.164. */
  readonly number: string
  options: SubscriberOptions
  /** Their calls in both directions, in order. */
  readonly calls: SimulatedCall[] = []
  readonly #dial: (to: string, options: Partial<CallOptions>) => Promise<SimulatedCall>
  readonly #waiting: { count: number; settle: (call: SimulatedCall) => void }[] = []

  /** Created by the simulator. */
  constructor(
    number: string,
    options: SubscriberOptions,
    dial: (from: Subscriber, to: string, options: Partial<CallOptions>) => Promise<SimulatedCall>,
  ) {
    this.number = number
    this.options = options
    this.#dial = (to, more) => dial(this, to, more)
  }

  /** Resolves to their call number `count` (from 1) as soon as it exists; default: the next one. */
  call(count: number = this.calls.length + 1): Promise<SimulatedCall> {
    const call = this.calls[count - 1]
    if (call) return Promise.resolve(call)
    return new Promise(settle => this.#waiting.push({ count, settle }))
  }

  /** Calls a number of the account; settles like `placeCall`. Rejects with RangeError for an unknown number. */
  async dial(to: string, options: Partial<CallOptions> = {}): Promise<SimulatedCall> {
    return this.#dial(to, { ...this.options.phone, ...options })
  }

  /** For the simulator: adds a call of the subscriber. */
  took(call: SimulatedCall): void {
    this.calls.push(call)
    for (const { count, settle } of this.#waiting) if (count === this.calls.length) settle(call)
  }
}

const METHODS = ['GET', 'POST'] as const
/** Parameters of an update: addresses, methods, and all others (Twilio: IncomingPhoneNumber resource). */
const URLS = ['VoiceUrl', 'VoiceFallbackUrl', 'StatusCallback'] as const
const VERBS = ['VoiceMethod', 'VoiceFallbackMethod', 'StatusCallbackMethod'] as const
const TEXTS = ['VoiceApplicationSid', 'TrunkSid'] as const

const SETTINGS: ReadonlySet<string> = new Set([...URLS, ...VERBS, ...TEXTS])

type Setting = (typeof URLS)[number] | (typeof VERBS)[number] | (typeof TEXTS)[number]

/** Settings of a number of the account, named like the API's parameters. */
export type NumberSettings = { [K in Setting]?: string }

/** A number of the account. */
export class PhoneNumber {
  readonly sid: string
  /** E.164. */
  readonly number: string
  readonly #accountSid: string
  readonly #settings: Record<Setting, string>
  readonly #createdAt: number
  #updatedAt: number

  constructor(
    number: string,
    { sid, accountSid }: { readonly sid: string; readonly accountSid: string },
    now: number,
    settings: NumberSettings = {},
  ) {
    this.number = number
    this.sid = sid
    this.#accountSid = accountSid
    this.#createdAt = now
    this.#updatedAt = now
    for (const name of Object.keys(settings))
      if (!SETTINGS.has(name))
        throw new RangeError(`settings of ${number} are ${[...SETTINGS].join(', ')}, got ${name}`)
    const empty = [...URLS, ...TEXTS].map(name => [name, ''])
    this.#settings = {
      ...(Object.fromEntries([...empty, ...VERBS.map(name => [name, 'POST'])]) as Record<Setting, string>),
      ...settings,
    }
  }

  get voiceUrl(): string {
    return this.#settings.VoiceUrl
  }

  get voiceMethod(): Method {
    return this.#settings.VoiceMethod === 'GET' ? 'GET' : 'POST'
  }

  get statusCallback(): { url: string; method: Method } | undefined {
    const { StatusCallback: url, StatusCallbackMethod: method } = this.#settings
    return url ? { url, method: method === 'GET' ? 'GET' : 'POST' } : undefined
  }

  /** Applies `form`; an empty value unsets. Throws `RestError` for an invalid value, without changing anything. */
  update(form: Form, now: number): void {
    const changed: NumberSettings = {}
    for (const name of URLS) if (form.has(name)) changed[name] = form.url(name, 21402) ?? ''
    for (const name of VERBS) if (form.has(name)) changed[name] = form.choice(name, METHODS, 21403) ?? 'POST'
    for (const name of TEXTS) if (form.has(name)) changed[name] = form.get(name) ?? ''
    Object.assign(this.#settings, changed)
    this.#updatedAt = now
  }

  /** The number as returned by the API, with every field of the resource. */
  get json(): Record<string, unknown> {
    const settings = Object.entries(this.#settings).map(([name, value]) => [
      snake(name),
      // A missing application or trunk is null, a missing address an empty text.
      name.endsWith('Sid') ? value || null : value,
    ])
    return {
      sid: this.sid,
      account_sid: this.#accountSid,
      phone_number: this.number,
      ...Object.fromEntries(settings),
      friendly_name: this.number,
      api_version: '2010-04-01',
      capabilities: { voice: true, sms: false, mms: false, fax: false },
      date_created: apiDate(this.#createdAt),
      date_updated: apiDate(this.#updatedAt),
      uri: `/2010-04-01/Accounts/${this.#accountSid}/IncomingPhoneNumbers/${this.sid}.json`,
    }
  }
}

function snake(name: string): string {
  return name.replace(/(?<!^)[A-Z]/g, letter => `_${letter}`).toLowerCase()
}
