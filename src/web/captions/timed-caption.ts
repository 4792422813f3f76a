import { isoTime } from '../../common/wall-clock.ts'
import type { Caption } from '../../core/model/events.ts'

/** A room from its first participant to its last. Names are reused, lives are not. */
export interface RoomLife {
  /** Unique and unguessable. */
  readonly id: string
  readonly room: string
  /** Clock ms. */
  readonly openedAtMs: number
  /** ISO 8601. */
  readonly openedAt: string
}

/** A caption with times. */
export interface TimedCaption extends Caption {
  /** Start and end of the speech since the room opened (ms), estimated from the level. */
  readonly startMs: number
  readonly endMs: number
  /** Start of the speech, ISO 8601. */
  readonly startedAt: string
}

/** Texts are cut at this length (characters): about ten minutes of speech without a pause. */
const LONGEST_TEXT = 8_000
/** Maximum number of lanes; the latest are kept. */
const MOST_LANES = 1_000

/** Adds times to the captions of a room: ascending for each speaker and language, never before the room opened. */
export class CaptionTimes {
  readonly #life: RoomLife
  /** By speaker and language: the latest utterance, its start, and the end of the previous one (room ms). */
  readonly #latest = new Map<string, { utterance: string; startMs: number; endMs: number }>()

  constructor(life: RoomLife) {
    this.#life = life
  }

  /** Adds times to `caption`, which arrived at `now` (clock ms). */
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
    // For continuous speech: the known end is before this start. The system’s own texts are known before they are
    // played.
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

/** Converts a time of a room’s life (clock ms) to a date; the result is stable. */
export function dateIn({ openedAt, openedAtMs }: RoomLife, clockMs: number): string {
  return isoTime(Date.parse(openedAt) + Math.round(clockMs - openedAtMs))
}

/** Cuts at whole characters: half of a surrogate pair would not survive JSON and UTF-8. */
function cut(text: string): string {
  return text.slice(0, LONGEST_TEXT).toWellFormed()
}
