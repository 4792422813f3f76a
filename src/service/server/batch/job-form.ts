import type { MultipartFile } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../../common/clock.ts'
import type { LanguageId } from '../../../common/language.ts'
import type { Mp3Rate } from '../../../transcode/mp3/encoder.ts'
import { BATCH_MODES, type BatchMode } from '../../contract.ts'
import { ServiceError } from '../errors.ts'
import { type Choice, chosen, languageIn, type Parameter, VOICE_WISH_PARAMETERS } from '../http/parameters.ts'
import { knownQuery, type Query, shown, single } from '../query.ts'
import { receiveAudioOf } from '../session/parameters.ts'
import { type VoiceRequest, voiceWish } from '../voice-catalog.ts'

const DATA_ENCODINGS = ['buffer', 'base64'] as const
type DataEncoding = (typeof DATA_ENCODINGS)[number]

const MODE: Choice<BatchMode> = {
  name: 'mode',
  about:
    'Operation: `stt` transcribes, `sts` also translates and speaks, `translator` translates text, `tts` speaks text.',
  form: 'choice',
  needed: true,
  allowed: BATCH_MODES,
  error: 'mode_not_supported',
  example: 'stt',
}
const SOURCE: Parameter = {
  name: 'languageIdSource',
  about:
    'Language of the audio or text. Required by `translator`. Optional for `stt` and `sts` if speech is recognized in only one language. `tts` uses it when `languageIdTarget` is absent.',
  form: 'language',
  example: 'en-us',
}
const TARGET: Parameter = {
  name: 'languageIdTarget',
  about: 'Language of the translation and of the voice. Required by `translator`, `sts` and `tts`.',
  form: 'language',
  example: 'es-es',
}
const TEXT: Parameter = {
  name: 'text',
  about: 'Text for `translator` and `tts`, instead of `file`.',
  form: 'text',
}
const RECEIVE: Parameter = {
  name: 'receiveAudio',
  about: 'JSON object as on the socket; only `sampleRate` of the mp3 is used here. Default 16000.',
  form: 'json',
  example: '{"sampleRate":16000}',
}
const ENCODING: Choice<DataEncoding> = {
  name: 'dataEncoding',
  about:
    'Encoding of `file.data` in the JSON: `buffer` (default) is `{ "type": "Buffer", "data": [bytes] }`; `base64` is a string of about a third of that size.',
  form: 'choice',
  allowed: DATA_ENCODINGS,
  error: 'value_not_allowed',
}

/** Form fields in addition to `file`; each is also accepted in the query. */
export const BATCH_PARAMETERS: readonly Parameter[] = [
  MODE,
  SOURCE,
  TARGET,
  TEXT,
  RECEIVE,
  ...VOICE_WISH_PARAMETERS,
  ENCODING,
]

/** Parsed request parameters. */
export interface JobParameters {
  readonly mode: BatchMode
  readonly source: LanguageId | undefined
  readonly target: LanguageId | undefined
  readonly text: string | undefined
  readonly rate: Mp3Rate
  readonly wish: VoiceRequest
  readonly dataEncoding: DataEncoding
}

/** Parses the fields of form and query, each one on its own. Throws a `ServiceError`. */
export function jobParameters(fields: Query): JobParameters {
  const mode = chosen(fields, MODE)
  if (mode === undefined)
    throw new ServiceError('parameter_missing', `mode is missing, allowed: ${BATCH_MODES.join(', ')}`)
  return {
    mode,
    source: languageIn(fields, SOURCE),
    target: languageIn(fields, TARGET),
    text: single(fields, TEXT.name),
    rate: receiveAudioOf(fields).sampleRate as Mp3Rate,
    wish: voiceWish(fields),
    dataEncoding: chosen(fields, ENCODING) ?? 'buffer',
  }
}

/** Contents of a batch request. */
export interface JobForm {
  /** From the form and the query. */
  readonly fields: Query
  readonly file: Uint8Array | undefined
}

export interface FormLimits {
  readonly maxFileBytes: number
  /** Maximum field size (bytes). */
  readonly maxFieldBytes: number
  /** Called with the number of bytes received, part by part. */
  readonly received?: (bytes: number) => void
}

const FILE = 'file'
const NAMES: readonly string[] = BATCH_PARAMETERS.map(({ name }) => name)
/** Allowance for the form around the file (bytes). */
const FORM_BYTES = 64 * 1024
const MOST_PARTS = 20
/** Values of `Content-Transfer-Encoding` that leave a part as it is. HTTP has no others (RFC 7578, 4.7). */
const PLAIN_ENCODINGS = ['7bit', '8bit', 'binary']
/** Maximum bytes per character in UTF-8. */
export const CHARACTER_BYTES = 4

/** Reads the form into memory; writes no temporary files. Throws a `ServiceError`. */
export async function readForm(request: FastifyRequest, limits: FormLimits): Promise<JobForm> {
  try {
    return await read(request, limits)
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause
    throw new ServiceError('form_malformed', (cause as Error).message, { cause })
  }
}

/** Returns the error for a request whose body is not a form. */
export function notMultipart({ headers }: FastifyRequest): ServiceError {
  return new ServiceError(
    'not_multipart',
    `the body is ${shown(headers['content-type'])}, allowed: multipart/form-data`,
  )
}

