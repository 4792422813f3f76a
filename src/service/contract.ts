/**
 * The translation-service interface as types, shared by client and server. Names and orders are those of the interface
 * document; `docs/service/protocol.md` documents the points that it leaves open.
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

/** Sample rates of audio, in either direction (Hz). */
export const AUDIO_RATES = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] as const

/** Values of `receiveAudio.mode` and of the voice list's `mode`. */
export const MODES = ['block', 'streaming'] as const
/** Translated speech: one utterance at a time, or in pieces as synthesized. */
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
  /** `block`: one `result` per utterance. `streaming`: the mp3 in several, as synthesized. */
  mode: Mode
}

/** Payload of `connected`: the effective parameters, with defaults applied. */
export interface ConnectionParameters {
  languageIdSource?: string
  languageIdTarget?: string
  sendAudio?: SendAudio
  receiveAudio?: ReceiveAudio
  /** Ours: true if unstable transcripts are sent as `result` with `final: false`. */
  partials?: boolean
  /** Ours: the closed vocabulary to recognize, by its name in the service's settings. */
  grammar?: string
  /** Ours: the requested voice, by its id in the voice list or by its properties; echoed when given. */
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

/**
 * Ours: names of the engines that serve instead of the preferred ones, which fail or are over their budget, by kind.
 * On finals; absent while all preferred engines serve.
 */
export interface StandInNames {
  transcription?: string | undefined
  translation?: string | undefined
  synthesis?: string | undefined
  /** From speech to speech. */
  interpretation?: string | undefined
}

/** Payload of `result` on `/stt`. What captions show of it besides the texts: `core/model/caption-details.ts`. */
export interface SttResult {
  /** Utterance number within the session, as a string; partial and final of one utterance share it. */
  id: string
  final: boolean
  languageIdSource: string
  text: string
  /** Start of the utterance in the session's audio (ms). */
  startMs: number
  /** End of the part of the utterance that this result covers (ms). */
  endMs: number
  /** Ours: the detected language, from engines that detect it. Finals only. */
  languageIdHeard?: string
  standIns?: StandInNames
}

/**
 * Payload of `result` on `/sts`. A partial has neither `translation` nor `file`, unless the service interprets while
 * someone speaks: then both grow with the partials. Streamed audio leaves `file` out.
 */
export interface StsResult extends SttResult {
  languageIdTarget: string
  translation?: string
  file?: ResultFile
  /** Ours: duration of its stages. Only for finals with speech. */
  timing?: StageTiming
  /** Ours: the part whose speech has been sent. Only from a service that speaks while the speaker speaks. */
  spoken?: SpokenPart
}

/** The start of an utterance whose translation has been spoken. A client that loses its connection continues behind it. */
export interface SpokenPart {
  /** Its end in the session's audio (ms). */
  endMs: number
  /** Its length in `text` and in `translation` (characters). */
  text: number
  translation: number
  /** End of the part whose speech is being sent (ms); absent: none is. */
  speakingMs?: number
}

/** Duration of the stages of one utterance (whole ms). */
export interface StageTiming {
  /** From the arrival of the last loud sample of the utterance to its text. */
  recognitionMs: number
  /** From the text to the translation, including the wait for the previous utterance. */
  translationMs: number
  /** From the translation to the first bytes of speech sent, or written to the stream. */
  synthesisMs: number
}

/** Payload of `result` on `/translator`. */
export interface TranslatorResult {
  /** Number of the text within the session, as a string. */
  id: string
  final: true
  languageIdSource: string
  languageIdTarget: string
  /** The text, unchanged. */
  text: string
  /** Absent when it could not be translated. */
  translation?: string
  standIns?: StandInNames
}

/** Payload of `result` on `/tts`. */
export interface TtsResult {
  /** Number of the text within the session, as a string. */
  id: string
  final: true
  languageIdTarget: string
  /** The text, unchanged. */
  text: string
  /** Absent when it could not be spoken, and when the audio is streamed. */
  file?: ResultFile
  standIns?: StandInNames
}

/** Payload of `endSynth`. */
export interface EndSynth {
  id: string
}

/** Every error, on HTTP and on the socket. */
export interface ServiceErrorBody {
  /** The general code, for example `bad_file`. */
  code: string
  /** The specific code, for example `language_not_detected`. */
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
  /** A voice is available. */
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

/** Values of the batch request's `mode`: each works like the namespace of that name. */
export const BATCH_MODES = ['stt', 'translator', 'tts', 'sts'] as const
/** Operation of a batch job. */
export type BatchMode = (typeof BATCH_MODES)[number]

/** One utterance of a batch file. */
export interface BatchUtterance {
  id: string
  text: string
  /** Start in the file (ms). */
  startMs: number
  /** End in the file, at the latest (ms). */
  endMs: number
  /** `sts` only. */
  translation?: string
}

/** Response of `POST /api/batch/file`; each mode has only its own fields. */
export interface BatchResult {
  languageIdSource?: string
  languageIdTarget?: string
  text?: string
  translation?: string
  utterances?: BatchUtterance[]
  /** Duration of the audio (ms). */
  durationMs?: number
  /** mp3. In JSON, `data` is Node's serialization of a Buffer, or base64. */
  file?: { data: Uint8Array; codec: 'mp3'; sampleRate: number }
}
