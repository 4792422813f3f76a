import { z } from 'zod'
import { callSchema } from '../answer-schemas.ts'
import { ControlError } from '../control-error.ts'
import { operation } from '../operation.ts'
import { displayName, id, language, original, roomParams } from '../request-schemas.ts'
import { refusedLanguages } from '../room-plans.ts'
import { tell } from '../telling.ts'
import { assertRoom } from '../views.ts'

const params = z.strictObject({ call: id.describe('The id of the call.') })
/** What channels call: an E.164 number, or `sip:` and `client:` addresses. Which of them is for the dialler to say. */
const ADDRESS = /^(\+[1-9]\d{6,14}|(sip|client):[\x21-\x7e]{1,200})$/

const NUMBER = 'an E.164 number: + and 7 to 15 digits'

const dialled = z.strictObject({
  to: z.string().regex(ADDRESS, NUMBER).describe('Whom to call, E.164.'),
  from: z.string().regex(ADDRESS, NUMBER).optional().describe('The number they see.'),
  speaks: language.optional().describe('What they speak; default: nothing, they only listen.'),
  hears: language.optional().describe('What they hear; default: only original voices.'),
  original: original.optional(),
  name: displayName.optional(),
  echo: z.boolean().default(false).describe('Alone in the room they hear their own translation.'),
  ringSeconds: z.int().min(5).max(600).optional(),
  limitSeconds: z.int().min(10).max(14_400).optional().describe('The call ends after so long.'),
  announce: z
    .boolean()
    .default(true)
    .describe('Whether they are told, in their language, that they have a call which is interpreted.'),
})

export const dial = operation({
  id: 'dial',
  method: 'POST',
  path: '/rooms/{room}/calls',
  group: 'Calls',
  summary: 'Calls somebody into a room',
  about:
    'Answers as soon as the call is on its way; what comes of it is at `/calls/{call}` and in the webhook `dial`. Send an `Idempotency-Key`, so that a request that is repeated makes no second telephone ring.',
  params: roomParams,
  body: dialled,
  status: 202,
  answer: callSchema,
  errors: ['room_unknown', 'room_full', 'dial_refused', 'language_not_allowed', 'capacity'],
  run(floor, { params: { room }, body, holder }) {
    assertRoom(floor, room)
    const { to, from, ringSeconds, limitSeconds, announce, ...party } = body
    const plan = floor.plans.find(room)
    const refused = refusedLanguages(plan, [party.speaks, party.hears])
    if (refused.length > 0)
      throw new ControlError('language_not_allowed', `the room is not for ${refused.join(', ')}`)
    const there = (floor.relay.rooms.get(room)?.participants.size ?? 0) + floor.calls.calling(room)
    if (there >= (plan?.maxParticipants ?? Number.POSITIVE_INFINITY)) throw new ControlError('room_full')
    if (!floor.dialler) throw new ControlError('dial_refused', 'dialling out is not configured')
    const request = {
      to,
      by: holder,
      ...(from === undefined ? {} : { from }),
      invitation: { room, ...defined(party) },
      ...(ringSeconds === undefined ? {} : { ringSeconds }),
      ...(limitSeconds === undefined ? {} : { limitSeconds }),
    }
    return floor.calls.place(floor.dialler, request, participant => {
      const called = announce ? floor.relay.find(participant) : undefined
      if (called) void tell(floor, called, 'incoming')
    })
  },
})

export const listCalls = operation({
  id: 'listCalls',
  method: 'GET',
  path: '/rooms/{room}/calls',
  group: 'Calls',
  summary: 'Calls that were placed into a room',
  about: 'The oldest first; the last 1,000 that ended are known.',
  params: roomParams,
  status: 200,
  answer: z.strictObject({ calls: z.array(callSchema) }),
  errors: ['room_unknown'],
  run(floor, { params: { room } }) {
    assertRoom(floor, room)
    return { calls: floor.calls.of(room) }
  },
})

export const getCall = operation({
  id: 'getCall',
  method: 'GET',
  path: '/calls/{call}',
  group: 'Calls',
  summary: 'How a call goes on',
  about: '',
  params,
  status: 200,
  answer: callSchema,
  errors: ['call_unknown'],
  run(floor, { params: { call } }) {
    const found = floor.calls.find(call)
    if (!found) throw new ControlError('call_unknown')
    return found
  },
})

export const hangUpCall = operation({
  id: 'hangUpCall',
  method: 'DELETE',
  path: '/calls/{call}',
  group: 'Calls',
  summary: 'Ends a call at any stage',
  about: 'Before an answer it is cancelled. A call that has ended is no error.',
  params,
  status: 200,
  answer: callSchema,
  errors: ['call_unknown'],
  async run(floor, { params: { call } }) {
    const found = await floor.calls.hangUp(call)
    if (!found) throw new ControlError('call_unknown')
    return found
  },
})

/** Without the fields that are undefined. */
function defined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}
