import { BoundedMap } from '../../common/bounded-map.ts'
import type { ReadResult } from './results.ts'

/** Tells if a session's results carry speech with an end event, and if that speech is sent whole or in pieces. */
export type VoiceMode = 'none' | 'block' | 'streaming'

/** An utterance without events for this long is over, with or without an end event (ms). */
const OPEN_MS = 10_000
/** Maximum gap between pieces of one utterance's speech, while no end event has been seen (ms). */
const PIECE_MS = 1_000
/** Time within which a repeated result counts as a duplicate (ms). */
const AGAIN_MS = 500
/** Number of ended utterances remembered, to recognize repetitions. */
const MOST_ENDED = 32
/** Share of the shorter of two texts that must match at the start for one to be a correction of the other. */
const SAME_SHARE = 0.5

/** An utterance that has not ended. */
interface Open {
  readonly name: string
  /** Its final words so far; undefined before the first. */
  words: string | undefined
  /** Its translation so far. */
  translated: string | undefined
  /** Its interim words so far. */
  heard: string | undefined
  /** Part of its speech has arrived. */
  voiced: boolean
  /** Time of its last result (ms). */
  at: number
}

/**
 * Assigns each result of one connection to an utterance. The interface does not specify how: if results carry a usable
 * name, it is used; otherwise utterances are numbered here. An utterance opens with the first result after an end and
 * closes at `endSynth`; without speech it closes at its final result. Several can be open at once: the text of the next
 * one can arrive before the speech of the previous one is complete, and speech arrives in the order of the texts.
 */
export class UtteranceNumbers {
  readonly #mode: VoiceMode
  /** Utterances with final text or speech but without an end, in order. */
  #open: Open[] = []
  /** The utterance in progress, of which only interim text has arrived. */
  #hearing: Open | undefined
  /** Ended utterances by name. */
  readonly #ended = new BoundedMap<string, Open>(MOST_ENDED)
  /** Replacement names for names that the service reuses. */
  readonly #again = new BoundedMap<string, string>(MOST_ENDED)
  #count = 0
  /** Name of the utterance that ended last. */
  #last = '#0'
  /** The service sends ends; it marks results as interim or final. */
  #ends = false
  #tellsFinal = false

  constructor(mode: VoiceMode) {
    this.#mode = mode
  }

  /** Returns the name of the utterance to which `result`, received at `now` (ms), belongs. */
  of(result: ReadResult, now: number): string {
    this.#open = this.#open.filter(({ at }) => now - at <= OPEN_MS)
    this.#tellsFinal ||= result.final !== undefined
    const name = result.name === undefined ? undefined : this.#serving(result.name, result, now)
    const open = this.#mode === 'none' ? this.#unspoken(name, result, now) : this.#spoken(name, result, now)
    open.at = now
    if (result.final === false) open.heard = wordsOf(result.text) ?? open.heard
    else note(open, result)
    return open.name
  }

