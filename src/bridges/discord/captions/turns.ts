import type { Caption } from '../../../core/observer.ts'
import { OpenTurn } from './open-turn.ts'
import type { Turn } from './turn.ts'

/** Turns of one speaker that may still change. */
const OPEN_MOST = 8

export interface TurnsOptions {
  /** What is not final and has not changed for so long will not be (ms). */
  readonly quietMs: number
  /** So long after its last change nothing is added to a turn (ms). */
  readonly keepMs: number
}

/**
 * Puts captions together into turns. A speaker has a session for each language they are translated into, and each tells
 * the same speech in its own utterances, partial and final, early or late: what is about the same words becomes one turn.
 * Pure: time comes with each call.
 */
export class Turns {
  readonly #options: TurnsOptions
  /** Oldest first. */
  readonly #open = new Map<string, OpenTurn[]>()
  #count = 0

  constructor(options: TurnsOptions = { quietMs: 8_000, keepMs: 30_000 }) {
    this.#options = options
  }

  /** Turns that may still change. */
  get size(): number {
    let size = 0
    for (const turns of this.#open.values()) size += turns.length
    return size
  }

  /** The turn that `caption` changes, as it is then; undefined when nothing that can be seen is different. */
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

  /** What was told as this utterance was not said: the id of the turn that it alone was, if there was one. */
  takeBack({ speaker, utterance, to }: Pick<Caption, 'speaker' | 'utterance' | 'to'>): number | undefined {
    const turns = this.#open.get(speaker) ?? []
    const at = turns.findIndex(turn => turn.in(to) === utterance)
    const turn = turns[at]
    if (!turn || turn.remove(utterance)) return undefined
    turns.splice(at, 1)
    return turn.id
  }

  /** Looks at the time: turns that are given up, so final now. A few times a minute is enough, once a second is better. */
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

  /** Forgets what `speaker` said; returns the turns that it was. */
  forget(speaker: string): readonly Pick<Turn, 'id' | 'final'>[] {
    const turns = this.#open.get(speaker) ?? []
    this.#open.delete(speaker)
    return turns
  }
}

/** The turn that the new utterance of `caption` belongs to: utterances of one language come in order. */
function waiting(turns: readonly OpenTurn[], caption: Caption): OpenTurn | undefined {
  const last = turns.findLastIndex(turn => turn.in(caption.to) !== undefined)
  return turns.slice(Math.max(0, last)).find(turn => turn.takes(caption))
}
