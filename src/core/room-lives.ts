import { randomBytes } from 'node:crypto'
import { after, type Clock } from './clock.ts'

/** After the last participant has left, a room stays the same one for this long (ms): people who were all cut off come back to it. */
export const LINGER_MS = 120_000
/** How long it is remembered what was said in lives that have ended (ms): as long as any link to captions is good. */
const REMEMBER_MS = 24 * 3_600_000
/** Ended lives that are remembered; beyond that the oldest are forgotten, with what their links could still read. */
const MOST_ENDED = 10_000
/** Sittings of one life: a created room opens and closes many times in a week. */
const MOST_SITTINGS = 1_000

interface Life {
  readonly id: string
  /** Created by a program: it goes on while nobody is in the room. */
  readonly created: boolean
  /** Ids of the times that somebody was in it, which are those of its transcripts. */
  readonly sittings: Set<string>
  linger?: Disposable
}

/**
 * The lives of rooms. A created room lives until it is ended, any other one from its first participant until shortly after its
 * last. Names come back, lives do not: a link or a code belongs to one life and is revoked with it.
 */
export class RoomLives implements Disposable {
  readonly #clock: Clock
  readonly #lives = new Map<string, Life>()
  /** Sittings by the id of an ended life, in the order of their ends. */
  readonly #ended = new Map<string, { readonly sittings: ReadonlySet<string>; readonly until: number }>()
  readonly #listeners: ((room: string) => void)[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The id of the present life of `room`; undefined for a room that is not there, or was ended. */
  idOf(room: string): string | undefined {
    return this.#lives.get(room)?.id
  }

  /** A program created `room`. */
  create(room: string): void {
    // What a room that had this name gave out, up to its last moment, is not good for the new one.
    this.end(room)
    this.#lives.set(room, newLife(true))
  }

  /** Somebody is in `room`; `sitting` is the id of what is said from now until it closes. */
  opened(room: string, sitting?: string): void {
    const life = this.#lives.get(room) ?? newLife(false)
    this.#lives.set(room, life)
    life.linger?.[Symbol.dispose]()
    if (sitting === undefined) return
    life.sittings.add(sitting)
    if (life.sittings.size > MOST_SITTINGS) life.sittings.delete(life.sittings.values().next().value!)
  }

  /** Nobody is in `room` any more. */
  closed(room: string): void {
    const life = this.#lives.get(room)
    // Links that were made while it was being closed belong to no life.
    if (!life) this.end(room)
    else if (!life.created) {
      life.linger?.[Symbol.dispose]()
      life.linger = after(this.#clock, LINGER_MS, () => this.end(room))
    }
  }

  /** `room` is over, also while somebody in it is still being told goodbye. Idempotent. */
  end(room: string): void {
    const life = this.#lives.get(room)
    this.#lives.delete(room)
    life?.linger?.[Symbol.dispose]()
    if (life && life.sittings.size > 0) this.#remember(life)
    for (const listener of this.#listeners) listener(room)
  }

  /** Whether `sitting` is of the life `id`, which may have ended. */
  holds(id: string, sitting: string): boolean {
    const ended = this.#ended.get(id)
    if (ended) return ended.until > this.#clock.now() && ended.sittings.has(sitting)
    for (const life of this.#lives.values()) if (life.id === id) return life.sittings.has(sitting)
    return false
  }

  /** Calls `listener` with each room whose life ends. */
  onEnded(listener: (room: string) => void): void {
    this.#listeners.push(listener)
  }

  [Symbol.dispose](): void {
    for (const { linger } of this.#lives.values()) linger?.[Symbol.dispose]()
    this.#lives.clear()
  }

  #remember({ id, sittings }: Life): void {
    const now = this.#clock.now()
    for (const [known, { until }] of this.#ended) {
      if (until > now && this.#ended.size < MOST_ENDED) break
      this.#ended.delete(known)
    }
    this.#ended.set(id, { sittings, until: now + REMEMBER_MS })
  }
}

function newLife(created: boolean): Life {
  return { id: randomBytes(15).toString('base64url'), created, sittings: new Set() }
}
