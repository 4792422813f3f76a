import { z } from 'zod'
import { codeSchema } from '../answer-schemas.ts'
import { ControlError } from '../control-error.ts'
import { operation } from '../operation.ts'
import { minutes, roomName, roomParams } from '../request-schemas.ts'
import { assertLives, assertRoom, codeView } from '../views.ts'

const MINUTE_MS = 60_000

export const createCode = operation({
  id: 'createCode',
  method: 'POST',
  path: '/rooms/{room}/codes',
  group: 'Join codes',
  summary: 'Creates a join code',
  about:
    'Anyone who enters the six digits joins the room, until the code expires, is revoked or the room ends.',
  params: roomParams,
  body: z
    .strictObject({
      minutes: minutes(7 * 24 * 60)
        .default(60)
        .describe('Lifetime of the code.'),
    })
    .prefault({}),
  status: 201,
  answer: codeSchema,
  errors: ['room_unknown', 'capacity'],
  run(floor, { params: { room }, body }) {
    assertLives(floor, room)
    const code = floor.codes.issue(room, body.minutes * MINUTE_MS)
    return codeView(floor, { code, room, expiresAt: floor.clock.now() + body.minutes * MINUTE_MS })
  },
})

export const listCodes = operation({
  id: 'listCodes',
  method: 'GET',
  path: '/rooms/{room}/codes',
  group: 'Join codes',
  summary: 'Lists the join codes of a room',
  about: 'Only valid codes created by the API.',
  params: roomParams,
  status: 200,
  answer: z.strictObject({ codes: z.array(codeSchema) }),
  errors: ['room_unknown'],
  run(floor, { params: { room } }) {
    assertRoom(floor, room)
    return { codes: floor.codes.of(room).map(each => codeView(floor, each)) }
  },
})

export const revokeCode = operation({
  id: 'revokeCode',
  method: 'DELETE',
  path: '/rooms/{room}/codes/{code}',
  group: 'Join codes',
  summary: 'Revokes a join code',
  about: 'It can no longer be used. Participants stay in the room.',
  params: z.strictObject({ room: roomName, code: z.string().regex(/^\d{6}$/, 'six digits') }),
  status: 200,
  answer: z.strictObject({ code: z.string(), revoked: z.literal(true) }),
  errors: ['room_unknown', 'code_unknown'],
  run(floor, { params: { room, code } }) {
    assertRoom(floor, room)
    if (floor.codes.find(code) !== room) throw new ControlError('code_unknown')
    floor.codes.revoke(code)
    return { code, revoked: true }
  },
})
