import type { ReadResult } from './result-reader.ts'

/** Whether a session's answers have a voice whose end is told, and whether that comes whole or in pieces. */
export type VoiceMode = 'none' | 'block' | 'streaming'

/** An utterance of which nothing came for this long is over, whether its end was told or not (ms). */
const OPEN_MS = 10_000
/** Pieces of one voice come closer together than this, where no end has been told so far (ms). */
const PIECE_MS = 1_000
/** What is told twice comes again so soon (ms). */
const AGAIN_MS = 500
/** Names of utterances that are over, to be known when they come again. */
const MOST_ENDED = 32
/** Of the shorter one of two texts so much has to be the same at the beginning, for one to be the other corrected. */
const SAME_SHARE = 0.5

/** An utterance whose end has not come. */
interface Open {
  readonly name: string
  /** Its final words so far; undefined while none came. */
  words: string | undefined
  /** … and its translation. */
  translated: string | undefined
  /** Its interim words so far. */
  heard: string | undefined
  /** Some of its voice came. */
  voiced: boolean
  /** When something of it came last (ms). */
  at: number
}

/**
 * Tells of which utterance each result of one connection is. The interface does not say how: where results carry a name
 * that serves, that is taken; otherwise they are numbered here. An utterance opens with the first result after an end and
 * closes at `endSynth`; without a voice it closes at its final result. Several may be open: the next one's text comes while the
 * voice of the former is still on its way, and voices come in the order of their texts.
 */
export class UtteranceNumbers {
  readonly #mode: VoiceMode
  /** Final text or voice came, the end has not; in order. */
  #open: Open[] = []
  /** What is being said now, of which only interim text came. */
  #hearing: Open | undefined
  /** Utterances that are over, by name. */
  readonly #ended = new Map<string, Open>()
  /** What a name means that the service uses again. */
  readonly #again = new Map<string, string>()
  #count = 0
  /** What ended last. */
  #last = '#0'
  /** It tells ends, tells interim from final. */
  #ends = false
  #tellsFinal = false

  constructor(mode: VoiceMode) {
    this.#mode = mode
  }

  /** The name of the utterance that `result`, which came at `now` (ms), is of. */
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

  /** `endSynth`, with the name in it if there is one: the name of the utterance that ends. */
  end(told: string | undefined): string {
    this.#ends = true
    const name = told === undefined ? undefined : (this.#again.get(told) ?? told)
    const at = this.#open.findIndex(open => open.name === name)
    if (at >= 0) {
      const ended = this.#open.splice(0, at + 1)
      for (const each of ended) this.#over(each)
      return name!
    }
    // Told again. A name that no result had names nothing: what is open first ends.
    if (name !== undefined && this.#ended.has(name)) return name
    const first = this.#open.shift()
    if (first) this.#over(first)
    return first?.name ?? this.#last
  }

  /** Without a voice, an utterance is over with its final result. */
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
      // What was no words has no voice that is to be waited for.
      this.#open = this.#open.filter(each => each.voiced || each.words !== '')
      this.#open.push(open)
    }
    if (!audio) return open
    open.voiced = true
    // Voices come in order: those before it are over, or there are none.
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
    // What is being heard was said after what is open, also where it is the same words.
    if (hearing && result.text && !result.audio) return completed ?? hearing
    const last = this.#open.at(-1)
    const goesOn = last && !this.#tellsFinal && this.#goesOn(last, result, now) ? last : undefined
    return same ?? bare ?? hearing ?? goesOn ?? this.#fresh(now)
  }

  /** Whether other words than before are still of `open`, as far as a service tells that does not tell interim from final. */
  #goesOn(open: Open, result: ReadResult, now: number): boolean {
    if (!open.voiced) return corrected(open, result)
    // A whole voice has its text with it; one in pieces may have a part of the text with each.
    if (this.#mode === 'block' || !result.audio) return false
    return this.#ends || now - open.at <= PIECE_MS
  }

  /** The name by which a result that the service calls `name` is known here; undefined where that names no utterance. */
  #serving(name: string, result: ReadResult, now: number): string | undefined {
    const known = this.#again.get(name) ?? name
    if (this.#hearing?.name === known) return known
    const there = this.#open.find(open => open.name === known)
    if (there) return this.#isLater(there, result) ? undefined : known
    if (this.#isPart(result)) return undefined
    if (!this.#ended.has(known)) return known
    // The same name again after its end is that of a session, say; unless it is only told again, at once.
    const over = this.#ended.get(known)!
    const repeats = !says(result) || wordsOf(result.text) === over.words
    const again = repeats && now - over.at <= AGAIN_MS && !this.#again.has(name)
    if (again && result.final !== false && !result.audio) return known
    const fresh = `${name}#${++this.#count}`
    if (this.#again.size >= MOST_ENDED) this.#again.delete(this.#again.keys().next().value!)
    this.#again.set(name, fresh)
    return fresh
  }

  #over(open: Open): void {
    const { name } = open
    if (this.#ended.size >= MOST_ENDED) this.#ended.delete(this.#ended.keys().next().value!)
    this.#ended.set(name, open)
    this.#last = name
  }

  /** Whether a result that has the name of `open` is of what is said after it: the name is that of a session, say. */
  #isLater(open: Open, { final, text, audio }: ReadResult): boolean {
    if (open.words === undefined || audio) return false
    if (final === false) return true
    return this.#hearing !== undefined && text !== undefined && wordsOf(text) !== open.words
  }

  /** Whether a result that has a name of its own is a part of what is open: the name is that of a piece or a message. */
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

/** Keeps the words of a final result. */
function note(open: Open, { text, translation }: ReadResult): void {
  if (text !== undefined) open.words = wordsOf(text)
  if (translation !== undefined) open.translated = wordsOf(translation)
}

/** There are words in it. */
function says({ text, translation }: ReadResult): boolean {
  return Boolean(text || translation)
}

function sameWords(open: Open, { text, translation }: ReadResult): boolean {
  if (text && open.words !== undefined) return wordsOf(text) === open.words
  if (translation && open.translated !== undefined) return wordsOf(translation) === open.translated
  return false
}

/** Whether `open` has nothing yet of what the result has: its translation comes by itself, or its text behind its voice. */
function lacks(open: Open, { text, translation }: ReadResult): boolean {
  if (text) return open.words === undefined && open.translated === undefined
  return open.translated === undefined && translation !== undefined
}

/** Whether the result's words are those of `open`, grown or corrected. */
function corrected(open: Open, { text, translation }: ReadResult): boolean {
  return text ? grown(open.words, wordsOf(text)) : grown(open.translated, wordsOf(translation))
}

/** Whether the one is the other, grown or corrected: by how they begin. */
function grown(before: string | undefined, after: string | undefined): boolean {
  if (!before || !after) return false
  const shorter = Math.min(before.length, after.length)
  let same = 0
  while (same < shorter && before[same] === after[same]) same++
  return same >= shorter * SAME_SHARE
}

/** Words without what recognisers correct last: capitals, punctuation, spaces. */
function wordsOf(text: string | undefined): string | undefined {
  return text
    ?.normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{P}\p{Z}\s]+/gu, ' ')
    .trim()
}
