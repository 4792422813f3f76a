/**
 * Paths to search in a `result`, the first match wins. Dots separate nested fields; case, `_` and `-` in names are
 * ignored. Override them for servers that use other names.
 */
export interface ResultPaths {
  readonly audio: readonly string[]
  readonly text: readonly string[]
  readonly translation: readonly string[]
  readonly utterance: readonly string[]
  readonly final: readonly string[]
  readonly endMs: readonly string[]
}

/** The documented paths (`docs/service/client.md`). */
export const RESULT_PATHS: ResultPaths = {
  audio: ['file.data', 'audio.data', 'data', 'audio', 'file', 'buffer', 'audioData', 'speech', 'chunk'],
  text: [
    'text',
    'transcription',
    'transcript',
    'textSource',
    'original',
    'sourceText',
    'originalText',
    'recognizedText',
  ],
  translation: ['translation', 'translatedText', 'textTarget', 'translated', 'targetText', 'translationText'],
  utterance: ['utteranceId', 'id'],
  final: ['final', 'isFinal'],
  endMs: ['endMs'],
}

/** Fields that no option names. */
export const OTHER_FIELDS = {
  /** The opposite of `final`. */
  interim: ['partial', 'isPartial', 'interim', 'isInterim'],
  /** A word for it. */
  kind: ['type', 'status', 'kind', 'state'],
  /** The whole result. */
  wrapper: ['data', 'result', 'results', 'payload', 'output', 'response'],
  /** The sample rate of headerless audio. */
  rate: ['file.sampleRate', 'audio.sampleRate', 'sampleRate'],
} as const
