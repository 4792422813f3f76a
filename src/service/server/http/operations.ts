import { z } from 'zod'
import { BATCH_PARAMETERS } from '../batch/job-form.ts'
import type { ErrorName } from '../errors.ts'
import { STREAM_PATH } from '../session/audio-stream.ts'
import { type Parameter, VOICE_PARAMETERS } from './parameters.ts'
import { batchSchemas, healthSchema, languagesSchema, voicesSchema } from './reply-schemas.ts'

/** Errors of the batch endpoint, in addition to those of every request. */
const BATCH_ERRORS: readonly ErrorName[] = [
  'not_multipart',
  'form_malformed',
  'form_field_unknown',
  'parameter_missing',
  'parameter_unknown',
  'parameter_repeated',
  'mode_not_supported',
  'value_not_allowed',
  'not_json',
  'field_unknown',
  'obtain_not_supported',
  'codec_not_supported',
  'rate_not_supported',
  'language_missing',
  'language_malformed',
  'language_unknown',
  'language_not_transcribed',
  'pair_not_offered',
  'voice_not_offered',
  'file_missing',
  'empty_file',
  'text_empty',
  'file_not_text',
  'format_unknown',
  'coding_not_supported',
  'file_damaged',
  'truncated',
  'language_not_detected',
  'too_large',
  'too_long',
  'text_too_long',
  'too_many_jobs',
  'too_many_sessions',
  'service_behind',
  'key_sessions_taken',
  'key_revoked',
  'minutes_used_up',
  'upload_too_slow',
  'job_too_long',
  'transcription_missing',
  'translation_missing',
  'synthesis_missing',
  'transcription_failed',
  'translation_failed',
  'synthesis_failed',
]

/** An operation of the HTTP interface; the OpenAPI document and the request collection are generated from it. */
export interface ServiceOperation {
  readonly id: string
  readonly method: 'GET' | 'POST'
  /** Names in braces are path parameters. */
  readonly path: string
  readonly group: string
  readonly summary: string
  readonly about: string
  /** No key is required. */
  readonly open?: boolean
  readonly query?: readonly Parameter[]
  /** Fields of a multipart form, also accepted in the query. The form has a `file` as well. */
  readonly form?: readonly Parameter[]
  /** Response schema by media type; null for bytes or a page. */
  readonly answers: Readonly<Record<string, z.ZodType | null>>
  readonly errors: readonly ErrorName[]
}

const KEYED = ['key_missing', 'key_wrong', 'too_many_attempts'] as const
const ALWAYS = ['request_malformed', 'origin_not_allowed', 'unexpected'] as const

/** All operations of the service. A test fails for a route that is not listed here. */
export const OPERATIONS: readonly ServiceOperation[] = [
  {
    id: 'health',
    method: 'GET',
    path: '/health',
    group: 'Operation',
    summary: 'Service health',
    about: 'Number of open sessions, delay of results behind speech, and available engines.',
    open: true,
    answers: { 'application/json': healthSchema },
    errors: ALWAYS,
  },
  {
    id: 'languages',
    method: 'GET',
    path: '/api/languages',
    group: 'Languages and voices',
    summary: 'List of languages',
    about: 'Languages that the installed engines support.',
    answers: { 'application/json': languagesSchema },
    errors: [...KEYED, 'parameter_unknown', ...ALWAYS],
  },
  {
    id: 'voices',
    method: 'GET',
    path: '/api/voices',
    group: 'Languages and voices',
    summary: 'List of voices',
    about: 'The default voice of each language comes first. Filters can be combined.',
    query: VOICE_PARAMETERS,
    answers: { 'application/json': voicesSchema },
    errors: [
      ...KEYED,
      'language_malformed',
      'mode_not_supported',
      'value_not_allowed',
      'parameter_unknown',
      'parameter_repeated',
      ...ALWAYS,
    ],
  },
  {
    id: 'batchFile',
    method: 'POST',
    path: '/api/batch/file',
    group: 'Files',
    summary: 'Transcribes, translates or speaks one file',
    about:
      'Audio is wav, mp3, ogg with Opus, or WebM with Opus. The response has exactly the fields of the mode. With `Accept: audio/mpeg` it is the mp3 alone, if there is one. Live sessions take precedence: a job pauses while live speech has to wait, and is rejected with `Retry-After` while the service is further behind than `admitLagMs` or has no free slot.',
    form: BATCH_PARAMETERS,
    answers: { 'application/json': z.union(Object.values(batchSchemas)), 'audio/mpeg': null },
    errors: [...KEYED, ...BATCH_ERRORS, ...ALWAYS],
  },
  {
    id: 'stream',
    method: 'GET',
    path: `${STREAM_PATH}{name}`,
    group: 'Sessions',
    summary: 'Streamed audio of a session',
    about:
      'The address sent in `start` when streamed audio was requested: one mp3 that lasts as long as the session. The name is secret, so no key is required.',
    open: true,
    answers: { 'audio/mpeg': null },
    errors: ['stream_unknown', ...ALWAYS],
  },
  {
    id: 'docs',
    method: 'GET',
    path: '/docs',
    group: 'Description',
    summary: 'This description as a web page',
    about: 'A page without scripts.',
    open: true,
    answers: { 'text/html': null },
    errors: ALWAYS,
  },
  {
    id: 'docsJson',
    method: 'GET',
    path: '/docs/json',
    group: 'Description',
    summary: 'This description as JSON',
    about: 'OpenAPI 3.1.',
    open: true,
    answers: { 'application/json': z.looseObject({ openapi: z.string() }) },
    errors: ALWAYS,
  },
]
