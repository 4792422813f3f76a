import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import type { FormFields } from '../twilio/phone/form-signature.ts'
import { type PhoneProfile, twilioProfile } from '../twilio/phone/profile.ts'
import { CONTENT_TYPES, PlivoWire, plivoReader } from './wire.ts'
import { parsePlivoXml } from './xml.ts'

/**
 * Returns the signature of a request (Plivo: Signature validation V3), whose query must not contain an encoded or a repeated
 * name. `fields`: the form of a POST.
 */
export function signPlivo(authToken: string, url: string, nonce: string, fields: FormFields = {}): string {
  const [base = '', query = ''] = url.split('?')
  const values = [...new URLSearchParams(query)].map(([name, value]) => `${name}=${value}`)
  const posted = Object.keys(fields)
    .sort()
    .flatMap(name =>
      [fields[name] ?? []]
        .flat()
        .sort()
        .map(value => name + value),
    )
    .join('')
  const asked = values.sort().join('&')
  const separator = asked !== '' || posted !== '' ? '?' : ''
  const dot = asked !== '' && posted !== '' ? '.' : ''
  const text = `${base}${separator}${asked}${dot}${posted}.${nonce}`
  return createHmac('sha256', authToken).update(text).digest('base64')
}

/** Headers of a signed request. The signature with the token of the main account has a separate header. */
function signed(key: string, url: string, fields?: FormFields): Record<string, string> {
  const nonce = String(BigInt(`0x${randomBytes(8).toString('hex')}`)).padStart(20, '0')
  const signature = signPlivo(key, url, nonce, fields)
  return {
    'x-plivo-signature-v3': signature,
    'x-plivo-signature-ma-v3': signature,
    'x-plivo-signature-v3-nonce': nonce,
  }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** `MA` and 18 letters and digits. */
function newAuthId(): string {
  return `MA${[...randomBytes(18)].map(byte => ALPHABET[byte % ALPHABET.length]).join('')}`
}

/** Phones of Plivo: its XML, its form fields and signatures, and its stream messages. */
export const plivoProfile: PhoneProfile = {
  ...twilioProfile,
  name: 'plivo',
  webhookAgent: 'Plivo',
  streamAgent: 'Plivo',
  newSid: kind => (kind === 'AC' ? newAuthId() : randomUUID()),
  instructions: parsePlivoXml,
  fields: plivoFields,
  reportsEnd: true,
  webhookHeaders: (key, { url, fields }) => signed(key, url, fields),
  // As a GET of the https address (Plivo’s SDK for streams).
  upgradeHeaders: (key, { url }) => (key === undefined ? {} : signed(key, url.replace(/^ws/, 'http'))),
  streamFault(attributes) {
    if (attributes.get('bidirectional') !== 'true')
      return 'the stream is not bidirectional: audio would be ignored'
    if (attributes.get('keepCallAlive') !== 'true')
      return 'without keepCallAlive, the next element runs while the stream is open'
    return CONTENT_TYPES.includes(contentTypeOf(attributes))
      ? undefined
      : `contentType ${contentTypeOf(attributes)} is not modeled`
  },
  wire: (ids, attributes) => new PlivoWire(ids, contentTypeOf(attributes)),
  reader: (ids, attributes) => plivoReader(ids, contentTypeOf(attributes)),
}

function contentTypeOf(attributes: ReadonlyMap<string, string>): string {
  return attributes.get('contentType') ?? 'audio/x-l16;rate=8000'
}

/** Statuses with other names than Twilio’s. Assumed: a canceled call has not been answered. */
const STATUSES: Readonly<Record<string, string>> = { canceled: 'no-answer' }
/** Codes and names of hangup causes by Twilio’s status (Plivo: Hangup causes). */
export const HANGUP_CAUSES: Readonly<Record<string, readonly [code: number, name: string]>> = {
  completed: [4000, 'Normal Hangup'],
  busy: [3010, 'Busy Line'],
  'no-answer': [3000, 'No Answer'],
  canceled: [1000, 'Canceled'],
  failed: [2000, 'Invalid Destination Address'],
}

/** Converts the fields of a webhook of Twilio (Plivo: XML request, Machine detection). */
function plivoFields(twilio: FormFields): FormFields {
  const text = (name: string) => (typeof twilio[name] === 'string' ? twilio[name] : undefined)
  const status = text('CallStatus') ?? 'in-progress'
  const call = text('CallSid') ?? ''
  const outbound = text('Direction') !== 'inbound'
  const cause = HANGUP_CAUSES[status]
  const answeredBy = text('AnsweredBy')
  const optional: Record<string, string | undefined> = {
    From: text('From')?.replace(/^\+/, ''),
    To: text('To')?.replace(/^\+/, ''),
    Digits: text('Digits'),
    ...(cause && {
      Duration: text('CallDuration') ?? '0',
      HangupCauseCode: String(cause[0]),
      HangupCauseName: cause[1],
      HangupSource: 'Unknown',
    }),
    ...(answeredBy !== undefined && {
      Machine: String(answeredBy !== 'human' && answeredBy !== 'unknown'),
      IfMachine: 'continue',
    }),
    ...(outbound && { RequestUUID: call, ALegRequestUUID: call, ALegUUID: call }),
  }
  return {
    CallUUID: call,
    CallStatus: STATUSES[status] ?? status,
    Direction: outbound ? 'outbound' : 'inbound',
    Event: answeredBy === undefined ? eventOf(status, cause !== undefined) : 'MachineDetection',
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
  } as FormFields
}

function eventOf(status: string, over: boolean): string {
  if (over) return 'Hangup'
  return status === 'ringing' ? 'Ring' : 'StartApp'
}
