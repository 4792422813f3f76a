import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { ApiReply } from '../twilio/rest/api.ts'
import { Form } from '../twilio/rest/form.ts'
import { RestError } from '../twilio/rest/rest-errors.ts'
import { type RestProfile, type RestTarget, twilioRest } from '../twilio/rest/rest-profile.ts'
import { TwilioSimulator, type TwilioSimulatorOptions } from '../twilio/rest/twilio-simulator.ts'
import { HANGUP_CAUSES, plivoProfile } from './profile.ts'

const CALL = /^\/v1\/Account\/(\w+)\/Call\/(?:([\w-]+)\/?)?(?:\?.*)?$/
const ACCOUNT = /^\/v1\/Account\/(\w+)\/$/
const NUMBER = /^\+?[1-9]\d{6,14}$/

const post = z.literal('POST').optional()
/** The parameters of a new call that are modeled (Plivo: Make a call). */
const orderSchema = z.strictObject({
  from: z.string().regex(NUMBER),
  to: z.string().regex(NUMBER),
  answer_url: z.url(),
  answer_method: post,
  ring_url: z.url().optional(),
  ring_method: post,
  hangup_url: z.url().optional(),
  hangup_method: post,
  ring_timeout: z.int().min(1).max(600).default(120),
  time_limit: z.int().min(1).optional(),
  machine_detection: z.enum(['true']).optional(),
  machine_detection_time: z.int().min(2_000).max(10_000).default(5_000),
  machine_detection_url: z.url().optional(),
  machine_detection_method: post,
})

/** The fields of the same call at Twilio. Its one status callback receives what `ring_url` and `hangup_url` do. */
function twilioOrder(order: Readonly<Record<string, unknown>>): Form {
  const read = orderSchema.safeParse(order)
  if (!read.success) throw new RestError(20001, read.error.issues[0]?.path.join('.') ?? '')
  const { from, to, answer_url, ring_url, hangup_url, ring_timeout, time_limit, ...machine } = read.data
  if (ring_url !== undefined && ring_url !== hangup_url)
    throw new RestError(20001, 'ring_url that differs from hangup_url')
  const form = new URLSearchParams({
    From: e164(from),
    To: e164(to),
    Url: answer_url,
    Timeout: String(ring_timeout),
  })
  if (time_limit !== undefined) form.set('TimeLimit', String(time_limit))
  if (hangup_url !== undefined) {
    form.set('StatusCallback', hangup_url)
    for (const event of [...(ring_url === undefined ? [] : ['ringing']), 'completed'])
      form.append('StatusCallbackEvent', event)
  }
  if (machine.machine_detection === undefined) return new Form(form)
  // Without a callback, Plivo detects before it requests the answer URL.
  form.set('MachineDetection', 'Enable')
  if (machine.machine_detection_url !== undefined) {
    form.set('AsyncAmd', 'true')
    form.set('AsyncAmdStatusCallback', machine.machine_detection_url)
  }
  return new Form(form)
}

function e164(number: string): string {
  return number.startsWith('+') ? number : `+${number}`
}

/** The JSON of a body, in one field; Twilio’s fields are made from it once the account is authenticated. */
const JSON_FIELD = 'json'

/** Plivo’s REST API for calls: JSON in both directions, and basic authentication with auth ID and auth token. */
const plivoRest: RestProfile = {
  ...twilioRest,
  phone: plivoProfile,
  target({ method, path }) {
    const [, own] = ACCOUNT.exec(path) ?? []
    if (own !== undefined) return { method, path: `/2010-04-01/Accounts/${own}.json` }
    const [, account, call] = CALL.exec(path) ?? []
    if (account === undefined) return { method, path: '/unknown' }
    const calls = `/2010-04-01/Accounts/${account}/Calls`
    if (call === undefined) return { method, path: `${calls}.json` }
    // Twilio ends a call by an update.
    return {
      method: method === 'DELETE' ? 'POST' : method === 'GET' ? 'GET' : 'PUT',
      path: `${calls}/${call}.json`,
    }
  },
  body(text, contentType) {
    if (text === '') return new Form('')
    if (!contentType.startsWith('application/json')) throw new RestError(20001, `content type ${contentType}`)
    return new Form(new URLSearchParams({ [JSON_FIELD]: text }))
  },
  form(method, path, form) {
    if (method !== 'POST') return new Form('')
    if (!path.endsWith('/Calls.json')) return new Form('Status=completed')
    return twilioOrder(fieldsIn(form.get(JSON_FIELD) ?? ''))
  },
  reply: (reply, target) => (reply.status < 400 ? succeeded(reply, target) : failed(reply)),
}

function fieldsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // Reported below.
  }
  throw new RestError(20001, 'the body')
}

function succeeded({ body }: ApiReply, { method, path }: RestTarget): ApiReply {
  const { sid, status, from, to, start_time: answered } = body ?? {}
  const api_id = randomUUID()
  if (ACCOUNT.test(path)) {
    const account_type = body?.type === 'Trial' ? 'developer' : 'standard'
    return { status: 200, body: { api_id, auth_id: sid, account_type, billing_mode: 'prepaid' } }
  }
  if (method === 'POST') return { status: 201, body: { message: 'call fired', request_uuid: sid, api_id } }
  if (method === 'DELETE') return { status: 204, body: undefined }
  const ended = HANGUP_CAUSES[String(status)]
  const live = /[?&]status=live(&|$)/.test(path)
  // A record exists once the call is over, and the call is live until then.
  if (live !== (ended === undefined)) return notFound()
  const numbers = { from: digits(from), to: digits(to) }
  if (live)
    return {
      status: 200,
      body: { api_id, call_uuid: sid, call_status: status, direction: 'outbound', ...numbers },
    }
  const [hangup_cause_code, hangup_cause_name] = ended ?? []
  return {
    status: 200,
    body: {
      ...{ api_id, call_uuid: sid, call_direction: 'outbound', answer_time: answered },
      ...{ from_number: numbers.from, to_number: numbers.to, hangup_cause_code, hangup_cause_name },
    },
  }
}

function digits(number: unknown): string {
  return String(number).replace(/^\+/, '')
}

function notFound(): ApiReply {
  return { status: 404, body: { api_id: randomUUID(), error: 'not found' } }
}

/** Twilio’s codes whose HTTP status differs: the call is over, or its country is barred. */
const STATUSES: Readonly<Record<string, number>> = { 21220: 404, 21215: 403 }

function failed({ status, body }: ApiReply): ApiReply {
  const code = String(body?.code)
  return {
    status: STATUSES[code] ?? status,
    body: { api_id: randomUUID(), error: String(body?.message ?? '') },
  }
}

/** Plivo on loopback: its API for calls, and phones. The auth ID is `accountSid`; the auth token also signs webhooks. */
export function listenPlivo(options: TwilioSimulatorOptions = {}): Promise<TwilioSimulator> {
  return TwilioSimulator.listen({ ...options, profile: plivoRest })
}
