import { type LanguageId, sameLanguage } from '../../../common/language.ts'
import type { Caption } from '../../../core/model/caption.ts'
import { bare } from '../../../core/room/echo-text-guard.ts'

/** Minimum number of letter pairs for a comparison. */
const PAIRS_LEAST = 6

/** Counts each pair of adjacent letters in `text`. */
function pairsOf(text: string): Map<string, number> {
  const letters = Array.from(text.replaceAll(' ', ''))
  const pairs = new Map<string, number>()
  for (let n = 1; n < letters.length; n++) {
    const pair = letters[n - 1]! + letters[n]!
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
  }
  return pairs
}

function shared(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const [pair, count] of a) sum += Math.min(count, b.get(pair) ?? 0)
  return sum
}

function count(pairs: ReadonlyMap<string, number>): number {
  let sum = 0
  for (const each of pairs.values()) sum += each
  return sum
}

/**
 * Returns whether the two texts are probably the same speech: one starts with the other, or most of the shorter one
 * occurs in the longer.
 */
function sameSpeech(a: string, b: string): boolean {
  const [one, two] = [bare(a), bare(b)]
  if (one.startsWith(two) || two.startsWith(one)) return one !== '' && two !== ''
  const [pairs, others] = [pairsOf(one), pairsOf(two)]
  const least = Math.min(count(pairs), count(others))
  return least >= PAIRS_LEAST && shared(pairs, others) / least >= 0.6
}

/** The results of one session for a turn. */
interface Part {
  readonly utterance: string
  readonly text: string
  readonly translation: string
  readonly final: boolean
  /** Final only because of a timeout. A slow service can still deliver the rest. */
  readonly givenUp?: true
}

/** A turn that can still change. */
class OpenTurn {
  readonly id: number
  readonly speaker: string
  readonly from: LanguageId
  changedAt: number
  #name: string | undefined
  #spoken: Caption['spoken']
  readonly #parts = new Map<LanguageId, Part>()

  constructor(id: number, { speaker, from }: Caption, now: number) {
    this.id = id
    this.speaker = speaker
    this.from = from
    this.changedAt = now
  }

  /** Utterance of this turn in `to`, if any. */
  in(to: LanguageId): string | undefined {
    return this.#parts.get(to)?.utterance
  }

  has({ to, utterance }: Caption): boolean {
    return this.in(to) === utterance
  }

