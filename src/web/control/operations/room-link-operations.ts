import { z } from 'zod'
import { LONGEST_LINK_MS } from '../../../core/room-links.ts'
import { isoTime } from '../../../core/wall-clock.ts'
import { joinPath } from '../../../pages/join-path.ts'
import { roomLinkSchema } from '../answer-schemas.ts'
import { operation } from '../operation.ts'
import { minutes, roomParams } from '../request-schemas.ts'
import { assertLives, assertRoom } from '../views.ts'

const MINUTE_MS = 60_000

export const linkRoom = operation({
  id: 'linkRoom',
  method: 'POST',
  path: '/rooms/{room}/links',
  group: 'Join codes',
  summary: 'A link by which people talk in a room from a browser',
  about:
    'Whoever has it comes in, as often as they like, until it expires or is revoked, or the room ends. A room that nobody created ends two minutes after the last participant has left.',
  params: roomParams,
  body: z
    .strictObject({
      minutes: minutes(LONGEST_LINK_MS / MINUTE_MS)
        .default(60)
        .describe('How long it is good.'),
    })
    .prefault({}),
  status: 201,
  answer: roomLinkSchema,
  errors: ['room_unknown', 'capacity'],
  run(floor, { params: { room }, body }) {
    assertLives(floor, room)
    const ttlMs = body.minutes * MINUTE_MS
    const token = floor.roomLinks.issue(room, ttlMs)
    return { page: joinPath(token), token, expiresAt: isoTime(floor.wall() + ttlMs) }
  },
})

export const revokeRoomLinks = operation({
  id: 'revokeRoomLinks',
  method: 'DELETE',
  path: '/rooms/{room}/links',
  group: 'Join codes',
  summary: 'Revokes the links by which people talk in a room',
  about: 'All that were made so far, those of the page too; who is in the room stays.',
  params: roomParams,
  status: 200,
  answer: z.strictObject({ room: z.string(), revoked: z.int() }),
  errors: ['room_unknown'],
  run(floor, { params: { room } }) {
    assertRoom(floor, room)
    return { room, revoked: floor.roomLinks.revokeAll(room) }
  },
})
