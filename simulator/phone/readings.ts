import { createHmac, randomInt } from 'node:crypto'
import { plivoProfile, signPlivo } from '../plivo/profile.ts'
import { signalwireProfile } from '../signalwire/signalwire-simulator.ts'
import { telnyxProfile } from '../telnyx/telnyx-simulator.ts'
import { signRequest } from '../twilio/phone/form-signature.ts'
import { type PhoneProfile, type PhoneWire, twilioProfile } from '../twilio/phone/profile.ts'

type Message = Readonly<Record<string, unknown>>
type Edit = (message: Message) => Message

/** Returns the profile of a carrier whose messages to the server are as `edit` leaves them. */
function edited(profile: PhoneProfile, edit: Edit): PhoneProfile {
  const changed = <T extends string | undefined>(text: T) =>
    (text === undefined ? undefined : JSON.stringify(edit(JSON.parse(text)))) as T
  return {
    ...profile,
    wire(ids, attributes): PhoneWire {
      const wire = profile.wire(ids, attributes)
      return {
        connected: () => changed(wire.connected()),
        start: (parameters, callSid) => changed(wire.start(parameters, callSid)),
        media: (timestampMs, payload) => changed(wire.media(timestampMs, payload)),
        dtmf: digit => changed(wire.dtmf(digit)),
        mark: name => changed(wire.mark(name)),
        stop: () => changed(wire.stop()),
        unknown: () => changed(wire.unknown()),
        ...(wire.cleared && { cleared: () => changed(wire.cleared!()) }),
      }
    },
  }
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Edits the object `name` in a message, if it has one. */
const inside =
  (name: string, edit: Edit): Edit =>
  message => {
    const part = message[name]
    return isMessage(part) ? { ...message, [name]: edit(part) } : message
  }

/** Replaces the field `name`, if there is one. */
const field =
  (name: string, change: (value: unknown) => unknown): Edit =>
  message =>
    Object.hasOwn(message, name) ? { ...message, [name]: change(message[name]) } : message

/** Converts numbers to texts, and whole numbers in texts to numbers; but neither names nor keys. */
const swapped: Edit = message =>
  Object.fromEntries(
    Object.entries(message).map(([name, value]) => {
      if (isMessage(value)) return [name, /param/i.test(name) ? value : swapped(value)]
      if (typeof value === 'number') return [name, String(value)]
      const isNumber = typeof value === 'string' && /^\d{1,12}$/.test(value)
      return [name, isNumber && !/^(digit|name|payload)$/.test(name) ? Number(value) : value]
    }),
  )

/** Adds fields of a later version, in every object. */
const further: Edit = message => ({
  ...Object.fromEntries(
    Object.entries(message).map(([name, value]) => [name, isMessage(value) ? further(value) : value]),
  ),
  novelty: { list: [1, null, { a: 'é' }], text: '"' },
})

const format = (name: string, edit: Edit) => inside('start', inside(name, edit))
const without =
  (name: string): Edit =>
  ({ [name]: _, ...rest }) =>
    rest

/** The name of the encoding in another spelling, of µ-law and of linear PCM. */
const encoding = (mulaw: string, linear: string) =>
  field('encoding', value => (/mulaw|pcmu/i.test(String(value)) ? mulaw : linear))

function allOf(profile: PhoneProfile, edits: Readonly<Record<string, Edit>>): Record<string, PhoneProfile> {
  return Object.fromEntries(Object.entries(edits).map(([name, edit]) => [name, edited(profile, edit)]))
}

const list = (value: unknown) =>
  Object.entries(isMessage(value) ? value : {}).map(([name, text]) => ({ name, value: text }))

type Pair = readonly [name: string, value: string]

/** Plivo’s `token=…;b=…`, written by `write`. */
const extraHeaders = (write: (pairs: readonly Pair[]) => unknown) =>
  field('extra_headers', text =>
    write(
      String(text)
        .split(';')
        .map((pair): Pair => [pair.split('=')[0] ?? '', pair.split('=')[1] ?? '']),
    ),
  )

const PLIVO: Readonly<Record<string, Edit>> = {
  'a semicolon at the end': extraHeaders(pairs => `${pairs.map(pair => pair.join('=')).join(';')};`),
  'braces and colons': extraHeaders(
    pairs => `{${pairs.map(([name, value]) => `X-PH-${name}: ${value}`).join(', ')}, X-PH-b: 2}`,
  ),
  'one header in braces': extraHeaders(pairs => `{X-PH-${pairs[0]?.join(': ')}}`),
  'capitals and a prefix': extraHeaders(
    pairs => `${pairs.map(([name, value]) => `X-PH-${name.toUpperCase()}=${value}`).join(';')}`,
  ),
  'JSON text': extraHeaders(pairs => JSON.stringify(Object.fromEntries(pairs))),
  'an object': extraHeaders(pairs => Object.fromEntries(pairs)),
  'quotes as in Python': extraHeaders(
    pairs => `{${pairs.map(([name, value]) => `'X-PH-${name}': '${value}'`).join(', ')}}`,
  ),
  'numbers as texts': swapped,
  'no format': inside('start', without('mediaFormat')),
  'further fields': further,
}

/** Only the signature headers of these names; `sign` makes a signature of an address, a nonce and a form. */
function signedBy(
  names: { signature: string; nonce: string },
  sign: (key: string, url: string, nonce: string, fields?: Parameters<typeof signPlivo>[3]) => string,
  stream: (url: string) => string = url => url.replace(/^ws/, 'http'),
): Partial<PhoneProfile> {
  const headers = (key: string, url: string, fields?: Parameters<typeof signPlivo>[3]) => {
    const nonce = String(randomInt(2 ** 47)).padStart(20, '0')
    return { [names.signature]: sign(key, url, nonce, fields), [names.nonce]: nonce }
  }
  return {
    webhookHeaders: (key, { url, fields }) => headers(key, url, fields),
    upgradeHeaders: (key, { url }): Readonly<Record<string, string>> =>
      key === undefined ? {} : headers(key, stream(url)),
  }
}

const V3_NONCE = 'x-plivo-signature-v3-nonce'
const V2_NONCE = 'x-plivo-signature-v2-nonce'

function signPlivo2(key: string, url: string, nonce: string): string {
  return createHmac('sha256', key)
    .update(url.split('?')[0] + nonce)
    .digest('base64')
}

const PLIVO_SIGNATURES: Readonly<Record<string, Partial<PhoneProfile>>> = {
  'the signature of the main account': signedBy(
    { signature: 'x-plivo-signature-ma-v3', nonce: V3_NONCE },
    signPlivo,
  ),
  'version 2': signedBy({ signature: 'x-plivo-signature-v2', nonce: V2_NONCE }, signPlivo2),
  'version 2 of the main account': signedBy(
    { signature: 'x-plivo-signature-ma-v2', nonce: V2_NONCE },
    signPlivo2,
  ),
  'a stream signed as wss': signedBy(
    { signature: 'x-plivo-signature-v3', nonce: V3_NONCE },
    signPlivo,
    url => url,
  ),
}

/** The raw body is that of a form, as the profile passes it. */
const hexOf =
  (header: string, hash: string): PhoneProfile['webhookHeaders'] =>
  (key, { url, body }) => ({
    [header]: createHmac(hash, key)
      .update(url + body)
      .digest('hex'),
  })

/**
 * Phones that send what public sources show of a carrier, where those disagree with its documentation or among themselves,
 * by carrier and name: the `profile` of a call. docs/channels has the sources.
 */
export const PHONE_READINGS: Readonly<Record<string, Readonly<Record<string, PhoneProfile>>>> = {
  twilio: allOf(twilioProfile, {
    'numbers as numbers': swapped,
    'no format': inside('start', without('mediaFormat')),
    'further fields': further,
  }),
  signalwire: {
    ...allOf(signalwireProfile, {
      'numbers as numbers': swapped,
      'formats PCMU and L16': format('mediaFormat', encoding('PCMU', 'L16')),
      'formats as in <Stream>': format('mediaFormat', encoding('PCMU@8000h', 'L16@16000h')),
      'formats with a rate': format(
        'mediaFormat',
        encoding('audio/x-mulaw;rate=8000', 'audio/x-l16;rate=16000'),
      ),
      'no format': inside('start', without('mediaFormat')),
      'further fields': further,
    }),
    'the header of Twilio': {
      ...signalwireProfile,
      webhookHeaders: (key, { url, fields }) => ({ 'x-twilio-signature': signRequest(key, url, fields) }),
    },
    'a hexadecimal signature': {
      ...signalwireProfile,
      webhookHeaders: hexOf('x-signalwire-signature', 'sha1'),
    },
    'a SHA-256 signature': {
      ...signalwireProfile,
      webhookHeaders: hexOf('x-signalwire-sha256-signature', 'sha256'),
    },
  },
  telnyx: allOf(telnyxProfile, {
    'parameters as a list': inside('start', field('custom_parameters', list)),
    'numbers as numbers': swapped,
    'the media type': format('media_format', encoding('audio/x-mulaw', 'audio/x-l16')),
    'no format': inside('start', without('media_format')),
    'further fields': further,
  }),
  plivo: {
    ...allOf(plivoProfile, PLIVO),
    ...Object.fromEntries(
      Object.entries(PLIVO_SIGNATURES).map(([name, own]) => [name, { ...plivoProfile, ...own }]),
    ),
  },
}
