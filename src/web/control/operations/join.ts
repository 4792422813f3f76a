import { z } from 'zod'
import { MINUTE_MS } from '../../../common/durations.ts'
import { isoTime } from '../../../common/wall-clock.ts'
import { LONGEST_ROOM_LINK_MS } from '../../../core/calls/room-links.ts'
import { joinPath, listenPath } from '../../../pages/page-document.ts'
import { ControlError } from '../errors.ts'
import { operation } from '../operation.ts'
import { codeSchema, minutes, roomLinkSchema, roomName, roomParams } from '../schemas.ts'
import { assertLives, assertRoom, codeView } from '../views.ts'

export const createCode = operation({
  id: 'createCode',
  method: 'POST',
  path: '/rooms/{room}/codes',
  group: 'Join codes',
  summary: 'Creates a join code',
  about:
    'Anyone who enters the eight digits joins the room, until the code expires, is revoked or the room ends.',
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
  async run(context, { params: { room }, body }) {
    assertLives(context, room)
    const code = await context.codes.issue(room, body.minutes * MINUTE_MS)
    return codeView(context, { code, room, expiresAt: context.clock.now() + body.minutes * MINUTE_MS })
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
  async run(context, { params: { room } }) {
    assertRoom(context, room)
    return { codes: (await context.codes.of(room)).map(each => codeView(context, each)) }
  },
})

export const revokeCode = operation({
  id: 'revokeCode',
  method: 'DELETE',
  path: '/rooms/{room}/codes/{code}',
  group: 'Join codes',
  summary: 'Revokes a join code',
  about: 'It can no longer be used. Participants stay in the room.',
  params: z.strictObject({
    room: roomName,
    code: z
      .string()
      .regex(/^\d{8}$/, 'eight digits')
      .meta({ examples: ['12345678'] }),
  }),
  status: 200,
  answer: z.strictObject({ code: z.string(), revoked: z.literal(true) }),
  errors: ['room_unknown', 'code_unknown'],
  async run(context, { params: { room, code } }) {
    assertRoom(context, room)
    if ((await context.codes.find(code)) !== room) throw new ControlError('code_unknown')
    await context.codes.revoke(code)
    return { code, revoked: true }
  },
})

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
      minutes: minutes(LONGEST_ROOM_LINK_MS / MINUTE_MS)
        .default(60)
        .describe('Lifetime of the link.'),
    })
    .prefault({}),
  status: 201,
  answer: roomLinkSchema,
  errors: ['room_unknown', 'capacity'],
  async run(context, { params: { room }, body }) {
    assertLives(context, room)
    const ttlMs = body.minutes * MINUTE_MS
    const token = await context.roomLinks.issue(room, ttlMs)
    return { page: joinPath(token), token, expiresAt: isoTime(context.wall() + ttlMs) }
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
  async run(context, { params: { room } }) {
    assertRoom(context, room)
    return { room, revoked: await context.roomLinks.revokeAll(room) }
  },
})

export const linkListeners = operation({
  id: 'linkListeners',
  method: 'POST',
  path: '/rooms/{room}/listen/links',
  group: 'Join codes',
  summary: 'Creates a link for listening to a room in a browser',
  about:
    'For an audience: anyone with the link chooses a language, and hears and reads the room in it, without being heard. All who listen in one language share one session per speaker. Limits: `browser.maxListeners`, `browser.maxListenLanguages`. It ends as links for talking do.',
  params: roomParams,
  body: z
    .strictObject({
      minutes: minutes(LONGEST_ROOM_LINK_MS / MINUTE_MS)
        .default(60)
        .describe('Lifetime of the link. Its listeners leave when it expires.'),
    })
    .prefault({}),
  status: 201,
  answer: roomLinkSchema,
  errors: ['room_unknown', 'capacity'],
  async run(context, { params: { room }, body }) {
    assertLives(context, room)
    const ttlMs = body.minutes * MINUTE_MS
    const token = await context.listenLinks.issue(room, ttlMs)
    return { page: listenPath(token), token, expiresAt: isoTime(context.wall() + ttlMs) }
  },
})

export const revokeListenLinks = operation({
  id: 'revokeListenLinks',
  method: 'DELETE',
  path: '/rooms/{room}/listen/links',
  group: 'Join codes',
  summary: 'Revokes the links for listening to a room',
  about:
    'Revokes all links created so far, including those of the page. Their listeners leave within ten seconds.',
  params: roomParams,
  status: 200,
  answer: z.strictObject({ room: z.string(), revoked: z.int() }),
  errors: ['room_unknown'],
  async run(context, { params: { room } }) {
    assertRoom(context, room)
    return { room, revoked: await context.listenLinks.revokeAll(room) }
  },
})
