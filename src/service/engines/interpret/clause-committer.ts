import type { LanguageId } from '../../../common/language.ts'
import type { Transcript } from '../engine.ts'
import { clings, endsClause, endsSentence, sharedWords, type Word, wordsOf } from './words.ts'

/** `clause`: while a sentence is spoken. `sentence`: when it has ended. `utterance`: when the recognizer ends an utterance. */
export type CommitMode = 'clause' | 'sentence' | 'utterance'

/** Words before punctuation within a sentence, before a pause, and at any other place. */
const WORDS_BEFORE_COMMA = 5
const WORDS_BEFORE_PAUSE = 3
const WORDS_ANYWHERE = 10
/** A clause of this length is committed without waiting for more of it (ms). */
const LONGEST_MS = 3_000
/** Last committed words by which a changed text is aligned. */
const ALIGNED_WORDS = 3

/** Words that are final for the translation. */
export interface Clause {
  readonly text: string
  /** In the audio of the stream (ms); estimated within an utterance. */
  readonly startMs: number
  readonly endMs: number
  /** Its sentence ends with it. */
  readonly endsSentence: boolean
  /** The text of its sentence up to here, as recognized by now. */
  readonly sentence: string
  /** Confidence of each of its words, and of each word of `sentence`, 0 to 1, if the recognizer tells. */
  readonly confidence?: readonly number[] | undefined
  readonly sentenceConfidence?: readonly number[] | undefined
}

/**
 * Decides which words of a growing transcript are translated now. A word counts as stable if the recognizer says so, else if
 * two successive partials agree on it and all before it. Committed words are never taken back: if the recognizer changes
 * them, the rest is aligned with the last of them.
 */
export class ClauseCommitter {
  readonly #language: LanguageId
  readonly #mode: CommitMode
  #transcript: Transcript | undefined
  #words: readonly Word[] = []
  /** Estimated end of each word in the audio (ms). */
  #ends: number[] = []
  #agreed = 0
  /** The committed words of this utterance, and where the present sentence starts among them. */
  #committed: string[] = []
  #sentenceFrom = 0
  /** End of the last committed word (ms). */
  #committedMs = 0
  /** Committed words that the recognizer changed later. */
  changedWords = 0

  constructor(language: LanguageId, mode: CommitMode) {
    this.#language = language
    this.#mode = mode
  }

