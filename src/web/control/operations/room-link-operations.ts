import { z } from 'zod'
import { isoTime } from '../../../common/wall-clock.ts'
import { LONGEST_LINK_MS } from '../../../core/calls/room-links.ts'
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
  summary: 'Creates a link to talk in a room from a browser',
  about:
    'Anyone with the link can join, any number of times, until it expires, is revoked or the room ends. A room that was not created ends two minutes after the last participant has left.',
  params: roomParams,
  body: z
    .strictObject({
      minutes: minutes(LONGEST_LINK_MS / MINUTE_MS)
        .default(60)
        .describe('Lifetime of the link.'),
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
  summary: 'Revokes the links to talk in a room',
  about: 'Revokes all links created so far, including those of the page. Participants stay in the room.',
  params: roomParams,
  status: 200,
  answer: z.strictObject({ room: z.string(), revoked: z.int() }),
  errors: ['room_unknown'],
  run(floor, { params: { room } }) {
    assertRoom(floor, room)
    return { room, revoked: floor.roomLinks.revokeAll(room) }
  },
})
