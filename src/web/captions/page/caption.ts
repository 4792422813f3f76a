/** A caption as the stream and the transcript tell it. */
export interface Caption {
  readonly utterance: string
  readonly speaker: string
  readonly name?: string
  readonly from: string
  readonly to: string
  readonly final: boolean
  readonly text?: string
  readonly translation?: string
  /** From the opening of the room (ms). */
  readonly startMs: number
  readonly endMs: number
}

/** Marks that turn the direction of what follows. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g

/** `value`, which came from the server, as a caption; undefined when it is none. */
export function readCaption(value: unknown): Caption | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { utterance, speaker, name, from, to, final, text, translation, startMs, endMs } = value as Record<
    string,
    unknown
  >
  if (typeof utterance !== 'string' || typeof speaker !== 'string') return undefined
  if (typeof from !== 'string' || typeof to !== 'string') return undefined
  if (typeof startMs !== 'number' || typeof endMs !== 'number') return undefined
  return {
    ...{ utterance, speaker, from, to, startMs, endMs },
    // Transcripts hold whole utterances only, and do not say so.
    final: final !== false,
    ...(typeof name === 'string' ? { name: plain(name) } : {}),
    ...(typeof text === 'string' ? { text: plain(text) } : {}),
    ...(typeof translation === 'string' ? { translation: plain(translation) } : {}),
  }
}

function plain(text: string): string {
  return text.replace(TURNS, '').trim()
}
