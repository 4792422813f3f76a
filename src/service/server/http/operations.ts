import { z } from 'zod'
import { STREAM_PATH } from '../audio-streams.ts'
import { BATCH_PARAMETERS } from '../batch/job-parameters.ts'
import type { ErrorName } from '../error-table.ts'
import { BATCH_ERRORS } from './batch-errors.ts'
import type { Parameter } from './parameter.ts'
import { batchSchemas, healthSchema, languagesSchema, voicesSchema } from './reply-schemas.ts'
import { VOICE_PARAMETERS } from './voice-parameters.ts'

/** One thing that can be asked for over HTTP, in words: description and collection are made of these. */
export interface Operation {
  readonly id: string
  readonly method: 'GET' | 'POST'
  /** Names in braces are parts of the path. */
  readonly path: string
  readonly summary: string
  readonly about: string
  /** Nobody needs a key for it. */
  readonly open?: boolean
  readonly query?: readonly Parameter[]
  /** Fields of a multipart form; they may stand in the query as well. Beside them there is `file`. */
  readonly form?: readonly Parameter[]
  /** The answer by media type; null: bytes, or a page. */
  readonly answers: Readonly<Record<string, z.ZodType | null>>
  readonly errors: readonly ErrorName[]
}

const KEYED = ['key_missing', 'key_wrong', 'too_many_attempts'] as const
const ALWAYS = ['request_malformed', 'origin_not_allowed', 'unexpected'] as const

/** Everything the service answers over HTTP. A route that is not here fails a test. */
export const OPERATIONS: readonly Operation[] = [
  {
    id: 'health',
    method: 'GET',
    path: '/health',
    summary: 'Whether the service works',
    about:
      'How many sessions are open, how far the service is behind those who speak, and which engines there are.',
    open: true,
    answers: { 'application/json': healthSchema },
    errors: ALWAYS,
  },
  {
    id: 'languages',
    method: 'GET',
    path: '/api/languages',
    summary: 'List of languages',
    about: 'What the installed engines can really do.',
    answers: { 'application/json': languagesSchema },
    errors: [...KEYED, ...ALWAYS],
  },
  {
    id: 'voices',
    method: 'GET',
    path: '/api/voices',
    summary: 'List of voices',
    about: 'The default voice of each language before its others; filters may be combined.',
    query: VOICE_PARAMETERS,
    answers: { 'application/json': voicesSchema },
    errors: [
      ...KEYED,
      'language_malformed',
      'mode_not_supported',
      'value_not_allowed',
      'parameter_repeated',
      ...ALWAYS,
    ],
  },
  {
    id: 'batchFile',
    method: 'POST',
    path: '/api/batch/file',
    summary: 'Transcribes, translates or speaks one file',
    about:
      'Audio is wav, mp3, ogg with Opus or Vorbis, or WebM with Opus. The answer has the fields of the mode and no others. With `Accept: audio/mpeg` it is the mp3 alone, where there is one. Files wait for voices: a job pauses while somebody who speaks has to wait, and is refused with `Retry-After` while the service is further behind than `admitBehindMs`, or has no place.',
    form: BATCH_PARAMETERS,
    answers: { 'application/json': z.union(Object.values(batchSchemas)), 'audio/mpeg': null },
    errors: [...KEYED, ...BATCH_ERRORS, ...ALWAYS],
  },
  {
    id: 'stream',
    method: 'GET',
    path: `${STREAM_PATH}{name}`,
    summary: 'Streamed audio of a session',
    about:
      'The address that `start` carries when streamed audio was asked for: one mp3 that lasts as long as the session. The name is a secret of the session; no key is needed.',
    open: true,
    answers: { 'audio/mpeg': null },
    errors: ['stream_unknown', ...ALWAYS],
  },
  {
    id: 'docs',
    method: 'GET',
    path: '/docs',
    summary: 'This description, for people',
    about: 'A page without scripts.',
    open: true,
    answers: { 'text/html': null },
    errors: ALWAYS,
  },
  {
    id: 'docsJson',
    method: 'GET',
    path: '/docs/json',
    summary: 'This description, for programs',
    about: 'OpenAPI 3.1.',
    open: true,
    answers: { 'application/json': z.looseObject({ openapi: z.string() }) },
    errors: ALWAYS,
  },
]
