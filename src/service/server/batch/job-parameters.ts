import type { LanguageId } from '../../../core/languages.ts'
import { BATCH_MODES, type BatchMode } from '../../contract.ts'
import { receiveAudioOf } from '../audio-parameters.ts'
import type { Mp3Rate } from '../engines/mp3-encoder.ts'
import { type Choice, chosen, languageIn, type Parameter } from '../http/parameter.ts'
import { VOICE_WISH_PARAMETERS } from '../http/voice-parameters.ts'
import { type Query, single } from '../query.ts'
import { ServiceError } from '../service-error.ts'
import { type VoiceWish, voiceWish } from '../voice-wish.ts'

const DATA_ENCODINGS = ['buffer', 'base64'] as const
type DataEncoding = (typeof DATA_ENCODINGS)[number]

const MODE: Choice<BatchMode> = {
  name: 'mode',
  about:
    'What to do: `stt` transcribes, `sts` also translates and speaks, `translator` translates text, `tts` speaks text.',
  form: 'choice',
  needed: true,
  allowed: BATCH_MODES,
  error: 'mode_not_supported',
  example: 'stt',
}
const SOURCE: Parameter = {
  name: 'languageIdSource',
  about:
    'Language of the audio or text. `translator` needs it; `stt` and `sts` do without where speech is understood in one language only, else it cannot be told which. `tts` takes it when `languageIdTarget` is absent.',
  form: 'language',
  example: 'en-us',
}
const TARGET: Parameter = {
  name: 'languageIdTarget',
  about: 'Language of the translation and of the voice. Needed by `translator`, `sts` and `tts`.',
  form: 'language',
  example: 'es-es',
}
const TEXT: Parameter = {
  name: 'text',
  about: 'The text, for `translator` and `tts`, in place of `file`.',
  form: 'text',
}
const RECEIVE: Parameter = {
  name: 'receiveAudio',
  about: 'JSON object as on the socket; only `sampleRate` of the mp3 matters here. Default 16000.',
  form: 'json',
  example: '{"sampleRate":16000}',
}
const ENCODING: Choice<DataEncoding> = {
  name: 'dataEncoding',
  about:
    'How `file.data` stands in the JSON: `buffer`, as `{ "type": "Buffer", "data": [bytes] }`, the default; `base64`, as a string, a third of the size.',
  form: 'choice',
  allowed: DATA_ENCODINGS,
  error: 'value_not_allowed',
}

/** Fields of the form beside `file`; each may stand in the query as well. */
export const BATCH_PARAMETERS: readonly Parameter[] = [
  MODE,
  SOURCE,
  TARGET,
  TEXT,
  RECEIVE,
  ...VOICE_WISH_PARAMETERS,
  ENCODING,
]

/** What a request wants. */
export interface JobParameters {
  readonly mode: BatchMode
  readonly source: LanguageId | undefined
  readonly target: LanguageId | undefined
  readonly text: string | undefined
  readonly rate: Mp3Rate
  readonly wish: VoiceWish
  readonly dataEncoding: DataEncoding
}

/** The fields of form and query, checked for themselves. Throws a `ServiceError`. */
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
