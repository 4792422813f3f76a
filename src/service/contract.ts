/**
 * The translation-service interface as types, shared by both ends. Names and orders are the interface document's;
 * what it leaves open is decided in `docs/service/protocol.md`.
 */

/** Event names on the socket. */
export const EVENT = {
  connected: 'connected',
  start: 'start',
  text: 'text',
  writeStream: 'write_stream',
  result: 'result',
  endSynth: 'endSynth',
  error: 'error',
} as const

export const NAMESPACES = ['/stt', '/translator', '/tts', '/sts'] as const
/** The four kinds of session. */
export type Namespace = (typeof NAMESPACES)[number]

/** Rates that audio may have, in either direction (Hz). */
export const AUDIO_RATES = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] as const

/** Values of `receiveAudio.mode` and of the voice list's `mode`. */
export const MODES = ['block', 'streaming'] as const
/** Translated voice an utterance at a time, or in pieces as it is made. */
export type Mode = (typeof MODES)[number]

/** Values of the voice list's `voiceGender`. */
export const VOICE_GENDERS = ['M', 'F'] as const
/** Values of the voice list's `voiceEngine`. */
export const VOICE_ENGINES = ['neural', 'standard'] as const

/** `sendAudio`: how the client sends audio (a JSON string in the query). */
export interface SendAudio {
  broadcastVia: 'chunk'
  codec: 'linear16'
  /** One of `AUDIO_RATES`. */
  sampleRate: number
}

/** `receiveAudio`: how the client gets audio (a JSON string in the query). */
export interface ReceiveAudio {
  /** `chunk`: the mp3 is in `result`. `stream`: `start` carries the URL of one mp3 that lasts as long as the session. */
  obtainVia: 'chunk' | 'stream'
  codec: 'mp3'
  /** One of `AUDIO_RATES`. */
  sampleRate: number
  /** `block`: one `result` an utterance. `streaming`: the mp3 in several, as it is made. */
  mode: Mode
}

/** Payload of `connected`: the parameters in force, defaults filled in. */
export interface ConnectionParameters {
  languageIdSource?: string
  languageIdTarget?: string
  sendAudio?: SendAudio
  receiveAudio?: ReceiveAudio
  /** Ours: whether unstable transcripts are sent as `result` with `final: false`. */
  partials?: boolean
  /** Ours: the closed vocabulary that is understood, by its name in the service's settings. */
  grammar?: string
  /** Ours: the voice wanted, by its id in the voice list or by what it is like; echoed when given. */
  voiceId?: string
  voiceGender?: (typeof VOICE_GENDERS)[number]
  voiceEngine?: (typeof VOICE_ENGINES)[number][]
}

/** Binary mp3 in a `result`. In `streaming` mode each result carries the next piece of one continuous mp3. */
export interface ResultFile {
  data: Uint8Array
  codec: 'mp3'
  /** Hz */
  sampleRate: number
}

/** Payload of `result` on `/stt`. */
export interface SttResult {
  /** Utterance number within the session, as a string; partial and final of one utterance share it. */
  id: string
  final: boolean
  languageIdSource: string
  text: string
  /** Milliseconds of the session's audio at which the utterance begins. */
  startMs: number
  /** … and up to which this result covers it. */
  endMs: number
}

/** Payload of `result` on `/sts`. A partial has neither `translation` nor `file`; streamed audio leaves `file` out. */
export interface StsResult extends SttResult {
  languageIdTarget: string
  translation?: string
  file?: ResultFile
  /** Ours: how long its stages took. Finals with a voice only. */
  timing?: StageTiming
}

/** How long the stages of one utterance took (ms, whole). */
export interface StageTiming {
  /** From when the last loud sample of the utterance had come to its text. */
  recognitionMs: number
  /** From the text to the translation, with the wait for the utterance before it. */
  translationMs: number
  /** From the translation to the first bytes of its voice that were sent, or are in the stream. */
  synthesisMs: number
}

/** Payload of `result` on `/translator`. */
export interface TranslatorResult {
  /** Number of the text within the session, as a string. */
  id: string
  final: true
  languageIdSource: string
  languageIdTarget: string
  /** The text as it was sent. */
  text: string
  /** Absent when it could not be translated. */
  translation?: string
}

/** Payload of `result` on `/tts`. */
export interface TtsResult {
  /** Number of the text within the session, as a string. */
  id: string
  final: true
  languageIdTarget: string
  /** The text as it was sent. */
  text: string
  /** Absent when it could not be spoken, and when the audio is streamed. */
  file?: ResultFile
}

/** Payload of `endSynth`. */
export interface EndSynth {
  id: string
}

/** Every error, on HTTP and on the socket. */
export interface ServiceErrorBody {
  /** The general code, for example `bad_file`. */
  code: string
  /** The specific one, for example `language_not_detected`. */
  error: string
  description: string
}

/** One entry of `GET /api/languages`. */
export interface LanguageEntry {
  languageId: string
  name: string
  /** Speech in this language can be transcribed. */
  transcription: boolean
  /** Language ids that text of this language can be translated into. */
  translation: string[]
  /** There is a voice for it. */
  synthesis: boolean
}

/** One entry of `GET /api/voices`. */
export interface VoiceEntry {
  voiceId: string
  name: string
  languageId: string
  voiceGender: (typeof VOICE_GENDERS)[number]
  voiceEngine: (typeof VOICE_ENGINES)[number]
  modes: Mode[]
}

/** Values of the batch request's `mode`: each does what the namespace of that name does. */
export const BATCH_MODES = ['stt', 'translator', 'tts', 'sts'] as const
/** What a batch job does. */
export type BatchMode = (typeof BATCH_MODES)[number]

/** One utterance of a batch file. */
export interface BatchUtterance {
  id: string
  text: string
  /** Milliseconds of the file at which it begins. */
  startMs: number
  /** … and ends, at the latest. */
  endMs: number
  /** `sts` only. */
  translation?: string
}

/** Answer of `POST /api/batch/file`; each mode has only its own fields. */
export interface BatchResult {
  languageIdSource?: string
  languageIdTarget?: string
  text?: string
  translation?: string
  utterances?: BatchUtterance[]
  /** Length of the sound of the file. */
  durationMs?: number
  /** mp3. In JSON, `data` is what Node makes of a Buffer, or base64. */
  file?: { data: Uint8Array; codec: 'mp3'; sampleRate: number }
}
