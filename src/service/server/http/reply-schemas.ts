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

/** What the service answers, as schemas: the description of the interface is made of them, and tests check answers. */

const languageId = z
  .string()
  .regex(/^[a-z]{2,3}-([a-z]{2}|[0-9]{3})$/)
  .describe('<language>-<region>, lower case')

export const errorSchema: z.ZodType<ServiceErrorBody> = z.strictObject({
  code: z.string().describe('The general code.'),
  error: z.string().describe('The specific code.'),
  description: z.string().describe('For people; it may change.'),
})

export const healthSchema = z.strictObject({
  status: z.literal('ok'),
  sessions: z.int().min(0).describe('Sessions that are open, batch jobs among them.'),
  maxSessions: z.int().min(1),
  behindMs: z.int().min(0).describe('The furthest that results were behind a voice in the last 5 s (ms).'),
  busy: z
    .number()
    .min(0)
    .max(1)
    .describe('Share of the recogniser’s threads that were busy in the last seconds.'),
  keyFile: z
    .strictObject({
      status: z.enum(['current', 'missing', 'unreadable', 'invalid']),
      revision: z.string().optional().describe('Names the version of the file that is in force.'),
    })
    .optional()
    .describe(
      'Whether the keys of the key file are in force. Of a file that is missing or unreadable none is accepted.',
    ),
  engines: z
    .strictObject({
      transcription: z.array(z.string()),
      translation: z.array(z.string()),
      synthesis: z.array(z.string()),
    })
    .describe('Names of the engines that work here.'),
})

export const languagesSchema: z.ZodType<LanguageEntry[]> = z.array(
  z.strictObject({
    languageId,
    name: z.string(),
    transcription: z.boolean().describe('Speech in it is understood.'),
    translation: z.array(languageId).describe('What text in it is translated into.'),
    synthesis: z.boolean().describe('There is a voice for it.'),
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

/** A whole number of bytes. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

const buffer = z.strictObject({ type: z.literal('Buffer'), data: z.array(z.int().min(0).max(255)) })

const file = z
  .strictObject({
    data: z
      .union([buffer, z.string().regex(BASE64)])
      .describe('The mp3: bytes as Node writes them, or base64.'),
    codec: z.literal('mp3'),
    sampleRate: z.int().describe('Hz'),
    encoding: z.literal('base64').optional().describe('Only with `dataEncoding=base64`.'),
  })
  .describe('Absent when there was nothing to say.')

const utterance = {
  id: z.string(),
  text: z.string(),
  startMs: z.int().min(0),
  endMs: z.int().min(0),
}
const heard = z.strictObject(utterance) satisfies z.ZodType<BatchUtterance>
const interpreted = z.strictObject({ ...utterance, translation: z.string() })

/** Answers of `POST /api/batch/file` by mode. */
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
