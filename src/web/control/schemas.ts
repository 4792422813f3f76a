import { z } from 'zod'
import { languageSchema } from '../../common/setting-fields.ts'
import { ORIGINAL_VOICES } from '../../core/model/participant-state.ts'
import { GETS, WHYS } from '../../core/model/reception.ts'

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
    .describe('`notice`: participants are being notified; the recording has not started.'),
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
  lagMs: z
    .number()
    .describe('Current lag of the translations they hear, for the speaker with the largest lag.'),
  sessions: z
    .array(
      z.strictObject({
        to: languageField,
        status: z
          .enum(['idle', 'opening', 'queued', 'live', 'waiting', 'ended'])
          .describe(
            'State of the connection to the service. `idle`: they are silent; `queued`: all sessions of the service are in use; `ended`: the service refused it.',
          ),
      }),
    )
    .describe('Translations of their voice.'),
  receptions: z
    .array(
      z.strictObject({
        speaker: z.string().describe('ID of the speaker.'),
        to: languageField.nullable().describe('The language of the translation; null: they need none.'),
        gets: z
          .enum(GETS)
          .describe(
            '`translated`; `stand-in`: translated by a replacement of a preferred engine or service; `original`: they need no translation; `unavailable`: the translation that they need is missing, and they hear the original; `nothing`: the speaker is muted, or they hear each other in the same place.',
          ),
        why: z.enum(WHYS).nullable().describe('The reason; null if translated.'),
        missed: z
          .boolean()
          .describe('The speaker has spoken since the translation is `unavailable`, so they miss it.'),
      }),
    )
    .describe('What they get from each speaker now.'),
})

export const codeSchema = z.strictObject({
  code: z.string().regex(/^\d{8}$/),
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
  listeners: z
    .array(z.strictObject({ language: languageField, listeners: z.number() }))
    .describe('Number of people who listen by links for listening, by language.'),
  recording: recordingSchema.shape.state.nullable(),
})

export const callSchema = z.strictObject({
  id: z.string(),
  room: z.string(),
  placedAt: time,
  state: z.enum(['calling', 'answered', 'ended']),
  participant: z.string().optional().describe('Present once answered.'),
  end: z
    .enum(['hangup', 'busy', 'no-answer', 'voicemail', 'canceled', 'failed'])
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
  page: z.string().describe('The page: path on this server, with the token after `#`.'),
  token: z.string(),
  expiresAt: time,
})

export const webhookSchema = z.strictObject({
  name: z.string(),
  waiting: z.number(),
  delivered: z.number(),
  failures: z.number().describe('Failed attempts.'),
  givenUp: z.number().describe('Events dropped after the last attempt.'),
  dropped: z.number().describe('Events dropped because the queue was full.'),
})

/** Schemas shared by several operations. Every text has a maximum length. */

/** No control characters: the text is displayed, spoken and sent to other programs. */
const PRINTABLE = /^[^\p{Cc}]*$/u

/** `en_US` and `en` are accepted and become `en-us`. */
export const language = z
  .string()
  .max(16)
  .meta({ examples: ['en-us'] })
  .pipe(languageSchema)
  .describe('A language.')

/** The name of any room, including rooms not created by the API. */
export const roomName = z
  .string()
  .min(1)
  .max(128)
  .meta({ description: 'The name of the room.', examples: ['lobby'] })

/** Our IDs of participants, calls and so on. */
export const id = z.string().min(1).max(128)

export const roomParams = z.strictObject({ room: roomName })

/** A display name. */
export const displayName = z
  .string()
  .min(1)
  .max(64)
  .regex(PRINTABLE, 'no control characters')
  .describe('Shown with captions.')

export const original = z.enum(ORIGINAL_VOICES).describe('Volume of original voices under their translation.')

/** Whole minutes up to `most`. */
export function minutes(most: number) {
  return z.int().min(1).max(most)
}

/** Recipients of an announcement. */
export const listeners = z
  .array(id)
  .min(1)
  .max(100)
  .optional()
  .describe('IDs of participants of the room. Default: all.')

/** A text to speak. */
export const spokenText = z.string().trim().min(1).max(1_000).regex(PRINTABLE, 'no control characters')

/** In the query, for clients that cannot send headers. */
export const linkToken = z.string().max(1_024).optional().describe('The token of a link, instead of a key.')

/** `true` and `false` in a query. */
export const flag = z.enum(['true', 'false']).transform(text => text === 'true')
