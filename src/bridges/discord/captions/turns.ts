import type { Caption } from '../../../core/model/events.ts'
import { OpenTurn } from './open-turn.ts'
import type { Turn } from './turn.ts'

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
