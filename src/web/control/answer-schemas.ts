import { z } from 'zod'
import { ORIGINAL_VOICES } from '../../core/party-state.ts'

/** What the control API answers, as schemas: its description is made of them, and tests check answers against them. */

const languageId = z.string().describe('Like `en-us`.')
const time = z.string().describe('ISO 8601.')

export const errorSchema = z.strictObject({
  code: z.string().describe('The general code.'),
  error: z.string().describe('The specific code.'),
  description: z.string().describe('For people; it may change.'),
})

export const recordingSchema = z.strictObject({
  id: z.string(),
  room: z.string(),
  state: z
    .enum(['notice', 'recording', 'paused', 'ended'])
    .describe('`notice`: people are being told of it, nothing is kept yet.'),
  keptMs: z.number().describe('Sound kept so far, without pauses.'),
  fault: z
    .enum(['disk-failed', 'disk-slow'])
    .optional()
    .describe('Sound is missing since the disk failed or is too slow; absent: nothing is wrong.'),
})

export const participantSchema = z.strictObject({
  id: z.string(),
  room: z.string(),
  channel: z.string().describe('The bridge they came by, like `twilio`.'),
  since: time,
  speaks: languageId.nullable().describe('null: they only listen.'),
  hears: languageId.nullable().describe('null: only original voices.'),
  original: z.enum(ORIGINAL_VOICES),
  name: z.string().nullable(),
  muted: z.boolean(),
  interpreting: z.boolean(),
  backlogMs: z.number().describe('Translation that waits to be heard by them, of the speaker with most.'),
  lagMs: z
    .number()
    .describe('By how much later they hear a translation than they could, of the speaker with most.'),
  sessions: z
    .array(
      z.strictObject({
        to: languageId,
        status: z.enum(['opening', 'live', 'waiting', 'ended']).describe('Anything but `live`: away.'),
      }),
    )
    .describe('Translations of their voice.'),
})

export const codeSchema = z.strictObject({
  code: z.string().regex(/^\d{6}$/),
  room: z.string(),
  expiresAt: time,
})

export const roomSchema = z.strictObject({
  name: z.string(),
  state: z.enum(['empty', 'open']).describe('`empty`: created, and nobody is in it.'),
  life: z.string().nullable().describe('Id of the time from its first participant to its last.'),
  openedAt: time.nullable(),
  createdAt: time.nullable().describe('null: nobody created it; somebody came in.'),
  languages: z.array(languageId).nullable().describe('What may be spoken and heard; null: anything.'),
  maxParticipants: z.number().nullable(),
  maxMinutes: z.number().nullable(),
  participants: z.number().describe('How many are in it.'),
  recording: recordingSchema.shape.state.nullable(),
})

export const callSchema = z.strictObject({
  id: z.string(),
  room: z.string(),
  placedAt: time,
  state: z.enum(['calling', 'answered', 'ended']),
  participant: z.string().optional().describe('Once answered.'),
  end: z
    .enum(['hangup', 'busy', 'no-answer', 'voicemail', 'cancelled', 'failed'])
    .optional()
    .describe('Once ended; `hangup`: after it was answered.'),
  errorCode: z.string().optional().describe('Of a call that failed.'),
})

export const playedSchema = z.strictObject({
  announcements: z.array(
    z.strictObject({
      id: z.string().optional().describe('By which it can be stopped; absent when it failed.'),
      participant: z.string(),
      language: languageId.optional().describe('In which it is spoken.'),
      error: z.string().optional().describe('Why this participant hears nothing.'),
    }),
  ),
})

export const linkSchema = z.strictObject({
  url: z.string().describe('The stream: path and query on this server.'),
  page: z.string().describe('The page that shows it: path on this server, with the token behind `#`.'),
  token: z.string(),
  expiresAt: time,
})

export const roomLinkSchema = z.strictObject({
  page: z.string().describe('The page to talk into: path on this server, with the token behind `#`.'),
  token: z.string(),
  expiresAt: time,
})

export const transcriptSummarySchema = z.strictObject({
  id: z.string(),
  room: z.string(),
  openedAt: time,
  endedAt: time.optional().describe('Absent while the room is open.'),
  deletedAt: time.optional().describe('When it will be deleted.'),
})

export const transcriptSchema = z.strictObject({
  ...transcriptSummarySchema.shape,
  entries: z.array(
    z.strictObject({
      utterance: z.string(),
      speaker: z.string(),
      name: z.string().optional(),
      system: z.literal(true).optional().describe('It was said by `say`: the speaker is `system`.'),
      from: languageId,
      to: languageId,
      text: z.string(),
      translation: z.string(),
      startMs: z.number().describe('From the opening of the room.'),
      endMs: z.number(),
    }),
  ),
  dropped: z.number().describe('Entries that were forgotten, since there were too many.'),
})

export const webhookSchema = z.strictObject({
  name: z.string(),
  waiting: z.number(),
  delivered: z.number(),
  failures: z.number().describe('Attempts that failed.'),
  givenUp: z.number().describe('Events given up after the last attempt.'),
  dropped: z.number().describe('Events dropped since too many waited.'),
})
