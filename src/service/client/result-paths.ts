/**
 * Paths to search in a `result`, the first match wins (`docs/service/client.md`). Dots separate nested fields; case, `_`
 * and `-` in names are ignored.
 */
export const RESULT_PATHS = {
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
} satisfies Record<string, readonly string[]>

/** The same for servers that use other names. */
export type ResultPaths = Readonly<Record<keyof typeof RESULT_PATHS, readonly string[]>>

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
