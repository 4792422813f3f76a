import { randomBytes } from 'node:crypto'
import { BoundedMap } from '../../common/bounded-map.ts'
import type { Clock } from '../../common/clock.ts'
import { isoTime, type WallClock } from '../../common/wall-clock.ts'
import type { Caption } from '../../core/model/caption.ts'
import type { Observer, ReceptionEvent } from '../../core/model/events.ts'
import type { Why } from '../../core/model/reception.ts'

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
class CaptionTimes {
  readonly #life: RoomLife
  /** By speaker and language: the latest utterance, its start, and the end of the previous one (room ms). */
  readonly #latest = new BoundedMap<string, { utterance: string; startMs: number; endMs: number }>(MOST_LANES)

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

/** Events of the conversation in a room. */
export type FeedEvent =
  | { readonly kind: 'opened' }
  | { readonly kind: 'caption'; readonly caption: TimedCaption }
  /** A speaker speaks without being translated into a language that somebody needs, or that has ended. */
  | {
      readonly kind: 'service'
      readonly speaker: string
      readonly to: string
      readonly unavailable: boolean
      /** While unavailable. */
      readonly why: Why | undefined
    }
  | { readonly kind: 'closed' }

export type FeedListener = (life: RoomLife, event: FeedEvent) => void

/** Source of captions. */
export interface CaptionSource {
  /** Calls `listener` for every event from now on. */
  on(listener: FeedListener): void
  /** Returns the life of an open room. */
  life(room: string): RoomLife | undefined
}

interface OpenRoom {
  readonly life: RoomLife
  readonly times: CaptionTimes
  /** Listeners and readers who miss a translation, by speaker and language. */
  readonly missing: Map<string, Set<string>>
}

/**
 * Captions with times, by life of the room: the source of caption streams, transcripts and webhooks. Listeners are
 * called in registration order, synchronously; an exception in one does not affect the others. The creator starts it.
 */
export class CaptionFeed implements CaptionSource, Disposable {
  readonly #clock: Clock
  readonly #wall: WallClock
  readonly #observer: Observer
  readonly #rooms = new Map<string, OpenRoom>()
  /** Rooms reported closed before their own event, by name. */
  readonly #closing = new Map<string, number>()
  readonly #listeners: FeedListener[] = []
  #subscriptions: readonly Disposable[] = []

  constructor(observer: Observer, clock: Clock, wall: WallClock) {
    this.#observer = observer
    this.#clock = clock
    this.#wall = wall
  }

  /** Observes rooms from now on. Call it once. */
  start(): void {
    const observer = this.#observer
    this.#subscriptions = [
      observer.on('room', ({ room, state }) => {
        if (state === 'opened') this.#opened(room)
        else this.#closed(room)
      }),
      observer.on('caption', caption => {
        const open = this.#open(caption.room)
        this.#tell(open.life, {
          kind: 'caption',
          caption: open.times.timed(caption, this.#clock.now()),
        })
      }),
      observer.on('reception', event => this.#received(event)),
    ]
  }

  on(listener: FeedListener): void {
    this.#listeners.push(listener)
  }

  life(room: string): RoomLife | undefined {
    return this.#rooms.get(room)?.life
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]()
    for (const room of Array.from(this.#rooms.keys())) this.#close(room)
  }

  /** A name can be reused while its previous room is still closing; that room counts as closed. */
  #opened(room: string): void {
    if (this.#rooms.has(room)) {
      this.#close(room)
      this.#closing.set(room, (this.#closing.get(room) ?? 0) + 1)
    }
    this.#open(room)
  }

  #closed(room: string): void {
    const closing = this.#closing.get(room) ?? 0
    if (closing === 0) this.#close(room)
    else if (closing === 1) this.#closing.delete(room)
    else this.#closing.set(room, closing - 1)
  }

  #open(room: string): OpenRoom {
    const known = this.#rooms.get(room)
    if (known) return known
    const life = {
      id: randomBytes(15).toString('base64url'),
      room,
      openedAtMs: this.#clock.now(),
      openedAt: isoTime(this.#wall()),
    }
    const open = { life, times: new CaptionTimes(life), missing: new Map<string, Set<string>>() }
    this.#rooms.set(room, open)
    this.#tell(life, { kind: 'opened' })
    return open
  }

  #close(room: string): void {
    const open = this.#rooms.get(room)
    if (!open) return
    this.#rooms.delete(room)
    this.#tell(open.life, { kind: 'closed' })
  }

  #received({ room, speaker, listener, to, why, missed }: ReceptionEvent): void {
    const open = this.#rooms.get(room)
    if (!open || to === undefined) return
    const key = `${speaker} ${to}`
    const missing = open.missing.get(key) ?? new Set<string>()
    const before = missing.size > 0
    if (missed) missing.add(listener)
    else missing.delete(listener)
    const unavailable = missing.size > 0
    if (unavailable) open.missing.set(key, missing)
    else open.missing.delete(key)
    if (unavailable === before) return
    this.#tell(open.life, {
      kind: 'service',
      ...{ speaker, to, unavailable },
      why: unavailable ? why : undefined,
    })
  }

  #tell(life: RoomLife, event: FeedEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(life, event)
      } catch (error) {
        this.#observer.reportListenerError(error)
      }
    }
  }
}