  get final(): boolean {
    for (const { final } of this.#parts.values()) if (!final) return false
    return true
  }

  /** Returns whether a new utterance that starts with `caption` can belong to this turn. */
  takes(caption: Caption): boolean {
    if (caption.from !== this.from) return false
    const { text } = this.#original()
    // After a reconnect, a session repeats its unfinished utterance.
    const lost = this.#parts.get(caption.to)
    if (lost)
      return (!lost.final || lost.givenUp === true) && text !== '' && sameSpeech(text, caption.text ?? '')
    if (text !== '' && caption.text) return sameSpeech(text, caption.text)
    return overlap(this.#spoken, caption.spoken)
  }

  /** Returns false if no visible text changed. */
  take(caption: Caption, now: number): boolean {
    const { to, utterance, final, text = '', translation = '' } = caption
    const before = this.#parts.get(to)
    if (before?.utterance === utterance && before.final && !before.givenUp) return false
    // A result may contain only the text or only the translation.
    const same = before?.utterance === utterance ? before : undefined
    const part = {
      utterance,
      final,
      text: text || (same?.text ?? ''),
      translation: translation || (same?.translation ?? ''),
    }
    const { name = this.#name, spoken = this.#spoken } = caption
    const different =
      !before ||
      name !== this.#name ||
      before.final !== final ||
      before.text !== part.text ||
      before.translation !== part.translation
    this.#parts.set(to, part)
    this.#name = name
    this.#spoken = spoken
    if (different) this.changedAt = now
    return different
  }

  /** Removes an utterance that was not real speech. Returns false if the turn is now empty. */
  remove(utterance: string): boolean {
    for (const [to, part] of this.#parts) if (part.utterance === utterance) this.#parts.delete(to)
    return this.#parts.size > 0
  }

  /** Marks the remaining parts as final. Late results are still accepted. */
  giveUp(): void {
    for (const [to, part] of this.#parts)
      if (!part.final) this.#parts.set(to, { ...part, final: true, givenUp: true })
  }

  /** Returns the turn's current state. */
  view(): Turn {
    const translations = new Map<LanguageId, TurnLine>()
    for (const [to, { translation, final }] of this.#parts)
      if (translation !== '' && !sameLanguage(to, this.from))
        translations.set(to, { text: translation, final })
    const { id, speaker, from, final } = this
    return { id, speaker, name: this.#name, from, original: this.#original(), translations, final }
  }

  /** The original text: the final one, otherwise the longest known. */
  #original(): TurnLine {
    let best: TurnLine = { text: '', final: false }
    for (const { text, final } of this.#parts.values()) {
      if (text === '' || best.final) continue
      if (final || text.length > best.text.length) best = { text, final }
    }
    return best
  }
}

/** Unknown intervals count as overlapping. */
function overlap(a: Caption['spoken'], b: Caption['spoken']): boolean {
  if (!a || !b) return true
  const shared = Math.min(a.toMs, b.toMs) - Math.max(a.fromMs, b.fromMs)
  return shared >= Math.min(a.toMs - a.fromMs, b.toMs - b.fromMs) / 2
}

/** Part of a turn, in one language. */
export interface TurnLine {
  readonly text: string
  /** No further changes are expected. */
  readonly final: boolean
}

/** One turn of a speaker: the original text once, and one translation per language. */
export interface Turn {
  /** Unique among the turns of one channel; later turns have higher numbers. */
  readonly id: number
  /** Participant ID in the room. */
  readonly speaker: string
  readonly name?: string | undefined
  readonly from: LanguageId
  readonly original: TurnLine
  /** In order of arrival. */
  readonly translations: ReadonlyMap<LanguageId, TurnLine>
  /** No changes are expected; another language can still be added. */
  readonly final: boolean
}

/** Maximum number of open turns per speaker. */
const OPEN_MOST = 8

export interface TurnsOptions {
  /** A turn without a change for this long becomes final (ms). */
  readonly quietMs: number
  /** A turn accepts additions until this long after its last change (ms). */
  readonly keepMs: number
}

/**
 * Groups captions into turns. A speaker has one session per target language, and each session reports the same speech
 * in its own utterances, partial and final, early or late. Utterances with the same words become one turn. Pure:
 * callers pass the time.
 */
export class Turns {
  readonly #options: TurnsOptions
  /** Oldest first. */
  readonly #open = new Map<string, OpenTurn[]>()
  #count = 0

  constructor(options: TurnsOptions = { quietMs: 8_000, keepMs: 30_000 }) {
    this.#options = options
  }

  /** Number of turns that can still change. */
  get size(): number {
    let size = 0
    for (const turns of this.#open.values()) size += turns.length
    return size
  }

  /** Applies `caption` and returns the changed turn, or undefined if no visible text changed. */
  take(caption: Caption, now: number): Turn | undefined {
    const turns = this.#open.get(caption.speaker) ?? []
    const turn = turns.find(each => each.has(caption)) ?? waiting(turns, caption)
    if (turn) return turn.take(caption, now) ? turn.view() : undefined
    if (!caption.text && !caption.translation) return undefined
    const fresh = new OpenTurn(++this.#count, caption, now)
    fresh.take(caption, now)
    turns.push(fresh)
    if (turns.length > OPEN_MOST) turns.shift()
    this.#open.set(caption.speaker, turns)
    return fresh.view()
  }

  /** Removes an utterance that was not real speech. Returns the turn's id if the turn is now empty. */
  takeBack({ speaker, utterance, to }: Pick<Caption, 'speaker' | 'utterance' | 'to'>): number | undefined {
    const turns = this.#open.get(speaker) ?? []
    const at = turns.findIndex(turn => turn.in(to) === utterance)
    const turn = turns[at]
    if (!turn || turn.remove(utterance)) return undefined
    turns.splice(at, 1)
    return turn.id
  }

  /** Returns the turns that time out at `now` and are final from then on. Call it about once a second. */
  due(now: number): Turn[] {
    const ended: Turn[] = []
    for (const [speaker, turns] of this.#open) {
      const { quietMs, keepMs } = this.#options
      for (const turn of turns) {
        if (turn.final || now - turn.changedAt < quietMs) continue
        turn.giveUp()
        ended.push(turn.view())
      }
      const kept = turns.filter(({ changedAt }) => now - changedAt < keepMs)
      if (kept.length > 0) this.#open.set(speaker, kept)
      else this.#open.delete(speaker)
    }
    return ended
  }

  /** Forgets all turns of `speaker` and returns them. */
  forget(speaker: string): readonly Pick<Turn, 'id' | 'final'>[] {
    const turns = this.#open.get(speaker) ?? []
    this.#open.delete(speaker)
    return turns
  }
}

/** Returns the open turn that the new utterance of `caption` belongs to. Utterances of one language arrive in order. */
function waiting(turns: readonly OpenTurn[], caption: Caption): OpenTurn | undefined {
  const last = turns.findLastIndex(turn => turn.in(caption.to) !== undefined)
  return turns.slice(Math.max(0, last)).find(turn => turn.takes(caption))
}
