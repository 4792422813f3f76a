import type { ServiceTiming } from '../../core/stages.ts'
import type { TranslationResult } from '../../core/translator.ts'

/** Where to look in a `result`, first hit wins; dots go into objects. Servers that name things otherwise set their own. */
export interface ResultPlaces {
  readonly audio: readonly string[]
  readonly text: readonly string[]
  readonly translation: readonly string[]
  readonly utterance: readonly string[]
  readonly final: readonly string[]
  readonly endMs: readonly string[]
}

/** The documented places (`docs/contract.md`). */
export const RESULT_PLACES: ResultPlaces = {
  audio: ['file.data', 'audio.data', 'data', 'audio', 'file', 'buffer'],
  text: ['text', 'transcription', 'transcript', 'textSource', 'original'],
  translation: ['translation', 'translatedText', 'textTarget', 'translated'],
  utterance: ['id', 'utteranceId', 'sequence'],
  final: ['final', 'isFinal', 'is_final'],
  endMs: ['endMs'],
}

/** Longest text of one result that is taken (characters); the rest is cut off. */
const TEXT_MOST = 4_000

/** No stage takes longer (ms); a value beyond is none. */
const STAGE_MOST_MS = 600_000

/**
 * What a `result` payload says, read tolerantly: unknown fields are ignored, wrong types are as if absent.
 * `previous` names the utterance of a result that does not name its own. Never throws.
 */
export function readResult(
  payload: unknown,
  previous: string,
  places: ResultPlaces = RESULT_PLACES,
): TranslationResult {
  const text = readText(payload, places.text)
  const translation = readText(payload, places.translation)
  const audio = first(payload, places.audio, asBytes)
  const final = first(payload, places.final, value => (typeof value === 'boolean' ? value : undefined))
  const endMs = first(payload, places.endMs, value =>
    Number.isFinite(value) && Number(value) >= 0 ? Number(value) : undefined,
  )
  const timing = readTiming(field(payload, 'timing'))
  return {
    utterance: first(payload, places.utterance, asName) ?? previous,
    final: final ?? true,
    ...(text === undefined ? {} : { text }),
    ...(translation === undefined ? {} : { translation }),
    ...(audio === undefined ? {} : { audio }),
    ...(endMs === undefined ? {} : { endMs }),
    ...(timing === undefined ? {} : { timing }),
  }
}

/** `timing`, ours; each value that can be one. */
function readTiming(value: unknown): ServiceTiming | undefined {
  const read = (name: keyof ServiceTiming) => {
    const ms = field(value, name)
    return typeof ms === 'number' && ms >= 0 && ms <= STAGE_MOST_MS ? { [name]: ms } : {}
  }
  const timing = { ...read('recognitionMs'), ...read('translationMs'), ...read('synthesisMs') }
  return Object.keys(timing).length === 0 ? undefined : timing
}

function readText(payload: unknown, places: readonly string[]): string | undefined {
  return first(payload, places, value => (typeof value === 'string' ? value.slice(0, TEXT_MOST) : undefined))
}

function first<T>(
  payload: unknown,
  places: readonly string[],
  read: (value: unknown) => T | undefined,
): T | undefined {
  for (const place of places) {
    let value = payload
    for (const name of place.split('.')) value = field(value, name)
    const found = read(value)
    if (found !== undefined) return found
  }
  return undefined
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}

function asName(value: unknown): string | undefined {
  if (typeof value === 'string' && value.length > 0) return value.slice(0, 64)
  return Number.isFinite(value) ? String(value) : undefined
}

/** Binary as Socket.IO delivers it. A base64 string is no binary: it could be anything. */
function asBytes(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  return undefined
}
