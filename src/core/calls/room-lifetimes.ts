import { randomBytes } from 'node:crypto'
import { type Clock, setTimer } from '../../common/clock.ts'

/**
 * Time for which a room keeps its identity after the last participant has left (ms), so that participants who were all
 * cut off rejoin the same room.
 */
export const LINGER_MS = 120_000
/**
 * The same for a room of an earlier run, whose participants possibly return, or are still there while that process drains (ms).
 */
const RETURN_MS = 15 * 60_000
/** Time for which the sittings of an ended life are remembered (ms): the maximum lifetime of a captions link. */
const REMEMBER_MS = 24 * 3_600_000
/**
 * Maximum number of ended lives remembered; above it the oldest are dropped, and their links can no longer read
 * captions.
 */
const MOST_ENDED = 10_000
/** Maximum number of sittings of one life: a created room can open and close many times in a week. */
const MOST_SITTINGS = 1_000

interface Life {
  readonly id: string
  /** Its ids at other nodes of a fleet. */
  readonly others: Set<string>
  /** Created through the API: it continues while the room is empty. */
  created: boolean
  /** Ids of the periods in which the room was open, which are also the ids of its transcripts. */
  readonly sittings: Set<string>
  closing?: Disposable
}

/**
 * The lives of rooms. A created room lives until it is ended; any other room lives from its first participant until
 * shortly after its last. Names are reused, lives are not: a link or a code belongs to one life and is revoked with it.
 */
export class RoomLives implements Disposable {
  readonly #clock: Clock
  readonly #lives = new Map<string, Life>()
  /** Sittings by the id of an ended life, in the order in which they ended. */
  readonly #ended = new Map<string, { readonly sittings: ReadonlySet<string>; readonly until: number }>()
  readonly #listeners: ((room: string) => void)[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Returns the id of the current life of `room`, or undefined if it does not exist or was ended. */
  idOf(room: string): string | undefined {
    return this.#lives.get(room)?.id
  }

  /** Returns true if `id` is that of the current life of `room`, here or at another node. */
  is(room: string, id: string): boolean {
    const life = this.#lives.get(room)
    return life !== undefined && (life.id === id || life.others.has(id))
  }

  /** The current life of `room` has these ids at other nodes. */
  join(room: string, ids: readonly string[]): void {
    const life = this.#lives.get(room)
    for (const id of ids) if (life && id !== life.id) life.others.add(id)
  }

  /** Returns all ids of the current life of `room`, that of this node first. */
  idsOf(room: string): readonly string[] {
    const life = this.#lives.get(room)
    return life ? [life.id, ...life.others] : []
  }

  /** The API created `room`. */
  create(room: string): void {
    // Links and codes of an earlier room with this name are not valid for the new one.
    this.end(room)
    this.#lives.set(room, newLife(true))
  }

  /** Another node created `room`: its life continues here while it is empty. */
  adopt(room: string): void {
    const life = this.#lives.get(room) ?? newLife(true)
    this.#lives.set(room, life)
    life.created = true
    life.closing?.[Symbol.dispose]()
  }

  /** `room` has participants; `sitting` is the id of its transcript until it closes. */
  opened(room: string, sitting?: string): void {
    const life = this.#lives.get(room) ?? newLife(false)
    this.#lives.set(room, life)
    life.closing?.[Symbol.dispose]()
    if (sitting === undefined) return
    life.sittings.add(sitting)
    if (life.sittings.size > MOST_SITTINGS) life.sittings.delete(life.sittings.values().next().value!)
  }

  /** An earlier run of this program left `room`, and its participants can return. */
  restore(room: string): void {
    if (this.#lives.has(room)) return
    const life = newLife(false)
    this.#lives.set(room, life)
    life.closing = setTimer(this.#clock, RETURN_MS, () => this.end(room))
  }

  /** `room` is empty. */
  closed(room: string): void {
    const life = this.#lives.get(room)
    // Links issued while it was closing belong to no life.
    if (!life) this.end(room)
    else if (!life.created) {
      life.closing?.[Symbol.dispose]()
      life.closing = setTimer(this.#clock, LINGER_MS, () => this.end(room))
    }
  }

  /** Ends the life of `room`, even while its participants still hear the farewell. Idempotent. */
  end(room: string): void {
    const life = this.#lives.get(room)
    this.#lives.delete(room)
    life?.closing?.[Symbol.dispose]()
    if (life && life.sittings.size > 0) this.#remember(life)
    for (const listener of this.#listeners) listener(room)
  }

  /** True if `sitting` belongs to the life `id`, current or ended. */
  holds(id: string, sitting: string): boolean {
    const ended = this.#ended.get(id)
    if (ended) return ended.until > this.#clock.now() && ended.sittings.has(sitting)
    for (const life of this.#lives.values())
      if (life.id === id || life.others.has(id)) return life.sittings.has(sitting)
    return false
  }

  /** Calls `listener` with each room whose life ends. */
  onEnded(listener: (room: string) => void): void {
    this.#listeners.push(listener)
  }

  [Symbol.dispose](): void {
    for (const { closing } of this.#lives.values()) closing?.[Symbol.dispose]()
    this.#lives.clear()
  }

  #remember({ id, others, sittings }: Life): void {
    const now = this.#clock.now()
    for (const [known, { until }] of this.#ended) {
      if (until > now && this.#ended.size < MOST_ENDED) break
      this.#ended.delete(known)
    }
    for (const each of [id, ...others]) this.#ended.set(each, { sittings, until: now + REMEMBER_MS })
  }
}

function newLife(created: boolean): Life {
  return { id: randomBytes(15).toString('base64url'), created, others: new Set(), sittings: new Set() }
}
