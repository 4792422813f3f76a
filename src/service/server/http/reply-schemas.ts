import { z } from 'zod'
import {
  type BatchUtterance,
  type LanguageEntry,
  MODES,
  type ServiceErrorBody,
  VOICE_ENGINES,
  VOICE_GENDERS,
  type VoiceEntry,
} from '../../contract.ts'

/**
 * Schemas of the service's responses. The interface description is generated from them, and tests validate responses.
 */

const languageId = z
  .string()
  .regex(/^[a-z]{2,3}-([a-z]{2}|[0-9]{3})$/)
  .describe('<language>-<region>, lower case')

export const errorSchema: z.ZodType<ServiceErrorBody> = z.strictObject({
  code: z.string().describe('The general code.'),
  error: z.string().describe('The specific code.'),
  description: z.string().describe('Human-readable; subject to change.'),
})

export const healthSchema = z.strictObject({
  status: z.literal('ok'),
  sessions: z.int().min(0).describe('Open sessions, including batch jobs.'),
  maxSessions: z.int().min(1),
  behindMs: z.int().min(0).describe('Maximum delay of results behind speech in the last 5 s (ms).'),
  busy: z
    .number()
    .min(0)
    .max(1)
    .describe('Share of the recognizer’s threads that were busy in the last seconds.'),
  keyFile: z
    .strictObject({
      status: z.enum(['current', 'missing', 'unreadable', 'invalid']),
      revision: z.string().optional().describe('Identifies the active version of the file.'),
    })
    .optional()
    .describe('State of the key file. If it is missing or unreadable, none of its keys is accepted.'),
  engines: z
    .strictObject({
      transcription: z.array(z.string()),
      translation: z.array(z.string()),
      synthesis: z.array(z.string()),
      interpretation: z.array(z.string()),
    })
    .describe('Names of the available engines.'),
  understood: z.array(languageId).describe('Languages in which speech is recognized.'),
  spoken: z.array(languageId).describe('Languages for which there is a voice.'),
  standIns: z
    .array(
      z.strictObject({
        kind: z.enum(['transcription', 'translation', 'synthesis', 'interpretation']),
        engine: z.string().describe('The engine that was to serve.'),
        instead: z.string().describe('The engine that serves.'),
        why: z.enum(['failed', 'over_budget']),
        since: z.iso.datetime(),
      }),
    )
    .describe('Engines that serve instead of preferred ones at present.'),
  missing: z
    .array(
      z.strictObject({
        kind: z.enum(['transcription', 'translation', 'synthesis', 'interpretation']),
        engine: z.string(),
        reason: z.string().describe('For people.'),
      }),
    )
    .describe('Engines of the settings, and installed models, that are not available until the next start.'),
})

export const languagesSchema: z.ZodType<LanguageEntry[]> = z.array(
  z.strictObject({
    languageId,
    name: z.string(),
    transcription: z.boolean().describe('Speech in this language is recognized.'),
    translation: z.array(languageId).describe('Target languages for text in this language.'),
    synthesis: z.boolean().describe('A voice is available.'),
  }),
)

export const voicesSchema: z.ZodType<VoiceEntry[]> = z.array(
  z.strictObject({
    voiceId: z.string(),
    name: z.string(),
    languageId,
    voiceGender: z.enum(VOICE_GENDERS),
    voiceEngine: z.enum(VOICE_ENGINES),
    modes: z.array(z.enum(MODES)),
  }),
)

/** Base64 of a whole number of bytes. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

const buffer = z.strictObject({ type: z.literal('Buffer'), data: z.array(z.int().min(0).max(255)) })

const file = z
  .strictObject({
    data: z
      .union([buffer, z.string().regex(BASE64)])
      .describe('The mp3: bytes as Node serializes them, or base64.'),
    codec: z.literal('mp3'),
    sampleRate: z.int().describe('Hz'),
    encoding: z.literal('base64').optional().describe('Only with `dataEncoding=base64`.'),
  })
  .describe('Absent when there was nothing to speak.')

const utterance = {
  id: z.string(),
  text: z.string(),
  startMs: z.int().min(0),
  endMs: z.int().min(0),
}
const heard = z.strictObject(utterance) satisfies z.ZodType<BatchUtterance>
const interpreted = z.strictObject({ ...utterance, translation: z.string() })

/** Responses of `POST /api/batch/file` by mode. */
export const batchSchemas = {
  stt: z.strictObject({
    languageIdSource: languageId,
    text: z.string(),
    utterances: z.array(heard),
    durationMs: z.int().min(0),
  }),
  translator: z.strictObject({
    languageIdSource: languageId,
    languageIdTarget: languageId,
    text: z.string(),
    translation: z.string(),
  }),
  tts: z.strictObject({ languageIdTarget: languageId, file: file.optional() }),
  sts: z.strictObject({
    languageIdSource: languageId,
    languageIdTarget: languageId,
    text: z.string(),
    translation: z.string(),
    utterances: z.array(interpreted),
    durationMs: z.int().min(0),
    file: file.optional(),
  }),
}
