import { BoundedMap } from '../../common/bounded-map.ts'
import type { ReadResult } from './result-reader.ts'

/** Tells if a session's results carry speech with an end event, and if that speech is sent whole or in pieces. */
export type VoiceMode = 'none' | 'block' | 'streaming'

/** An utterance without events for this long is over, with or without an end event (ms). */
const OPEN_MS = 10_000
/** Time within which a repeated result counts as a duplicate (ms). */
const AGAIN_MS = 500
/** Number of ended utterances remembered, to recognize repetitions. */
const MOST_ENDED = 32

interface Utterance {
  readonly name: string
  /** Its final text and translation so far; undefined before the first. */
  text: string | undefined
  translation: string | undefined
  /** Part of its speech has arrived. */
  voiced: boolean
  /** Time of its last result (ms). */
  at: number
}

/**
 * Assigns each result of one connection to an utterance: by the service's id if it has one, else by order. An utterance
 * opens with the first result after an end and closes at `endSynth`; without speech it closes at its final result. If
 * the service marks final results, several can be open at once: the text of the next one can arrive before the speech of
 * the previous one is complete, and speech arrives in the order of the texts.
 *
 * An id counts once two results of an utterance have it, and no longer when another utterance has it as well: servers
 * also number their messages or sessions.
 */
export class UtteranceNumbers {
  readonly #mode: VoiceMode
  /** Utterances with final text or speech but without an end, in order. */
  #open: Utterance[] = []
  /** The utterance in progress, of which only interim text has arrived. */
  #hearing: Utterance | undefined
  /** Ended utterances by name. */
  readonly #ended = new BoundedMap<string, Utterance>(MOST_ENDED)
  #count = 0
  /** Name of the utterance that ended last. */
  #last = '#0'
  #ids: 'unknown' | 'utterances' | 'other' = 'unknown'
  /** The service marks results as interim or final. */
  #marksFinal = false

  constructor(mode: VoiceMode) {
    this.#mode = mode
  }

  /** Returns the name of the utterance to which `result`, received at `now` (ms), belongs. */
  of(result: ReadResult, now: number): string {
    this.#open = this.#open.filter(({ at }) => now - at <= OPEN_MS)
    this.#marksFinal ||= result.final !== undefined
    const utterance = this.#named(result, now) ?? this.#inOrder(result) ?? this.#fresh(result.name)
    utterance.at = now
    const isInterim = result.final === false
    if (!isInterim) {
      utterance.text = result.text ?? utterance.text
      utterance.translation = result.translation ?? utterance.translation
    }
    if (this.#ended.get(utterance.name) === utterance) return utterance.name
    if (isInterim && !result.audio) {
      if (!this.#open.includes(utterance)) this.#hearing = utterance
    } else if (this.#mode === 'none') this.#complete(utterance, result)
    else this.#wait(utterance, result)
    return utterance.name
  }

  /** Handles `endSynth` with its name, if any, and returns the name of the ended utterance. */
  end(name: string | undefined): string {
    const at = this.#open.findIndex(open => open.name === name)
    // Repeated end.
    if (at < 0 && name !== undefined && this.#ended.has(name)) return name
    // A name that no result had is unknown: the first open utterance ends.
    for (const ended of this.#open.splice(0, Math.max(at, 0) + 1)) this.#over(ended)
    return this.#last
  }

  /** Returns the utterance with the result's id; undefined if it has none, or ids are not those of utterances. */
  #named({ name, text, final }: ReadResult, now: number): Utterance | undefined {
    if (name === undefined || this.#ids === 'other') return undefined
    const known = [this.#hearing, ...this.#open].find(each => each?.name === name)
    const over = known ? undefined : this.#ended.get(name)
    if (over) {
      const isAgain = final !== false && text === over.text && now - over.at <= AGAIN_MS
      if (!text || isAgain) return over
      this.#ids = 'other'
      return undefined
    }
    if (known) this.#ids = 'utterances'
    return known ?? (this.#ids === 'utterances' ? this.#fresh(name) : undefined)
  }

  #inOrder({ final, text, translation, audio }: ReadResult): Utterance | undefined {
    if (this.#mode === 'none' || (final === false && !audio)) return this.#hearing
    const last = this.#open.at(-1)
    if (!this.#marksFinal) {
      // Complete speech has its text with it.
      const isNext = this.#mode === 'block' && last?.voiced && text && text !== last.text
      return isNext ? undefined : last
    }
    if (text !== undefined) {
      if (this.#hearing && !audio) return this.#hearing
      return this.#open.findLast(open => open.text === text) ?? this.#hearing
    }
    const waiting = this.#open.filter(open => open.voiced || open.text !== '')
    const first = audio ? waiting[0] : waiting.find(open => open.translation === undefined)
    return first ?? this.#hearing ?? (translation === undefined ? last : undefined)
  }

  /** Without speech, an utterance ends with its final result; one without an id and without words is part of the next. */
  #complete(utterance: Utterance, { name, text, translation }: ReadResult): void {
    this.#hearing = utterance
    if (name === undefined && !text && !translation) return
    this.#hearing = undefined
    this.#over(utterance)
  }

  /** Waits for the speech of an utterance, or for the rest of it. */
  #wait(utterance: Utterance, { audio }: ReadResult): void {
    if (utterance === this.#hearing) this.#hearing = undefined
    if (!this.#open.includes(utterance)) {
      // An utterance without words has no speech to wait for.
      this.#open = this.#open.filter(open => open.voiced || open.text !== '')
      this.#open.push(utterance)
    }
    if (!audio) return
    utterance.voiced = true
    // Speech arrives in order: earlier utterances are over, or have none.
    for (const earlier of this.#open.splice(0, this.#open.indexOf(utterance))) this.#over(earlier)
  }

  #over(utterance: Utterance): void {
    this.#ended.set(utterance.name, utterance)
    this.#last = utterance.name
  }

  #fresh(name: string | undefined): Utterance {
    const usable = this.#ids === 'other' ? undefined : name
    return {
      name: usable ?? `#${++this.#count}`,
      ...{ text: undefined, translation: undefined, voiced: false, at: 0 },
    }
  }
}
