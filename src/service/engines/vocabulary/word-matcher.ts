/** A word; in scripts that are written without spaces, each character counts as one. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}\p{M}]+(?:['’-][\p{L}\p{N}\p{M}]+)*/gu

interface Word {
  /** Without case and accents. */
  readonly key: string
  readonly from: number
  readonly to: number
}

/** A phrase that was found in a text. */
export interface Found<T> {
  readonly value: T
  readonly from: number
  readonly to: number
}

/**
 * Finds phrases in texts, as whole words and regardless of case and accents, as recognizers often leave these out. Only
 * spaces can be between the words of a phrase. Of overlapping phrases, the first and longest one is found.
 */
export class WordMatcher<T> {
  readonly #values = new Map<string, T>()
  #longest = 0

  /** The first of several equal phrases counts. */
  constructor(phrases: Iterable<readonly [phrase: string, value: T]>) {
    for (const [phrase, value] of phrases) {
      const words = wordsOf(phrase)
      const key = words.map(word => word.key).join(' ')
      if (key === '' || this.#values.has(key)) continue
      this.#values.set(key, value)
      this.#longest = Math.max(this.#longest, words.length)
    }
  }

  /** Returns the phrases in `text`, in order. */
  find(text: string): Found<T>[] {
    if (this.#longest === 0) return []
    const words = wordsOf(text)
    const found: Found<T>[] = []
    for (let at = 0; at < words.length; ) {
      const match = this.#at(text, words, at)
      if (match)
        found.push({ value: match.value, from: words[at]!.from, to: words[at + match.count - 1]!.to })
      at += match?.count ?? 1
    }
    return found
  }

  /** Replaces each phrase in `text`. */
  replace(text: string, replacement: (value: T) => string): string {
    let result = ''
    let end = 0
    for (const { value, from, to } of this.find(text)) {
      result += text.slice(end, from) + replacement(value)
      end = to
    }
    return result + text.slice(end)
  }

  #at(text: string, words: readonly Word[], at: number): { value: T; count: number } | undefined {
    let key = ''
    let longest: { value: T; count: number } | undefined
    for (let count = 1; count <= this.#longest && at + count <= words.length; count++) {
      const word = words[at + count - 1]!
      if (count > 1 && text.slice(words[at + count - 2]!.to, word.from).trim() !== '') break
      key = count === 1 ? word.key : `${key} ${word.key}`
      if (this.#values.has(key)) longest = { value: this.#values.get(key)!, count }
    }
    return longest
  }
}

function wordsOf(text: string): Word[] {
  return Array.from(text.matchAll(WORD), match => ({
    key: withoutMarks(match[0]),
    from: match.index,
    to: match.index + match[0].length,
  }))
}

/** Returns `text` without case and accents, with plain apostrophes. */
export function withoutMarks(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('’', "'").toLowerCase()
}