async function read(request: FastifyRequest, limits: FormLimits): Promise<JobForm> {
  const { maxFileBytes, maxFieldBytes, received = () => {} } = limits
  if (!request.isMultipart()) throw notMultipart(request)
  let fields = knownQuery(request.query as Query, NAMES)
  const bodyBytes = Number(request.headers['content-length'] ?? Infinity)
  if (Number.isFinite(bodyBytes) && bodyBytes > maxFileBytes + maxFieldBytes + FORM_BYTES)
    throw tooLarge(maxFileBytes)
  let file: Uint8Array | undefined
  const parts = request.parts({
    limits: { fileSize: maxFileBytes, fieldSize: maxFieldBytes, files: 2, parts: MOST_PARTS },
    // The name decides. Clients send files without a file name, and fields with a file name or a media type.
    isPartAFile: name => name === FILE,
  })
  for await (const part of parts) {
    if (!PLAIN_ENCODINGS.includes(part.encoding.trim().toLowerCase()))
      throw new ServiceError(
        'form_malformed',
        `the part ${shown(part.fieldname)} has the Content-Transfer-Encoding ${shown(part.encoding)}, allowed: ${PLAIN_ENCODINGS.join(', ')}`,
      )
    if (part.type === 'file') {
      if (file) throw new ServiceError('parameter_repeated', 'file was sent more than once, expected once')
      file = await wholeFile(part, Math.min(bodyBytes, maxFileBytes), received)
      if (part.file.truncated) throw tooLarge(maxFileBytes)
      continue
    }
    if (part.fieldname === undefined) throw new ServiceError('form_malformed', 'a part has no name')
    const value = textOf(part.value)
    const field = knownQuery({ [part.fieldname]: value }, NAMES, 'form_field_unknown', [FILE])
    if (part.valueTruncated)
      throw new ServiceError('text_too_long', `${shown(part.fieldname)} has more than ${maxFieldBytes} bytes`)
    received(value.length)
    fields = merged(fields, field)
  }
  return { fields, file }
}

/** Adds a field. A repeated name has a list, as in a query. */
function merged(query: Query, field: Query): Query {
  const all: Record<string, unknown> = Object.assign(Object.create(null), query)
  for (const [name, value] of Object.entries(field))
    all[name] = all[name] === undefined ? value : [all[name], value].flat()
  return all
}

/** The library parses fields of the media type JSON; they are read as the text that was sent. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Returns a file of at most `most` bytes. */
async function wholeFile(
  part: MultipartFile,
  most: number,
  received: (bytes: number) => void,
): Promise<Uint8Array> {
  // Bytes that are never written take no memory; pieces joined at the end would take twice as much.
  const bytes = Buffer.allocUnsafeSlow(most)
  let length = 0
  for await (const piece of part.file) {
    bytes.set(piece as Buffer, length)
    length += (piece as Buffer).length
    received((piece as Buffer).length)
  }
  return bytes.subarray(0, length)
}

function tooLarge(maxFileBytes: number): ServiceError {
  return new ServiceError('too_large', `the file has more than ${maxFileBytes} bytes`)
}

/** Limits of one batch job. */
export interface JobLimits {
  /** Maximum duration of a file (ms). */
  readonly maxFileMs: number
  /** Maximum text length (characters). */
  readonly maxTextLength: number
}

/**
 * Holder of the key, whose audio and text are counted. Both methods throw a `ServiceError` when the quota is exceeded.
 */
export interface JobHolder {
  takeAudio(ms: number): void
  takeText(text: string): void
}

/** Context shared by all steps of a job. */
export interface JobContext {
  readonly clock: Clock
  readonly limits: JobLimits
  readonly holder: JobHolder
  /** Resolves when no live session has to wait for its turn; rejects with the reason of `signal`. */
  readonly calm: () => Promise<void>
  /** Aborted with the `ServiceError` that ends the job. */
  readonly signal: AbortSignal
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Returns the text of a job: the field `text`, or a UTF-8 file. Throws a `ServiceError`. */
export function jobText({ text, mode }: JobParameters, { file }: JobForm, maxTextLength: number): string {
  if (text !== undefined && file)
    throw new ServiceError('parameter_repeated', 'both text and file were sent, expected only one of them')
  if (text === undefined && !file)
    throw new ServiceError('file_missing', `${mode} requires text, in the field text or as a file`)
  if (file && file.length > maxTextLength * CHARACTER_BYTES)
    throw new ServiceError(
      'text_too_long',
      `the text has ${file.length} bytes, allowed are ${maxTextLength} characters`,
    )
  const found = text ?? decoded(file ?? new Uint8Array(0))
  // Text never contains NUL; many binary files do.
  if (found === undefined || found.includes('\0'))
    throw new ServiceError('file_not_text', 'the file is not UTF-8 text')
  if (found.length > maxTextLength)
    throw new ServiceError(
      'text_too_long',
      `the text has ${found.length} characters, allowed are ${maxTextLength}`,
    )
  if (found.trim() === '') throw new ServiceError(file ? 'empty_file' : 'text_empty', 'the text is empty')
  return found
}

function decoded(file: Uint8Array): string | undefined {
  try {
    return decoder.decode(file)
  } catch {
    return undefined
  }
}
