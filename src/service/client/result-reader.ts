import { isLanguageId, type LanguageId } from '../../common/language.ts'
import type { StandInNames } from '../../core/model/caption-details.ts'
import type { ServiceTiming } from '../../core/model/latency-stages.ts'
import type { TranslationResult } from '../../core/translation/translator.ts'
import { binaryBytes, eachValue, encodedAudio } from './audio-value.ts'
import { OTHER_FIELDS, RESULT_PATHS, type ResultPaths } from './result-paths.ts'

/** Content of a result, before it is assigned to an utterance. */
export interface ReadResult extends Omit<TranslationResult, 'utterance' | 'final'> {
  /** The service's name for the utterance, if it sends one. */
  readonly name?: string
  /** False if the text can still change; undefined if the service does not say. */
  readonly final?: boolean
}

/** Maximum text length of one result; the rest is cut off (characters). */
const TEXT_MOST = 4_000
/** Maximum number of fields inspected per object. */
const MOST_FIELDS = 100
/** Maximum number of names whose plain form is kept. */
const MOST_NAMES = 1_000
/** Maximum plausible duration of a stage (ms); larger values are ignored. */
const STAGE_MOST_MS = 600_000

/**
 * Reads the results of one connection tolerantly: ignores unknown fields, and treats wrong types as absent. It
 * remembers the paths that carried encoded audio, because a piece from the middle of a stream cannot be recognized by
 * its content.
 */
export class ResultReader {
  readonly #places: ResultPaths
  readonly #voices = new Set<string>()

  constructor(places: ResultPaths = RESULT_PATHS) {
    this.#places = places
  }

  /** Reads a payload; `more`: further arguments of the event. Never throws. */
  read(payload: unknown, ...more: readonly unknown[]): ReadResult {
    const plain = unpacked(payload)
    const audio = this.#audio(plain) ?? firstOf(more, each => this.#audio(each))
    if (typeof plain === 'string') return audio ? { audio } : { text: plain.slice(0, TEXT_MOST) }
    const layers = layersOf(plain)
    const find = <T>(places: readonly string[], read: (value: unknown) => T | undefined) =>
      firstOf(layers, layer => firstOf(places, place => read(at(layer, place))))
    const { text, translation } = this.#texts(find)
    const final =
      find(this.#places.final, asBoolean) ??
      negated(find(OTHER_FIELDS.interim, asBoolean)) ??
      find(OTHER_FIELDS.kind, asKind)
    const endMs = find(this.#places.endMs, asTime)
    const name = find(this.#places.utterance, asName)
    const rate = find(OTHER_FIELDS.rate, value =>
      typeof value === 'number' && value > 0 ? value : undefined,
    )
    const timing = firstOf(layers, layer => readTiming(at(layer, 'timing')))
    const heard = firstOf(layers, layer => asLanguage(at(layer, 'languageIdHeard')))
    const spoken = firstOf(layers, layer => readSpoken(at(layer, 'spoken')))
    const standIns = firstOf(layers, layer => readStandIns(at(layer, 'standIns')))
    return {
      ...{ name, final, text, translation, audio, endMs, timing, spoken, standIns },
      rate: audio && rate,
      language: heard,
    }
  }

  /** A `text` next to a transcription is the translation, unless another field is. */
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

  /**
   * Searches the known paths first, then any binary value, as a result contains no other binary data, and values that
   * are certainly audio.
   */
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
 * Reads a single `result` payload. `previous` names the utterance of a result without its own name; `final`
 * defaults to true. Never throws.
 */
export function readResult(
  payload: unknown,
  previous: string,
  places: ResultPaths = RESULT_PATHS,
): TranslationResult {
  const { name = previous, final = true, ...rest } = new ResultReader(places).read(payload)
  return { utterance: name, final, ...rest }
}

/** Parses a payload that is JSON text. */
function unpacked(payload: unknown): unknown {
  if (typeof payload !== 'string' || !/^\s*[{[]/.test(payload)) return payload
  try {
    return JSON.parse(payload) as unknown
  } catch {
    return payload
  }
}

/** Returns the result itself, then nested objects that can be the actual result. */
function layersOf(payload: unknown): unknown[] {
  const whole = Array.isArray(payload) ? payload.find(each => isPlain(each)) : payload
  if (!isPlain(whole)) return []
  const inside = OTHER_FIELDS.wrapper
    .map(name => at(whole, name))
    .map(each => (Array.isArray(each) ? each[0] : each))
  return [whole, ...inside.filter(isPlain)]
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !binaryBytes(value)
}

/** Returns the value at `place`. Names are compared ignoring case, `_` and `-`; an exact match wins. */
function at(value: unknown, place: string): unknown {
  let inside = value
  for (const { name, plain } of stepsOf(place)) {
    if (!isPlain(inside)) return undefined
    inside = Object.hasOwn(inside, name) ? inside[name] : alike(inside, plain)
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

// Every result has the same few names: what they are compared as is kept.
const steps = new Map<string, readonly { readonly name: string; readonly plain: string }[]>()
const plainNames = new Map<string, string>()

function stepsOf(place: string) {
  let known = steps.get(place)
  if (!known) {
    known = place.split('.').map(name => ({ name, plain: plainName(name) }))
    steps.set(place, known)
  }
  return known
}

function plainName(name: string): string {
  const known = plainNames.get(name)
  if (known !== undefined) return known
  const plain = name.slice(0, 64).replace(/[_-]/g, '').toLowerCase()
  if (plainNames.size < MOST_NAMES && name.length <= 64) plainNames.set(name, plain)
  return plain
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

/** Reads our extension `languageIdHeard`. */
function asLanguage(value: unknown): LanguageId | undefined {
  return typeof value === 'string' && isLanguageId(value) ? value : undefined
}

/** Reads our extension `timing`, ignoring implausible values. */
function readTiming(value: unknown): ServiceTiming | undefined {
  const read = (name: keyof ServiceTiming) => {
    const ms = at(value, name)
    return typeof ms === 'number' && ms >= 0 && ms <= STAGE_MOST_MS ? { [name]: ms } : {}
  }
  const timing = { ...read('recognitionMs'), ...read('translationMs'), ...read('synthesisMs') }
  return Object.keys(timing).length === 0 ? undefined : timing
}

/** Reads our extension `spoken`. */
function readSpoken(value: unknown): TranslationResult['spoken'] {
  const [endMs, text, translation] = ['endMs', 'text', 'translation'].map(name => asTime(at(value, name)))
  if (endMs === undefined || text === undefined || translation === undefined) return undefined
  return { endMs, text, translation, speakingMs: asTime(at(value, 'speakingMs')) }
}

/** Reads our extension `standIns`. */
function readStandIns(value: unknown): StandInNames | undefined {
  const read = (kind: keyof StandInNames) => {
    const name = at(value, kind)
    return typeof name === 'string' && name !== '' ? { [kind]: name.slice(0, 64) } : {}
  }
  const names = {
    ...read('transcription'),
    ...read('translation'),
    ...read('synthesis'),
    ...read('interpretation'),
  }
  return Object.keys(names).length === 0 ? undefined : names
}
