import type { Method } from '../phone/twiml.ts'
import { newSid } from '../phone/wire.ts'
import { formatted } from './account.ts'
import type { Form } from './form.ts'
import { apiDate } from './form.ts'

const METHODS = ['GET', 'POST'] as const
/** Parameters of an update: addresses, methods, and all others (Twilio: IncomingPhoneNumber resource). */
const URLS = ['VoiceUrl', 'VoiceFallbackUrl', 'StatusCallback', 'SmsUrl', 'SmsFallbackUrl'] as const
const VERBS = [
  'VoiceMethod',
  'VoiceFallbackMethod',
  'StatusCallbackMethod',
  'SmsMethod',
  'SmsFallbackMethod',
] as const
const TEXTS = ['FriendlyName', 'VoiceApplicationSid', 'SmsApplicationSid', 'TrunkSid'] as const

const SETTINGS: ReadonlySet<string> = new Set([...URLS, ...VERBS, ...TEXTS])

type Setting = (typeof URLS)[number] | (typeof VERBS)[number] | (typeof TEXTS)[number]

/** Settings of a number of the account, named like the API's parameters. */
export type NumberSettings = { [K in Setting]?: string }

/** A number of the account. */
export class PhoneNumber {
  readonly sid = newSid('PN')
  /** E.164. */
  readonly number: string
  readonly #accountSid: string
  readonly #settings: Record<Setting, string>
  readonly #createdAt: number
  #updatedAt: number

  constructor(number: string, accountSid: string, now: number, settings: NumberSettings = {}) {
    this.number = number
    this.#accountSid = accountSid
    this.#createdAt = now
    this.#updatedAt = now
    for (const name of Object.keys(settings))
      if (!SETTINGS.has(name))
        throw new RangeError(`settings of ${number} are ${[...SETTINGS].join(', ')}, got ${name}`)
    const empty = [...URLS, ...TEXTS].map(name => [name, ''])
    this.#settings = {
      ...(Object.fromEntries([...empty, ...VERBS.map(name => [name, 'POST'])]) as Record<Setting, string>),
      FriendlyName: formatted(number),
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
      address_sid: null,
      address_requirements: 'none',
      api_version: '2010-04-01',
      beta: false,
      bundle_sid: null,
      capabilities: { voice: true, sms: true, mms: false, fax: false },
      date_created: apiDate(this.#createdAt),
      date_updated: apiDate(this.#updatedAt),
      emergency_status: 'Inactive',
      emergency_address_sid: null,
      emergency_address_status: 'unregistered',
      identity_sid: null,
      origin: 'twilio',
      status: 'in-use',
      type: 'local',
      uri: `/2010-04-01/Accounts/${this.#accountSid}/IncomingPhoneNumbers/${this.sid}.json`,
      voice_caller_id_lookup: false,
      voice_receive_mode: 'voice',
    }
  }
}

function snake(name: string): string {
  return name.replace(/(?<!^)[A-Z]/g, letter => `_${letter}`).toLowerCase()
}
