import { type LanguageId, sameLanguage } from '../../../common/language.ts'
import type { Caption } from '../../../core/model/events.ts'
import { sameSpeech } from './likeness.ts'
import type { Line, Turn } from './turn.ts'

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
export class OpenTurn {
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
    const translations = new Map<LanguageId, Line>()
    for (const [to, { translation, final }] of this.#parts)
      if (translation !== '' && !sameLanguage(to, this.from))
        translations.set(to, { text: translation, final })
    const { id, speaker, from, final } = this
    return { id, speaker, name: this.#name, from, original: this.#original(), translations, final }
  }

  /** The original text: the final one, otherwise the longest known. */
  #original(): Line {
    let best: Line = { text: '', final: false }
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
