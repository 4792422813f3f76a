import type { LanguageId } from '../../../common/language.ts'
import type { Mp3Rate } from '../../../transcode/mp3/encoder.ts'
import { BATCH_MODES, type BatchMode } from '../../contract.ts'
import { ServiceError } from '../errors.ts'
import { type Choice, chosen, languageIn, type Parameter, VOICE_WISH_PARAMETERS } from '../http/parameters.ts'
import { type Query, single } from '../query.ts'
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
