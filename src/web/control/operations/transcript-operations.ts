import { z } from 'zod'
import { LINES } from '../../transcript/cue.ts'
import { exported, TRANSCRIPT_FORMATS, TRANSCRIPT_TYPES } from '../../transcript/export.ts'
import type { Transcript } from '../../transcript/transcript.ts'
import { transcriptSchema, transcriptSummarySchema } from '../answer-schemas.ts'
import { ControlError } from '../control-error.ts'
import { Document, operation } from '../operation.ts'
import { id, language, roomName, roomParams } from '../request-schemas.ts'
import { assertRoom } from '../views.ts'

const params = z.strictObject({ transcript: id.describe('The id of the transcript.') })
const query = z.strictObject({
  format: z.enum(TRANSCRIPT_FORMATS).default('json'),
  to: language.optional().describe('Only what was translated into this language.'),
  lines: z.enum(LINES).default('both').describe('Which texts subtitles and text show.'),
})
const types = [TRANSCRIPT_TYPES.srt, TRANSCRIPT_TYPES.vtt, TRANSCRIPT_TYPES.text]
const group = 'Transcripts'

function shown(transcript: Transcript | undefined, wish: z.output<typeof query>): Document {
  if (!transcript) throw new ControlError('transcript_unknown')
  return new Document(`${TRANSCRIPT_TYPES[wish.format]}; charset=utf-8`, exported(transcript, wish))
}

export const roomTranscript = operation({
  id: 'roomTranscript',
  method: 'GET',
  path: '/rooms/{room}/transcript',
  group,
  summary: 'What was said in an open room so far',
  about: 'Whole utterances, in the order in which they were said.',
  params: roomParams,
  query,
  status: 200,
  answer: transcriptSchema,
  types,
  errors: ['room_unknown', 'transcript_unknown'],
  run(floor, { params: { room }, query: wish }) {
    assertRoom(floor, room)
    return shown(floor.transcripts.of(room), wish)
  },
})

export const forgetRoomTranscript = operation({
  id: 'forgetRoomTranscript',
  method: 'DELETE',
  path: '/rooms/{room}/transcript',
  group,
  summary: 'Forgets what was said in an open room so far',
  about: 'Captions that could be replayed included. What is said from now on is kept again.',
  params: roomParams,
  status: 200,
  answer: z.strictObject({ id: z.string(), deleted: z.literal(true) }),
  errors: ['room_unknown', 'transcript_unknown'],
  async run(floor, { params: { room } }) {
    assertRoom(floor, room)
    const transcript = floor.transcripts.of(room)
    floor.desk.forget(room)
    if (!transcript || !(await floor.transcripts.delete(transcript.id)))
      throw new ControlError('transcript_unknown')
    return { id: transcript.id, deleted: true }
  },
})

export const listTranscripts = operation({
  id: 'listTranscripts',
  method: 'GET',
  path: '/transcripts',
  group,
  summary: 'Transcripts there are',
  about: 'Of open rooms, and those that the settings (`transcripts`) keep, the oldest first.',
  query: z.strictObject({ room: roomName.optional().describe('Only of this room.') }),
  status: 200,
  answer: z.strictObject({ transcripts: z.array(transcriptSummarySchema) }),
  errors: [],
  run: (floor, { query: { room } }) => ({
    transcripts: floor.transcripts.list().filter(each => room === undefined || each.room === room),
  }),
})

export const getTranscript = operation({
  id: 'getTranscript',
  method: 'GET',
  path: '/transcripts/{transcript}',
  group,
  summary: 'One transcript',
  about: '',
  params,
  query,
  status: 200,
  answer: transcriptSchema,
  types,
  errors: ['transcript_unknown'],
  run: async (floor, { params: { transcript }, query: wish }) =>
    shown(await floor.transcripts.read(transcript), wish),
})

export const deleteTranscript = operation({
  id: 'deleteTranscript',
  method: 'DELETE',
  path: '/transcripts/{transcript}',
  group,
  summary: 'Deletes a transcript',
  about: 'At once, from memory and disk. That of an open room begins again.',
  params,
  status: 200,
  answer: z.strictObject({ id: z.string(), deleted: z.literal(true) }),
  errors: ['transcript_unknown'],
  async run(floor, { params: { transcript } }) {
    const room = floor.transcripts.list().find(each => each.id === transcript && !each.endedAt)?.room
    if (room !== undefined) floor.desk.forget(room)
    if (!(await floor.transcripts.delete(transcript))) throw new ControlError('transcript_unknown')
    return { id: transcript, deleted: true }
  },
})
