import { randomInt } from 'node:crypto'
import { z } from 'zod'
import { MINUTE_MS } from '../../../common/durations.ts'
import { isoTime } from '../../../common/wall-clock.ts'
import { ControlError } from '../errors.ts'
import { operation } from '../operation.ts'
import { endRoom } from '../room-ending.ts'
import { codeSchema, language, minutes, roomParams, roomSchema } from '../schemas.ts'
import { assertRoom, codeView, roomView } from '../views.ts'

const WEEK_MINUTES = 7 * 24 * 60
const MOST_PER_PAGE = 200

const newRoom = z.strictObject({
  name: z
    .string()
    .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u, 'letters, digits, space and . _ - only, 64 at most')
    .optional()
    .describe('Legs that name the room join it. Default: a random name.'),
  languages: z.array(language).min(1).max(32).optional().describe('Languages allowed in the room.'),
  maxParticipants: z.int().min(1).max(1_000).optional(),
  maxMinutes: minutes(WEEK_MINUTES)
    .optional()
    .describe('The room ends this long after the first participant has joined.'),
  emptyMinutes: minutes(WEEK_MINUTES)
    .default(60)
    .describe('The room ends when it has been empty for this long.'),
  codeMinutes: minutes(WEEK_MINUTES).optional().describe('Create a join code with this lifetime.'),
})

export const createRoom = operation({
  id: 'createRoom',
  method: 'POST',
  path: '/rooms',
  group: 'Rooms',
  summary: 'Creates a room',
  about: 'The room waits for its first participant. Rooms opened by calls need not be created.',
  body: newRoom,
  status: 201,
  answer: z.strictObject({ ...roomSchema.shape, code: codeSchema.nullable() }),
  errors: ['room_exists', 'capacity'],
  async run(context, { body }) {
    const { name = `room-${secretName()}`, codeMinutes, ...rest } = body
    if (context.plans.find(name) || context.relay.rooms.has(name)) throw new ControlError('room_exists')
    const added = await context.plans.add({ room: name, ...rest, createdAt: isoTime(context.wall()) })
    if (!added) throw new ControlError('room_exists')
    context.lives.create(name)
    const code =
      codeMinutes === undefined ? undefined : await context.codes.issue(name, codeMinutes * MINUTE_MS)
    const issued = (await context.codes.of(name)).find(each => each.code === code)
    return { ...roomView(context, name), code: issued ? codeView(context, issued) : null }
  },
})

const roomsSchema = z.strictObject({ rooms: z.array(roomSchema), next: z.string().nullable() })

export const listRooms = operation({
  id: 'listRooms',
  method: 'GET',
  path: '/rooms',
  group: 'Rooms',
  summary: 'Lists rooms',
  about: 'By name. `after` continues after a name: `next` of the previous page, null on the last page.',
  query: z.strictObject({
    limit: z.coerce.number().int().min(1).max(MOST_PER_PAGE).default(50).describe('Rooms per page.'),
    after: z.string().max(128).optional().describe('Only rooms after this name.'),
  }),
  status: 200,
  answer: roomsSchema,
  errors: [],
  async run(context, { query: { limit, after }, raw }) {
    const names = new Set([...context.relay.rooms.keys(), ...Array.from(context.plans, ({ room }) => room)])
    const views = new Map(
      Array.from(names)
        .filter(name => after === undefined || name > after)
        .map(name => [name, roomView(context, name)]),
    )
    // Every node knows the created rooms; the one with the participants knows more.
    const parts = ((await context.forwarding?.others(raw)) ?? []).map(part => roomsSchema.parse(part))
    for (const { rooms } of parts)
      for (const room of rooms) if (views.get(room.name)?.state !== 'open') views.set(room.name, room)
    const behind = Array.from(views.keys()).sort()
    const page = behind.slice(0, limit)
    return {
      rooms: page.map(name => views.get(name)!),
      next:
        behind.length > page.length || parts.some(part => part.next !== null) ? (page.at(-1) ?? null) : null,
    }
  },
})

export const getRoom = operation({
  id: 'getRoom',
  method: 'GET',
  path: '/rooms/{room}',
  group: 'Rooms',
  summary: 'Gets a room',
  about: '',
  params: roomParams,
  status: 200,
  answer: roomSchema,
  errors: ['room_unknown'],
  run(context, { params: { room } }) {
    assertRoom(context, room)
    return roomView(context, room)
  },
})

export const endRoomNow = operation({
  id: 'endRoom',
  method: 'DELETE',
  path: '/rooms/{room}',
  group: 'Rooms',
  summary: 'Ends a room',
  about:
    'Hangs up on all participants, after a spoken goodbye with `goodbye=true`, and cancels calls on their way to the room. Its join codes, links and captions end too, and are not valid for a later room of the same name. Succeeds also if the room ended recently.',
  params: roomParams,
  query: z.strictObject({ goodbye: z.enum(['true', 'false']).default('false') }),
  status: 200,
  answer: z.strictObject({ name: z.string(), ended: z.literal(true) }),
  errors: ['room_unknown'],
  async run(context, { params: { room }, query: { goodbye } }) {
    const known = context.relay.rooms.has(room) || context.plans.find(room) !== undefined
    if (!known && !context.departed.has('room', room)) throw new ControlError('room_unknown')
    await context.calls.hangUpCalling(room)
    if (known) await endRoom(context, room, goodbye === 'true' ? 'goodbye' : undefined)
    return { name: room, ended: true }
  },
})

/** Letters and digits that are not easily confused. */
function secretName(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789'
  return Array.from({ length: 12 }, () => letters[randomInt(letters.length)]).join('')
}
