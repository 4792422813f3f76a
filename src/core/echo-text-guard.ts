import type { HeardOfParty } from './echo-gate.ts'

/** What was played is remembered for so long after its beginning (ms): it lasts, comes back, and a recogniser takes its time. */
const KEPT_MS = 20_000
const KEPT_MOST = 24
/** This share of a text must be in what was played; a recogniser hears an echo less well than a person. */
const ALIKE = 0.6
/** Letters that are compared at a time. */
const PIECE = 3
/** So much echo must have been heard (loud frames: 100 ms); where nothing at all was, a text must be more alike and longer. */
const ECHO_LEAST = 5
const ALIKE_UNHEARD = 0.75
const LETTERS_UNHEARD = 12
/** Nobody says a letter in less than this (loud frames), nor anything at all. */
const FRAMES_A_LETTER = 0.9
const FRAMES_LEAST = 6

/** Words that are played to a party; their text may become known later. */
export interface PlayedWords {
  readonly id: string
  readonly text?: string | undefined
}

interface Played {
  readonly words: PlayedWords
  readonly at: number
}

/** Tells how much was heard of a party since a moment. */
export interface Evidence {
  since(at: number, into: HeardOfParty): void
}

/** The words that one party was played of late, translations and originals in whatever language. Bounded. */
export class EchoWords {
  #played: readonly Played[] = []

  /** `words` begin to be heard at `now` (clock ms). */
  begun(words: PlayedWords, now: number): void {
    const others = this.#played.filter(each => each.words.id !== words.id && now - each.at < KEPT_MS)
    this.#played = [...others, { words, at: now }].slice(-KEPT_MOST)
  }

  /** Those that may still come back at `now`, oldest first. */
  recent(now: number): readonly Played[] {
    return this.#played.filter(({ at }) => now - at < KEPT_MS)
  }

  clear(): void {
    this.#played = []
  }
}

const heard: HeardOfParty = { own: 0, echo: 0 }

/**
 * Whether `text`, understood at `now`, is an echo that the recogniser heard after all: it is made of words that were played
 * (one, half of one, or several joined), an echo of them was picked up, and the party itself was not heard for long enough
 * to have said it. Who repeats what they heard speaks, and is kept. A party of whom nothing was heard has said nothing.
 */
export function isEchoText(
  text: string,
  sources: readonly EchoWords[],
  evidence: Evidence,
  now: number,
): boolean {
  const spoken = bare(text)
  const letters = spoken.replaceAll(' ', '').length
  if (letters === 0) return false
  for (const source of sources) {
    const played = source.recent(now)
    // From each one on, with those behind it: several may have been understood as one.
    for (let first = 0; first < played.length; first++) {
      evidence.since(played[first]!.at, heard)
      const unheard = heard.echo < ECHO_LEAST
      if (unheard && (heard.own > 0 || letters < LETTERS_UNHEARD)) continue
      if (heard.own >= Math.max(FRAMES_LEAST, letters * FRAMES_A_LETTER)) continue
      let joined = ''
      for (let last = first; last < played.length; last++)
        joined += ` ${bare(played[last]!.words.text ?? '')}`
      if (share(spoken, joined.trim()) >= (unheard ? ALIKE_UNHEARD : ALIKE)) return true
    }
  }
  return false
}

/** How much of `text` is in `played`, by pieces of three letters, each counted as often as it is there (0 to 1). */
function share(text: string, played: string): number {
  if (text === played) return 1
  const there = piecesOf(played)
  let all = 0
  let common = 0
  for (const [piece, count] of piecesOf(text)) {
    all += count
    common += Math.min(count, there.get(piece) ?? 0)
  }
  return all === 0 ? 0 : common / all
}

function piecesOf(text: string): Map<string, number> {
  const letters = ` ${text} `
  const pieces = new Map<string, number>()
  if (text === '') return pieces
  for (let at = 0; at + PIECE <= letters.length; at++) {
    const piece = letters.slice(at, at + PIECE)
    pieces.set(piece, (pieces.get(piece) ?? 0) + 1)
  }
  return pieces
}

/** `text` as it sounds, roughly: lower case, no accents, no punctuation, single spaces. */
export function bare(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