  /**
   * Takes a partial of the present utterance; returns the clauses that are now final. `recognizedMs`: end of the audio that the
   * recognizer has taken, whose last words can be missing in the text.
   */
  partial(transcript: Transcript, recognizedMs = transcript.endMs): Clause[] {
    if (this.#mode === 'utterance') return []
    const { text, stable } = transcript
    const before = this.#words
    const words = wordsOf(text, this.#language)
    if (!this.#transcript) this.#committedMs = transcript.startMs
    this.#place(words, sharedWords(before, words), transcript)
    this.#agreed = sharedWords(before, words)
    this.#transcript = transcript
    this.#words = words
    const known = stable === undefined ? this.#agreed : words.filter(({ to }) => to <= stable).length
    // Punctuation can be added to a word that stays.
    const isSettled = (n: number) => stable !== undefined || before[n]?.text === words[n]!.text
    return this.#cut(known, isSettled, recognizedMs)
  }

  /** The speaker pauses after the text so far: commits it if all of it is stable. */
  pause(): Clause[] {
    const from = this.#next(this.#words)
    const count = this.#words.length
    const last = this.#words[count - 1]
    if (this.#mode !== 'clause' || !last || count - from < WORDS_BEFORE_PAUSE) return []
    if (this.#agreed < count && (this.#transcript?.stable ?? 0) < last.to) return []
    return [this.#commit(from, count, endsSentence(last.text))]
  }

  /** Takes the final of the present utterance, and returns the rest as clauses, of which the last one ends its sentence. */
  final(transcript: Transcript): Clause[] {
    if (this.#mode === 'utterance') {
      const { text, startMs, endMs } = transcript
      return [{ text, sentence: text, startMs, endMs, endsSentence: true }]
    }
    const words = wordsOf(transcript.text, this.#language)
    if (!this.#transcript) this.#committedMs = transcript.startMs
    this.#place(words, sharedWords(this.#words, words), transcript)
    this.#transcript = transcript
    this.#words = words
    const clauses: Clause[] = []
    let from = this.#next(words)
    this.changedWords += changes(
      this.#committed,
      words.slice(0, from).map(({ key }) => key),
    )
    for (let n = from; n < words.length - 1; n++) {
      if (!endsSentence(words[n]!.text)) continue
      clauses.push(this.#commit(from, n + 1, true))
      from = n + 1
    }
    clauses.push({ ...this.#commit(from, words.length, true), endMs: transcript.endMs })
    this.#transcript = undefined
    this.#words = []
    this.#ends = []
    this.#agreed = 0
    this.#committed = []
    this.#sentenceFrom = 0
    return clauses
  }

  /** The words of the present sentence on which partials agree: what captions can show without taking it back. */
  get shown(): string {
    const { text = '', stable = 0 } = this.#transcript ?? {}
    const known = Math.max(this.#agreed, this.#words.filter(({ to }) => to <= stable).length)
    const from = aligned(this.#committed.slice(0, this.#sentenceFrom), this.#words)
    const ended = this.#words.findIndex((word, n) => n >= from && endsSentence(word.text))
    const to = Math.min(ended < 0 ? known : ended + 1, known)
    return this.#slice(text, from, Math.max(to, this.#next(this.#words)))
  }

  /** End of what has been committed, in the audio (ms): the next sentence starts there at the earliest. */
  get growsFromMs(): number {
    return Math.round(this.#committedMs)
  }

  /** Commits what the rules allow of the first `known` words; `settled`: the punctuation of a word is final. */
  #cut(known: number, settled: (word: number) => boolean, recognizedMs: number): Clause[] {
    const clauses: Clause[] = []
    let from = this.#next(this.#words)
    for (let n = from; n < known; n++) {
      const word = this.#words[n]!
      const count = n - from + 1
      const ends = settled(n) && endsSentence(word.text)
      const commits =
        ends ||
        (this.#mode === 'clause' &&
          ((count >= WORDS_BEFORE_COMMA && settled(n) && endsClause(word.text)) ||
            (count >= WORDS_ANYWHERE && !clings(word, this.#language))))
      if (!commits) continue
      clauses.push(this.#commit(from, n + 1, ends))
      from = n + 1
    }
    const long = this.#mode === 'clause' && recognizedMs - this.#startOf(from) >= LONGEST_MS
    for (let n = known - 1; long && n >= from + WORDS_BEFORE_PAUSE - 1; n--)
      if (!clings(this.#words[n]!, this.#language)) return [...clauses, this.#commit(from, n + 1, false)]
    return clauses
  }

  #commit(from: number, to: number, endsSentence: boolean): Clause {
    const { text = '', confidence } = this.#transcript!
    const startMs = this.#committedMs
    const endMs = Math.max(startMs, Math.round(this.#ends[to - 1] ?? startMs))
    const sentenceFrom = aligned(this.#committed.slice(0, this.#sentenceFrom), this.#words)
    const known = confidence?.length === this.#words.length ? confidence : undefined
    this.#committed.push(...this.#words.slice(from, to).map(({ key }) => key))
    this.#committedMs = endMs
    if (endsSentence) this.#sentenceFrom = this.#committed.length
    return {
      text: this.#slice(text, from, to),
      ...{ startMs, endMs, endsSentence },
      sentence: this.#slice(text, sentenceFrom, to),
      confidence: known?.slice(from, to),
      sentenceConfidence: known?.slice(sentenceFrom, to),
    }
  }

  /** Index of the first word that is not committed. */
  #next(words: readonly Word[]): number {
    return aligned(this.#committed, words)
  }

  /** Estimated start of a word (ms). */
  #startOf(word: number): number {
    return Math.max(this.#committedMs, this.#ends[word - 1] ?? 0)
  }

  #slice(text: string, from: number, to: number): string {
    return to > from ? text.slice(this.#words[from]!.from, this.#words[to - 1]!.to) : ''
  }

  /** Estimates the times of the words that are new: evenly from the last known one to the end of the transcript. */
  #place(words: readonly Word[], kept: number, { startMs, endMs }: Transcript): void {
    this.#ends.length = Math.min(this.#ends.length, kept)
    const from = this.#ends.at(-1) ?? startMs
    const added = words.length - this.#ends.length
    for (let n = 1; n <= added; n++) this.#ends.push(from + (Math.max(0, endMs - from) * n) / added)
  }
}

/** Returns the index in `words` behind the `committed` ones: by all of them, else by the last three, else by their number. */
function aligned(committed: readonly string[], words: readonly Word[]): number {
  const count = committed.length
  if (committed.every((key, n) => words[n]?.key === key)) return count
  const last = committed.slice(-ALIGNED_WORDS)
  let best: number | undefined
  for (let end = last.length; end <= words.length; end++) {
    if (!last.every((key, n) => words[end - last.length + n]!.key === key)) continue
    if (best === undefined || Math.abs(end - count) < Math.abs(best - count)) best = end
  }
  return best ?? Math.min(count, words.length)
}

/** Number of words of `before` that are not in `now`, in order. */
function changes(before: readonly string[], now: readonly string[]): number {
  const kept = new Array<number>(now.length + 1).fill(0)
  for (const word of before) {
    let diagonal = 0
    for (let n = 0; n < now.length; n++) {
      const above = kept[n + 1]!
      kept[n + 1] = now[n] === word ? diagonal + 1 : Math.max(above, kept[n]!)
      diagonal = above
    }
  }
  return before.length - kept[now.length]!
}
