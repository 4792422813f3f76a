import type { CaptionDetails } from '../../../core/model/caption-details.ts'

/** Readers of the details that the server sends with a caption: one for each. They return undefined for what is invalid. */
const DETAILS = {
  /** Names of the engines of the service that served instead of preferred ones. */
  standIns: namesIn,
} satisfies Record<keyof CaptionDetails, (value: unknown) => unknown>

type ShownDetails = {
  readonly [K in keyof typeof DETAILS]?: Exclude<ReturnType<(typeof DETAILS)[K]>, undefined>
}

/** A caption as sent by the stream, or by the transcript, which has no details. */
export interface Caption extends ShownDetails {
  readonly utterance: string
  readonly speaker: string
  readonly name?: string
  readonly from: string
  readonly to: string
  readonly final: boolean
  readonly text?: string
  readonly translation?: string
  /** Time since the room opened (ms). */
  readonly startMs: number
  readonly endMs: number
}

/** Characters that change the text direction. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g

/** Validates `value` from the server as a caption; undefined if it is invalid. */
export function readCaption(value: unknown): Caption | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { utterance, speaker, name, from, to, final, text, translation, startMs, endMs, ...more } =
    value as Record<string, unknown>
  if (typeof utterance !== 'string' || typeof speaker !== 'string') return undefined
  if (typeof from !== 'string' || typeof to !== 'string') return undefined
  if (typeof startMs !== 'number' || typeof endMs !== 'number') return undefined
  return {
    ...{ utterance, speaker, from, to, startMs, endMs },
    // Transcripts contain only complete utterances and omit the field.
    final: final !== false,
    ...(typeof name === 'string' ? { name: plain(name) } : {}),
    ...(typeof text === 'string' ? { text: plain(text) } : {}),
    ...(typeof translation === 'string' ? { translation: plain(translation) } : {}),
    ...detailsIn(more),
  }
}

function detailsIn(given: Record<string, unknown>): ShownDetails {
  const read = Object.entries(DETAILS).map(([name, reader]) => [name, reader(given[name])] as const)
  return Object.fromEntries(read.filter(([, value]) => value !== undefined))
}

function namesIn(standIns: unknown): readonly string[] | undefined {
  if (typeof standIns !== 'object' || standIns === null) return undefined
  const names = Object.values(standIns).filter(name => typeof name === 'string')
  return Array.from(new Set(names.map(name => plain(name).slice(0, 64))))
}

function plain(text: string): string {
  return text.replace(TURNS, '').trim()
}
