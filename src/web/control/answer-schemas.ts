import { z } from 'zod'
import { ORIGINAL_VOICES } from '../../core/model/participant-state.ts'

/**
 * Responses of the control API as schemas: the API description is generated from them, and tests check responses
 * against them.
 */

const languageField = z.string().describe('Like `en-us`.')
const time = z.string().describe('ISO 8601.')

export const errorSchema = z.strictObject({
  code: z.string().describe('The general code.'),
  error: z.string().describe('The specific code.'),
  description: z.string().describe('For people; the text can change.'),
})

export const recordingSchema = z.strictObject({
  id: z.string(),
  room: z.string(),
  state: z
    .enum(['notice', 'recording', 'paused', 'ended'])
    .describe('`notice`: participants are being notified; nothing is recorded yet.'),
  keptMs: z.number().describe('Audio recorded so far, without pauses.'),
  fault: z
    .enum(['disk-failed', 'disk-slow'])
    .optional()
    .describe('Audio is missing, because the disk failed or is too slow. Absent: no problem.'),
})

export const participantSchema = z.strictObject({
  id: z.string(),
  room: z.string(),
  channel: z.string().describe('The channel of the participant, like `twilio`.'),
  since: time,
  speaks: languageField.nullable().describe('null: they only listen.'),
  hears: languageField.nullable().describe('null: only original voices.'),
  original: z.enum(ORIGINAL_VOICES),
  name: z.string().nullable(),
  muted: z.boolean(),
  interpreting: z.boolean(),
  backlogMs: z.number().describe('Pending translation of the speaker with the largest backlog.'),
  lagMs: z.number().describe('How late they hear translations, for the speaker with the largest lag.'),
  sessions: z
    .array(
      z.strictObject({
        to: languageField,
        status: z
          .enum(['opening', 'live', 'waiting', 'ended'])
          .describe('Any value other than `live`: unavailable.'),
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
  state: z.enum(['empty', 'open']).describe('`empty`: created, without participants.'),
  life: z.string().nullable().describe('ID of the time from the first participant to the last.'),
  openedAt: time.nullable(),
  createdAt: time.nullable().describe('null: the room was not created, but opened by a call.'),
  languages: z.array(languageField).nullable().describe('Languages allowed in the room; null: any.'),
  maxParticipants: z.number().nullable(),
  maxMinutes: z.number().nullable(),
  participants: z.number().describe('Number of participants.'),
  recording: recordingSchema.shape.state.nullable(),
})

export const callSchema = z.strictObject({
  id: z.string(),
  room: z.string(),
  placedAt: time,
  state: z.enum(['calling', 'answered', 'ended']),
  participant: z.string().optional().describe('Present once answered.'),
  end: z
    .enum(['hangup', 'busy', 'no-answer', 'voicemail', 'cancelled', 'failed'])
    .optional()
    .describe('Present once ended. `hangup`: after an answer.'),
  errorCode: z.string().optional().describe('Present if the call failed.'),
})

export const playedSchema = z.strictObject({
  announcements: z.array(
    z.strictObject({
      id: z.string().optional().describe('ID for stopping it; absent if it failed.'),
      participant: z.string(),
      language: languageField.optional().describe('Language in which it is spoken.'),
      error: z.string().optional().describe('Why this participant does not hear it.'),
    }),
  ),
})

export const linkSchema = z.strictObject({
  url: z.string().describe('The stream: path and query on this server.'),
  page: z.string().describe('The caption page: path on this server, with the token after `#`.'),
  token: z.string(),
  expiresAt: time,
})

export const roomLinkSchema = z.strictObject({
  page: z.string().describe('The talk page: path on this server, with the token after `#`.'),
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
      system: z.literal(true).optional().describe('Spoken by `say`; the speaker is `system`.'),
      from: languageField,
      to: languageField,
      text: z.string(),
      translation: z.string(),
      startMs: z.number().describe('Time since the room opened.'),
      endMs: z.number(),
    }),
  ),
  dropped: z.number().describe('Entries dropped because of the limit.'),
})

export const webhookSchema = z.strictObject({
  name: z.string(),
  waiting: z.number(),
  delivered: z.number(),
  failures: z.number().describe('Failed attempts.'),
  givenUp: z.number().describe('Events dropped after the last attempt.'),
  dropped: z.number().describe('Events dropped because the queue was full.'),
})
