import type { ServiceTiming } from '../../core/stages.ts'
import type { TranslationResult } from '../../core/translator.ts'
import { binaryBytes, eachValue, encodedAudio } from './audio-value.ts'

/**
 * Where to look in a `result`, first hit wins; dots go into objects; capitals, `_` and `-` in names make no difference.
 * Servers that name things otherwise set their own.
 */
export interface ResultPlaces {
  readonly audio: readonly string[]
  readonly text: readonly string[]
  readonly translation: readonly string[]
  readonly utterance: readonly string[]
  readonly final: readonly string[]
  readonly endMs: readonly string[]
}

/** The documented places (`docs/service/protocol.md`). */
export const RESULT_PLACES: ResultPlaces = {
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

/** What a result says, before it is known of which utterance it is. */
export interface ReadResult extends Omit<TranslationResult, 'utterance' | 'final'> {
  /** The service's name of the utterance, where it gives one. */
  readonly name?: string
  /** Whether the text may still change, where the service says so. */
  readonly final?: boolean
}

/** Fields that say the opposite of `final`. */
const INTERIM = ['partial', 'isPartial', 'interim', 'isInterim']
/** Fields with a word for it. */
const KINDS = ['type', 'status', 'kind', 'state']
/** Objects around the whole result. */
const WRAPPERS = ['data', 'result', 'results', 'payload', 'output', 'response']
/** Where a result tells the rate of samples without a header. */
const RATES = ['file.sampleRate', 'audio.sampleRate', 'sampleRate']

/** Longest text of one result that is taken (characters); the rest is cut off. */
const TEXT_MOST = 4_000
/** Fields of one object that are looked at. */
const MOST_FIELDS = 100
/** No stage takes longer (ms); a value beyond is none. */
const STAGE_MOST_MS = 600_000

/**
 * Reads the results of one connection tolerantly: unknown fields are ignored, wrong types are as if absent. It remembers
 * at which places a voice came as text or numbers, since a piece in the middle of one cannot be told by itself.
 */
export class ResultReader {
  readonly #places: ResultPlaces
  readonly #voices = new Set<string>()

  constructor(places: ResultPlaces = RESULT_PLACES) {
    this.#places = places
  }

  /** What a payload says; `more`: what else the event carried, where it carried more than one. Never throws. */
  read(payload: unknown, ...more: readonly unknown[]): ReadResult {
    const plain = unpacked(payload)
    const audio = this.#audio(plain) ?? firstOf(more, each => this.#audio(each))
    if (typeof plain === 'string') return audio ? { audio } : { text: plain.slice(0, TEXT_MOST) }
    const layers = layersOf(plain)
    const find = <T>(places: readonly string[], read: (value: unknown) => T | undefined) =>
      firstOf(layers, layer => firstOf(places, place => read(at(layer, place))))
    const { text, translation } = this.#texts(find)
    const final =
      find(this.#places.final, asBoolean) ?? negated(find(INTERIM, asBoolean)) ?? find(KINDS, asKind)
    const endMs = find(this.#places.endMs, asTime)
    const name = find(this.#places.utterance, asName)
    const rate = find(RATES, value => (typeof value === 'number' && value > 0 ? value : undefined))
    const timing = firstOf(layers, layer => readTiming(at(layer, 'timing')))
    return {
      ...(name === undefined ? {} : { name }),
      ...(final === undefined ? {} : { final }),
      ...(text === undefined ? {} : { text }),
      ...(translation === undefined ? {} : { translation }),
      ...(audio === undefined ? {} : { audio }),
      ...(audio === undefined || rate === undefined ? {} : { rate }),
      ...(endMs === undefined ? {} : { endMs }),
      ...(timing === undefined ? {} : { timing }),
    }
  }

  /** A `text` beside a transcription, where nothing else is the translation, is the translation. */
  #texts(find: <T>(places: readonly string[], read: (value: unknown) => T | undefined) => T | undefined) {
    const { text: places, translation } = this.#places
    const translated = find(translation, asText)
    const text = find(places, asText)
    if (translated !== undefined || places[0] !== 'text') return { text, translation: translated }
    const plain = find(['text'], asText)
    const source = find(places.slice(1), asText)
    return plain === undefined || source === undefined
      ? { text, translation: undefined }
      : { text: source, translation: plain }
  }

  /** At its places first; then any bytes anywhere, since nothing else in a result is binary, and what can be nothing but sound. */
  #audio(payload: unknown): Uint8Array | undefined {
    const named = firstOf(layersOf(payload), layer =>
      firstOf(this.#places.audio, place => this.#voice(at(layer, place), place, true)),
    )
    if (named) return named
    let found: Uint8Array | undefined
    eachValue(payload, (value, place) => {
      found = this.#voice(value, place, false)
      return found !== undefined
    })
    return found
  }

  #voice(value: unknown, place: string, named: boolean): Uint8Array | undefined {
    const bytes = binaryBytes(value)
    if (bytes || value === undefined) return bytes
    const encoded = encodedAudio(value, named, this.#voices.has(place))
    if (encoded) this.#voices.add(place)
    return encoded
  }
}

/**
 * What one `result` payload says, by itself. `previous` names the utterance of a result that does not name its own;
 * `final` is true where it is not said. Never throws.
 */
export function readResult(
  payload: unknown,
  previous: string,
  places: ResultPlaces = RESULT_PLACES,
): TranslationResult {
  const { name = previous, final = true, ...rest } = new ResultReader(places).read(payload)
  return { utterance: name, final, ...rest }
}

/** A payload that came as JSON text is what it says. */
function unpacked(payload: unknown): unknown {
  if (typeof payload !== 'string' || !/^\s*[{[]/.test(payload)) return payload
  try {
    return JSON.parse(payload) as unknown
  } catch {
    return payload
  }
}

/** The result itself, then objects in it that may be what is meant. */
function layersOf(payload: unknown): unknown[] {
  const whole = Array.isArray(payload) ? payload.find(each => isPlain(each)) : payload
  if (!isPlain(whole)) return []
  const inside = WRAPPERS.map(name => at(whole, name)).map(each => (Array.isArray(each) ? each[0] : each))
  return [whole, ...inside.filter(isPlain)]
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !binaryBytes(value)
}

/** The value at `place`; names are compared without capitals, `_` and `-`, the exact one first. */
function at(value: unknown, place: string): unknown {
  let inside = value
  for (const name of place.split('.')) {
    if (!isPlain(inside)) return undefined
    inside = Object.hasOwn(inside, name) ? inside[name] : alike(inside, plainName(name))
  }
  return inside
}

function alike(value: Record<string, unknown>, wanted: string): unknown {
  let looked = 0
  for (const name in value) {
    if (++looked > MOST_FIELDS) return undefined
    if (plainName(name) === wanted && Object.hasOwn(value, name)) return value[name]
  }
  return undefined
}

function plainName(name: string): string {
  return name.slice(0, 64).replace(/[_-]/g, '').toLowerCase()
}

function firstOf<T, R>(values: readonly T[], read: (value: T) => R | undefined): R | undefined {
  for (const value of values) {
    const found = read(value)
    if (found !== undefined) return found
  }
  return undefined
}

function asText(value: unknown): string | undefined {
  const text = isPlain(value) ? at(value, 'text') : value
  return typeof text === 'string' ? text.slice(0, TEXT_MOST) : undefined
}

function asBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (value === 1 || value === 'true') return true
  return value === 0 || value === 'false' ? false : undefined
}

function asKind(value: unknown): boolean | undefined {
  if (typeof value !== 'string') return undefined
  if (/^(final|complete[d]?|recognized)$/i.test(value)) return true
  return /^(partial|interim|recognizing|hypothesis)$/i.test(value) ? false : undefined
}

function negated(value: boolean | undefined): boolean | undefined {
  return value === undefined ? undefined : !value
}

function asTime(value: unknown): number | undefined {
  return Number.isFinite(value) && Number(value) >= 0 ? Number(value) : undefined
}

function asName(value: unknown): string | undefined {
  if (typeof value === 'string' && value.length > 0) return value.slice(0, 64)
  return Number.isFinite(value) ? String(value) : undefined
}

/** `timing`, ours; each value that can be one. */
function readTiming(value: unknown): ServiceTiming | undefined {
  const read = (name: keyof ServiceTiming) => {
    const ms = at(value, name)
    return typeof ms === 'number' && ms >= 0 && ms <= STAGE_MOST_MS ? { [name]: ms } : {}
  }
  const timing = { ...read('recognitionMs'), ...read('translationMs'), ...read('synthesisMs') }
  return Object.keys(timing).length === 0 ? undefined : timing
}
