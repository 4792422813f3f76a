import { z } from 'zod'
import { ControlError } from '../errors.ts'
import { operation } from '../operation.ts'
import { tell } from '../room-ending.ts'
import { refusedLanguages } from '../room-plans.ts'
import { callSchema, displayName, id, language, original, roomParams } from '../schemas.ts'
import { assertRoom } from '../views.ts'

const params = z.strictObject({ call: id.describe('The ID of the call.') })
/**
 * Destinations of all channels: an E.164 number, or a `sip:` or `client:` address. The dialer decides which of them it
 * supports.
 */
const ADDRESS = /^(\+[1-9]\d{6,14}|(sip|client):[\x21-\x7e]{1,200})$/

const NUMBER = 'an E.164 number: + and 7 to 15 digits'

const dialed = z.strictObject({
  to: z
    .string()
    .regex(ADDRESS, NUMBER)
    .meta({ description: 'The number to call, E.164.', examples: ['+12025550123'] }),
  from: z.string().regex(ADDRESS, NUMBER).optional().describe('The caller ID.'),
  carrier: z
    .string()
    .regex(/^[a-z][a-z0-9-]{1,30}$/, 'the name of a carrier, like twilio')
    .optional()
    .describe(
      'The carrier. Default: the carrier of the caller ID, else the carrier of a caller in the room.',
    ),
  speaks: language.optional().describe('Their language. Default: none, they only listen.'),
  hears: language.optional().describe('The language they hear. Default: only original voices.'),
  original: original.optional(),
  name: displayName.optional(),
  echo: z.boolean().default(false).describe('While alone in the room, they hear their own translation.'),
  ringSeconds: z.int().min(5).max(600).optional(),
  limitSeconds: z.int().min(10).max(14_400).optional().describe('Maximum duration of the call.'),
  announce: z
    .boolean()
    .default(true)
    .describe('Announce in their language that this is an interpreted call.'),
})

export const dial = operation({
  id: 'dial',
  method: 'POST',
  path: '/rooms/{room}/calls',
  group: 'Calls',
  summary: 'Calls someone into a room',
  about:
    'Responds as soon as the call is placed; its progress is at `/calls/{call}` and in the webhook `dial`. Send an `Idempotency-Key`, so that a repeated request does not place a second call.',
  params: roomParams,
  body: dialed,
  status: 202,
  answer: callSchema,
  errors: ['room_unknown', 'room_full', 'dial_refused', 'language_not_allowed', 'capacity'],
  run(context, { params: { room }, body, holder }) {
    assertRoom(context, room)
    const { to, from, carrier, ringSeconds, limitSeconds, announce, ...party } = body
    const plan = context.plans.find(room)
    const refused = refusedLanguages(plan, [party.speaks, party.hears])
    if (refused.length > 0)
      throw new ControlError('language_not_allowed', `the room does not allow ${refused.join(', ')}`)
    const there = (context.relay.rooms.get(room)?.participants.size ?? 0) + context.calls.calling(room)
    if (there >= (plan?.maxParticipants ?? Number.POSITIVE_INFINITY)) throw new ControlError('room_full')
    if (!context.dialer) throw new ControlError('dial_refused', 'outbound calls are not configured')
    const request = {
      to,
      by: holder,
      from,
      carrier,
      invitation: { room, ...party },
      ringSeconds,
      limitSeconds,
    }
    return context.calls.place(context.dialer, request, participant => {
      const called = announce ? context.relay.find(participant) : undefined
      if (called) void tell(context, called, 'incoming')
    })
  },
})

export const listCalls = operation({
  id: 'listCalls',
  method: 'GET',
  path: '/rooms/{room}/calls',
  group: 'Calls',
  summary: 'Lists the calls placed into a room',
  about: 'Oldest first; includes the last 1,000 calls that ended.',
  params: roomParams,
  status: 200,
  answer: z.strictObject({ calls: z.array(callSchema) }),
  errors: ['room_unknown'],
  run(context, { params: { room } }) {
    assertRoom(context, room)
    return { calls: context.calls.of(room) }
  },
})

export const getCall = operation({
  id: 'getCall',
  method: 'GET',
  path: '/calls/{call}',
  group: 'Calls',
  summary: 'Gets a call',
  about: '',
  params,
  status: 200,
  answer: callSchema,
  errors: ['call_unknown'],
  run(context, { params: { call } }) {
    const found = context.calls.find(call)
    if (!found) throw new ControlError('call_unknown')
    return found
  },
})

export const hangUpCall = operation({
  id: 'hangUpCall',
  method: 'DELETE',
  path: '/calls/{call}',
  group: 'Calls',
  summary: 'Ends a call',
  about: 'At any stage; an unanswered call is canceled. Succeeds also if the call has ended.',
  params,
  status: 200,
  answer: callSchema,
  errors: ['call_unknown'],
  async run(context, { params: { call } }) {
    const found = await context.calls.hangUp(call)
    if (!found) throw new ControlError('call_unknown')
    return found
  },
})
