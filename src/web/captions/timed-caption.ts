import type { Caption } from '../../core/observer.ts'
import { isoTime } from '../../core/wall-clock.ts'

/** A room from its first party to its last: names come back, these do not. */
export interface RoomLife {
  /** Unique, not to be guessed. */
  readonly id: string
  readonly room: string
  /** Clock ms. */
  readonly openedAtMs: number
  /** ISO 8601. */
  readonly openedAt: string
}

/** A caption with its place in time. */
export interface TimedCaption extends Caption {
  /** When what was said began and ended, from the room's opening (ms), as far as it can be told by level. */
  readonly startMs: number
  readonly endMs: number
  /** When it began, ISO 8601. */
  readonly startedAt: string
}

/** Texts are cut here (characters): some ten minutes of talk without a pause. */
const LONGEST_TEXT = 8_000
/** Speakers come and go; the latest are remembered. */
const MOST_LANES = 1_000

/** Gives the captions of one room their times: in order for each speaker and language, never before the room. */
export class CaptionTimes {
  readonly #life: RoomLife
  /** By speaker and language: the latest utterance, when it began, and when the one before it ended (room ms). */
  readonly #latest = new Map<string, { utterance: string; startMs: number; endMs: number }>()

  constructor(life: RoomLife) {
    this.#life = life
  }

  /** `caption`, which came at `now` (clock ms). */
  timed(caption: Caption, now: number): TimedCaption {
    const lane = `${caption.speaker} ${caption.to}`
    const before = this.#latest.get(lane)
    const since = (clockMs: number) => Math.max(0, Math.round(clockMs - this.#life.openedAtMs))
    const here = since(now)
    const spoken = caption.spoken ?? { fromMs: now, toMs: now }
    const known = before?.utterance === caption.utterance
    const startMs = known
      ? before.startMs
      : Math.min(here, Math.max(since(spoken.fromMs), before?.endMs ?? 0))
    // Somebody who talks on without a pause: the end that is known was before this began. The system's own words are
    // known before they are heard.
    const latest = caption.system ? Number.POSITIVE_INFINITY : here
    const endMs = since(spoken.toMs) > startMs ? Math.min(latest, since(spoken.toMs)) : here
    this.#latest.delete(lane)
    if (this.#latest.size >= MOST_LANES) this.#latest.delete(this.#latest.keys().next().value!)
    this.#latest.set(lane, { utterance: caption.utterance, startMs, endMs })
    return {
      ...caption,
      ...(caption.text === undefined ? {} : { text: cut(caption.text) }),
      ...(caption.translation === undefined ? {} : { translation: cut(caption.translation) }),
      startMs,
      endMs,
      startedAt: dateIn(this.#life, this.#life.openedAtMs + startMs),
    }
  }
}

/** A time of a room's life (clock ms) as a date, which is the same whenever it is asked for. */
export function dateIn({ openedAt, openedAtMs }: RoomLife, clockMs: number): string {
  return isoTime(Date.parse(openedAt) + Math.round(clockMs - openedAtMs))
}

/** Whole characters only: a half of a pair would not survive JSON and UTF-8. */
function cut(text: string): string {
  return text.slice(0, LONGEST_TEXT).toWellFormed()
}
