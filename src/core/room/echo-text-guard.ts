import type { HeardFrames } from './echo-gate.ts'

/** Time for which played words are kept after their start (ms). It covers playback, the echo delay and recognition. */
const KEPT_MS = 20_000
const KEPT_MOST = 24
/** Share of a text that must match the played words; a recognizer understands an echo less well than direct speech. */
const ALIKE = 0.6
/** Length of the compared letter sequences (trigrams). */
const PIECE = 3
/** Minimum amount of echo (loud frames, 100 ms). Without any audio, a text must match more closely and be longer. */
const ECHO_LEAST = 5
const ALIKE_UNHEARD = 0.75
const LETTERS_UNHEARD = 12
/** Minimum duration of a spoken letter, and of an utterance (loud frames). */
const FRAMES_A_LETTER = 0.9
const FRAMES_LEAST = 6

/** Words that are played to a participant. Their text can be added later. */
export interface PlayedWords {
  readonly id: string
  readonly text?: string | undefined
}

interface Played {
  readonly words: PlayedWords
  readonly at: number
}

/** Counts of a participant's audio since a given time. */
export interface EchoEvidence {
  since(at: number, into: HeardFrames): void
}

/** Words recently played to one participant: translations and originals in all languages. Bounded. */
export class EchoWords {
  #played: readonly Played[] = []

  /** Records that playback of `words` starts at `now` (clock ms). */
  begun(words: PlayedWords, now: number): void {
    const others = this.#played.filter(each => each.words.id !== words.id && now - each.at < KEPT_MS)
    this.#played = [...others, { words, at: now }].slice(-KEPT_MOST)
  }

  /** Returns the words whose echo is still possible at `now`, oldest first. */
  recent(now: number): readonly Played[] {
    return this.#played.filter(({ at }) => now - at < KEPT_MS)
  }

  clear(): void {
    this.#played = []
  }
}

const heard: HeardFrames = { own: 0, echo: 0 }

/**
 * Returns true if `text`, recognized at `now`, is an echo that reached the recognizer. It consists of words that were
 * played (one utterance, a part of one, or several joined), their echo was picked up, and the participant's own voice was
 * too short for the text. A person who repeats the words is therefore not an echo.
 */
export function isEchoText(
  text: string,
  sources: readonly EchoWords[],
  evidence: EchoEvidence,
  now: number,
): boolean {
  const spoken = bare(text)
  const letters = spoken.replaceAll(' ', '').length
  if (letters === 0) return false
  for (const source of sources) {
    const played = source.recent(now)
    // Try every sequence of consecutive utterances, because several can be recognized as one.
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

/** Returns the share of the trigrams of `text` that occur in `played`, counting repetitions (0 to 1). */
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

/** Normalizes `text` for comparison: lower case, no accents, no punctuation, single spaces. */
export function bare(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
