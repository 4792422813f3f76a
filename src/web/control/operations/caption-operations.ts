import { z } from 'zod'
import { isoTime } from '../../../core/wall-clock.ts'
import { ResponseOutlet } from '../../captions/response-outlet.ts'
import { linkSchema } from '../answer-schemas.ts'
import { ControlError } from '../control-error.ts'
import { operation, STREAMING } from '../operation.ts'
import { flag, language, minutes, roomParams } from '../request-schemas.ts'
import { assertRoom } from '../views.ts'

const MINUTE_MS = 60_000

export const readCaptions = operation({
  id: 'readCaptions',
  method: 'GET',
  path: '/rooms/{room}/captions',
  group: 'Captions',
  summary: 'What is said, as it is said',
  about:
    'Server-sent events until the room ends: `caption`, `service`, `missed`, `end`. First come the captions there are; with `Last-Event-ID` those after it, so that nothing is lost when a connection breaks.',
  access: 'link',
  params: roomParams,
  query: z.strictObject({
    to: language.optional().describe('Only translations into this language.'),
    final: flag.optional().describe('`true`: only texts that do not change any more.'),
    token: z.string().max(1_024).optional().describe('The token of a link, instead of a key.'),
  }),
  status: 200,
  types: ['text/event-stream'],
  errors: ['room_unknown', 'too_many_readers'],
  run(floor, { params: { room }, query: { to, final }, raw, reply }) {
    assertRoom(floor, room)
    const lastId = raw.headers['last-event-id']
    const outlet = new ResponseOutlet(reply)
    const reading = floor.desk.read(room, outlet, { to, final }, Array.isArray(lastId) ? undefined : lastId)
    if (!reading) throw new ControlError('too_many_readers')
    outlet.open(() => reading[Symbol.dispose]())
    return STREAMING
  },
})

export const linkCaptions = operation({
  id: 'linkCaptions',
  method: 'POST',
  path: '/rooms/{room}/captions/link',
  group: 'Captions',
  summary: 'A link to the captions of a room',
  about:
    'For a page that must not have a key: whoever has it reads the captions of this room and does nothing else.',
  params: roomParams,
  body: z
    .strictObject({
      minutes: minutes(24 * 60)
        .default(60)
        .describe('How long streams can be opened with it.'),
    })
    .prefault({}),
  status: 201,
  answer: linkSchema,
  errors: ['room_unknown'],
  run(floor, { params: { room }, body }) {
    assertRoom(floor, room)
    const { token, until } = floor.links.issue(room, body.minutes * MINUTE_MS)
    const url = `/v1/rooms/${encodeURIComponent(room)}/captions?token=${token}`
    return { url, token, expiresAt: isoTime(until) }
  },
})