  /** Handles `endSynth` with its name, if any, and returns the name of the ended utterance. */
  end(told: string | undefined): string {
    this.#ends = true
    const name = told === undefined ? undefined : (this.#again.get(told) ?? told)
    const at = this.#open.findIndex(open => open.name === name)
    if (at >= 0) {
      const ended = this.#open.splice(0, at + 1)
      for (const each of ended) this.#over(each)
      return name!
    }
    // Repeated end. A name that no result had is unknown: the first open utterance ends.
    if (name !== undefined && this.#ended.has(name)) return name
    const first = this.#open.shift()
    if (first) this.#over(first)
    return first?.name ?? this.#last
  }

  /** Without speech, an utterance ends with its final result. */
  #unspoken(name: string | undefined, result: ReadResult, now: number): Open {
    const open =
      name === undefined || this.#hearing?.name === name
        ? (this.#hearing ?? this.#fresh(now, name))
        : this.#fresh(now, name)
    this.#hearing = open
    if (result.final === false || (name === undefined && !says(result))) return open
    note(open, result)
    this.#over(open)
    this.#hearing = undefined
    return open
  }

  #spoken(name: string | undefined, result: ReadResult, now: number): Open {
    const { audio } = result
    if (result.final === false && !audio) return this.#interim(name, now)
    const open = name === undefined ? this.#unnamed(result, now) : this.#named(name, now)
    if (open === this.#hearing) this.#hearing = undefined
    if (!this.#open.includes(open)) {
      // An utterance without words has no speech to wait for.
      this.#open = this.#open.filter(each => each.voiced || each.words !== '')
      this.#open.push(open)
    }
    if (!audio) return open
    open.voiced = true
    // Speech arrives in order: earlier utterances are over, or have none.
    for (const each of this.#open.splice(0, this.#open.indexOf(open))) this.#over(each)
    return open
  }

  #interim(name: string | undefined, now: number): Open {
    const there =
      name === undefined ? this.#hearing : [this.#hearing, ...this.#open].find(open => open?.name === name)
    if (there) return there
    this.#hearing = this.#fresh(now, name)
    return this.#hearing
  }

  #named(name: string, now: number): Open {
    return [this.#hearing, ...this.#open].find(open => open?.name === name) ?? this.#fresh(now, name)
  }

  #unnamed(result: ReadResult, now: number): Open {
    const hearing = this.#hearing
    if (!says(result)) {
      const first = this.#open.find(open => open.voiced || open.words !== '')
      return (result.audio ? first : (hearing ?? first)) ?? hearing ?? this.#fresh(now)
    }
    const same = this.#open.findLast(open => sameWords(open, result))
    const bare = this.#open.find(open => lacks(open, result))
    const completed = same && lacks(same, { ...result, text: '' }) ? same : undefined
    // The utterance in progress was spoken after the open ones, even if the words are the same.
    if (hearing && result.text && !result.audio) return completed ?? hearing
    const last = this.#open.at(-1)
    const continues = last && !this.#tellsFinal && this.#continues(last, result, now) ? last : undefined
    return same ?? bare ?? hearing ?? continues ?? this.#fresh(now)
  }

  /** True if different words still belong to `open`, for a service that does not mark results as interim or final. */
  #continues(open: Open, result: ReadResult, now: number): boolean {
    if (!open.voiced) return corrected(open, result)
    // Complete speech has its text with it; speech in pieces can have part of the text with each piece.
    if (this.#mode === 'block' || !result.audio) return false
    return this.#ends || now - open.at <= PIECE_MS
  }

  /**
   * Returns the name used here for a result that the service calls `name`; undefined if that name does not identify an
   * utterance.
   */
  #serving(name: string, result: ReadResult, now: number): string | undefined {
    const known = this.#again.get(name) ?? name
    if (this.#hearing?.name === known) return known
    const there = this.#open.find(open => open.name === known)
    if (there) return this.#isLater(there, result) ? undefined : known
    if (this.#isPart(result)) return undefined
    if (!this.#ended.has(known)) return known
    // A name that appears again after its end probably identifies the session, unless it is an immediate repetition.
    const over = this.#ended.get(known)!
    const repeats = !says(result) || wordsOf(result.text) === over.words
    const again = repeats && now - over.at <= AGAIN_MS && !this.#again.has(name)
    if (again && result.final !== false && !result.audio) return known
    const fresh = `${name}#${++this.#count}`
    this.#again.set(name, fresh)
    return fresh
  }

  #over(open: Open): void {
    const { name } = open
    this.#ended.set(name, open)
    this.#last = name
  }

  /** True if a result with the name of `open` belongs to later speech: the name probably identifies the session. */
  #isLater(open: Open, { final, text, audio }: ReadResult): boolean {
    if (open.words === undefined || audio) return false
    if (final === false) return true
    return this.#hearing !== undefined && text !== undefined && wordsOf(text) !== open.words
  }

  /** True if a result with its own name is part of an open utterance: the name identifies a piece or a message. */
  #isPart(result: ReadResult): boolean {
    const [first] = this.#open
    const { text, translation, audio } = result
    if (this.#hearing?.heard && text && grown(this.#hearing.heard, wordsOf(text))) return true
    if (!first) return false
    if (audio && !says(result)) return true
    if (!text && translation && this.#open.some(open => lacks(open, result))) return true
    return first.voiced && audio !== undefined && this.#mode === 'streaming' && sameWords(first, result)
  }

  #fresh(now: number, name = `#${++this.#count}`): Open {
    return { name, words: undefined, translated: undefined, heard: undefined, voiced: false, at: now }
  }
}

/** Stores the words of a final result. */
function note(open: Open, { text, translation }: ReadResult): void {
  if (text !== undefined) open.words = wordsOf(text)
  if (translation !== undefined) open.translated = wordsOf(translation)
}

/** True if a result has words. */
function says({ text, translation }: ReadResult): boolean {
  return Boolean(text || translation)
}

function sameWords(open: Open, { text, translation }: ReadResult): boolean {
  if (text && open.words !== undefined) return wordsOf(text) === open.words
  if (translation && open.translated !== undefined) return wordsOf(translation) === open.translated
  return false
}

/** True if `open` lacks all that the result has: a translation sent separately, or text sent after the speech. */
function lacks(open: Open, { text, translation }: ReadResult): boolean {
  if (text) return open.words === undefined && open.translated === undefined
  return open.translated === undefined && translation !== undefined
}

/** True if the result's words are those of `open`, extended or corrected. */
function corrected(open: Open, { text, translation }: ReadResult): boolean {
  return text ? grown(open.words, wordsOf(text)) : grown(open.translated, wordsOf(translation))
}

/** True if one text is the other, extended or corrected, by comparing their beginnings. */
function grown(before: string | undefined, after: string | undefined): boolean {
  if (!before || !after) return false
  const shorter = Math.min(before.length, after.length)
  let same = 0
  while (same < shorter && before[same] === after[same]) same++
  return same >= shorter * SAME_SHARE
}

/** Normalizes words: drops what recognizers correct last (case, punctuation, spaces). */
function wordsOf(text: string | undefined): string | undefined {
  return text
    ?.normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{P}\p{Z}\s]+/gu, ' ')
    .trim()
}
