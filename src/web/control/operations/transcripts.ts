import { z } from 'zod'
import { exported, LINES, TRANSCRIPT_FORMATS, TRANSCRIPT_TYPES } from '../../transcripts/formats.ts'
import { type Transcript, transcriptSchema, transcriptSummarySchema } from '../../transcripts/transcript.ts'
import { assertLinkOpens, bearerOf } from '../auth.ts'
import type { ControlContext } from '../control-context.ts'
import { ControlError } from '../errors.ts'
import { Document, operation } from '../operation.ts'
import { id, language, linkToken, roomName, roomParams } from '../schemas.ts'
import { assertRoom } from '../views.ts'

const params = z.strictObject({ transcript: id.describe('The ID of the transcript.') })
const query = z.strictObject({
  format: z.enum(TRANSCRIPT_FORMATS).default('json'),
  to: language.optional().describe('Only translations into this language.'),
  lines: z.enum(LINES).default('both').describe('Texts to include in subtitles and plain text.'),
})
const roomQuery = query.extend({
  life: id
    .optional()
    .describe('The ID of a life of the room, including an ended one. Default: the current one.'),
  token: linkToken,
})
const types = [TRANSCRIPT_TYPES.srt, TRANSCRIPT_TYPES.vtt, TRANSCRIPT_TYPES.text]
const group = 'Transcripts'

function shown(transcript: Transcript | undefined, wish: z.output<typeof query>): Document {
  if (!transcript) throw new ControlError('transcript_unknown')
  return new Document(`${TRANSCRIPT_TYPES[wish.format]}; charset=utf-8`, exported(transcript, wish))
}

/** Returns a stored life of `room`; a link opens only lives of its own room, which it could have read. */
async function endedLife(
  { transcripts, links }: ControlContext,
  room: string,
  life: string,
  token: string | undefined,
): Promise<Transcript | undefined> {
  if (token !== undefined && !links.opensTranscript(token, room, life)) return undefined
  const kept = transcripts.list().find(each => each.id === life && each.room === room)
  const madeAt = token === undefined ? 0 : (links.madeAt(token, room) ?? Number.POSITIVE_INFINITY)
  if (kept?.endedAt === undefined || Date.parse(kept.endedAt) < madeAt) return undefined
  return await transcripts.read(life)
}

export const roomTranscript = operation({
  id: 'roomTranscript',
  method: 'GET',
  path: '/rooms/{room}/transcript',
  group,
  summary: 'Gets the transcript of an open room so far',
  about:
    'Complete utterances, in the order in which they were spoken. With `life`, also of a room that has ended, if the settings (`transcripts`) keep its transcript; with a link, only if the room ended after the link was created.',
  access: 'link',
  params: roomParams,
  query: roomQuery,
  status: 200,
  answer: transcriptSchema,
  types,
  errors: ['room_unknown', 'transcript_unknown'],
  async run(context, { params: { room }, query: { life, token: _, ...wish }, raw }) {
    const bearer = bearerOf(raw, room, context)
    const token = bearer?.token
    if (bearer && !context.linkReaders.takeTranscript(bearer))
      throw new ControlError('too_many_requests', undefined, { 'retry-after': '1' })
    const open = context.transcripts.of(room)
    if (life !== undefined && life !== open?.id)
      return shown(await endedLife(context, room, life, token), wish)
    assertLinkOpens(context, room, token)
    assertRoom(context, room)
    return shown(open, wish)
  },
})

export const forgetRoomTranscript = operation({
  id: 'forgetRoomTranscript',
  method: 'DELETE',
  path: '/rooms/{room}/transcript',
  group,
  summary: 'Clears the transcript of an open room',
  about: 'Also clears captions kept for replay. Later speech is kept again.',
  params: roomParams,
  status: 200,
  answer: z.strictObject({ id: z.string(), deleted: z.literal(true) }),
  errors: ['room_unknown', 'transcript_unknown'],
  async run(context, { params: { room } }) {
    assertRoom(context, room)
    const transcript = context.transcripts.of(room)
    context.captionHub.forget(room)
    if (!transcript || !(await context.transcripts.delete(transcript.id)))
      throw new ControlError('transcript_unknown')
    return { id: transcript.id, deleted: true }
  },
})

const transcriptsSchema = z.strictObject({ transcripts: z.array(transcriptSummarySchema) })

export const listTranscripts = operation({
  id: 'listTranscripts',
  method: 'GET',
  path: '/transcripts',
  group,
  summary: 'Lists the transcripts',
  about: 'Of open rooms, and those kept by the settings (`transcripts`), oldest first.',
  query: z.strictObject({ room: roomName.optional().describe('Only of this room.') }),
  status: 200,
  answer: transcriptsSchema,
  errors: [],
  async run(context, { query: { room }, raw }) {
    const own = context.transcripts.list().filter(each => room === undefined || each.room === room)
    const parts = ((await context.forwarding?.others(raw)) ?? []).map(part => transcriptsSchema.parse(part))
    const all = [...own, ...parts.flatMap(({ transcripts }) => transcripts)]
    return { transcripts: all.sort((a, b) => a.openedAt.localeCompare(b.openedAt)) }
  },
})

export const getTranscript = operation({
  id: 'getTranscript',
  method: 'GET',
  path: '/transcripts/{transcript}',
  group,
  summary: 'Gets a transcript',
  about: '',
  params,
  query,
  status: 200,
  answer: transcriptSchema,
  types,
  errors: ['transcript_unknown'],
  run: async (context, { params: { transcript }, query: wish }) =>
    shown(await context.transcripts.read(transcript), wish),
})

export const deleteTranscript = operation({
  id: 'deleteTranscript',
  method: 'DELETE',
  path: '/transcripts/{transcript}',
  group,
  summary: 'Deletes a transcript',
  about: 'Deletes it at once from memory and disk. The transcript of an open room starts again.',
  params,
  status: 200,
  answer: z.strictObject({ id: z.string(), deleted: z.literal(true) }),
  errors: ['transcript_unknown'],
  async run(context, { params: { transcript } }) {
    const room = context.transcripts.list().find(each => each.id === transcript && !each.endedAt)?.room
    if (room !== undefined) context.captionHub.forget(room)
    if (!(await context.transcripts.delete(transcript))) throw new ControlError('transcript_unknown')
    return { id: transcript, deleted: true }
  },
})
