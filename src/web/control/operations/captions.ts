import { z } from 'zod'
import { setTimer } from '../../../common/clock.ts'
import { MINUTE_MS } from '../../../common/durations.ts'
import { isoTime } from '../../../common/wall-clock.ts'
import { captionPagePath, LONGEST_CAPTION_LINK_MS } from '../../captions/caption-links.ts'
import { EventStreamResponse, sseEvent } from '../../event-stream.ts'
import { assertLinkOpens, bearerOf } from '../auth.ts'
import type { ControlContext } from '../control-context.ts'
import { ControlError } from '../errors.ts'
import { operation, STREAMING } from '../operation.ts'
import { flag, language, linkSchema, linkToken, minutes, roomParams } from '../schemas.ts'
import { assertLives, assertRoom } from '../views.ts'

export const readCaptions = operation({
  id: 'readCaptions',
  method: 'GET',
  path: '/rooms/{room}/captions',
  group: 'Captions',
  summary: 'Streams live captions',
  about:
    'Server-sent events until the room ends or the link expires: `caption`, `service`, `missed`, `end`, `expired`. The stream starts with the captions available; with `Last-Event-ID`, with those after it, so that a reconnection loses nothing.',
  access: 'link',
  params: roomParams,
  query: z.strictObject({
    to: language.optional().describe('Only translations into this language.'),
    final: flag.optional().describe('`true`: only final texts.'),
    token: linkToken,
  }),
  status: 200,
  types: ['text/event-stream'],
  errors: ['room_unknown', 'too_many_readers'],
  run(context, { params: { room }, query: { to, final }, raw, reply }) {
    const bearer = bearerOf(raw, room, context)
    assertLinkOpens(context, room, bearer?.token)
    assertRoom(context, room)
    const place = bearer && context.linkReaders.open(bearer)
    if (bearer && !place) throw new ControlError('too_many_readers', undefined, { 'retry-after': '5' })
    const lastId = raw.headers['last-event-id']
    const outlet = new EventStreamResponse(reply)
    const reading = context.captionHub.read(
      room,
      outlet,
      { to, final },
      Array.isArray(lastId) ? undefined : lastId,
    )
    if (!reading) {
      place?.[Symbol.dispose]()
      throw new ControlError('too_many_readers', undefined, { 'retry-after': '5' })
    }
    const link = bearer && endWithLink(context, room, bearer.token, outlet)
    outlet.open(() => {
      reading[Symbol.dispose]()
      link?.[Symbol.dispose]()
      place?.[Symbol.dispose]()
    })
    return STREAMING
  },
})

/** Ends a stream that was opened by a link together with the link. Dispose it when the stream has ended. */
function endWithLink(
  { links, clock }: ControlContext,
  room: string,
  token: string,
  outlet: EventStreamResponse,
): Disposable {
  const end = () => {
    link[Symbol.dispose]()
    outlet.write(sseEvent('expired', { room }))
    outlet.end()
  }
  const timer = setTimer(clock, links.leftMs(token, room), end)
  const watch = links.onRevoked(revoked => {
    if (revoked === room) end()
  })
  const link = {
    [Symbol.dispose]() {
      timer[Symbol.dispose]()
      watch[Symbol.dispose]()
    },
  }
  return link
}

export const linkCaptions = operation({
  id: 'linkCaptions',
  method: 'POST',
  path: '/rooms/{room}/captions/link',
  group: 'Captions',
  summary: 'Creates a link to the captions of a room',
  about:
    'For pages that must not have a key: the link only grants access to the captions and the transcript of this room. It ends with the room and does not open a later room of the same name.',
  params: roomParams,
  body: z
    .strictObject({
      minutes: minutes(LONGEST_CAPTION_LINK_MS / MINUTE_MS)
        .default(60)
        .describe('Lifetime of the link.'),
    })
    .prefault({}),
  status: 201,
  answer: linkSchema,
  errors: ['room_unknown'],
  run(context, { params: { room }, body }) {
    assertLives(context, room)
    const { token, until } = context.links.issue(room, body.minutes * MINUTE_MS)
    const url = `/v1/rooms/${encodeURIComponent(room)}/captions?token=${token}`
    return { url, page: captionPagePath(room, token), token, expiresAt: isoTime(until) }
  },
})

export const revokeLinks = operation({
  id: 'revokeLinks',
  method: 'DELETE',
  path: '/rooms/{room}/captions/link',
  group: 'Captions',
  summary: 'Revokes the links to the captions of a room',
  about: 'Revokes all links created so far, at once: their streams end with `expired`.',
  params: roomParams,
  status: 200,
  answer: z.strictObject({ room: z.string(), revoked: z.literal(true) }),
  errors: ['room_unknown'],
  async run(context, { params: { room } }) {
    assertRoom(context, room)
    await context.links.revoke(room)
    return { room, revoked: true }
  },
})
