import { type Clock, Ticker } from '../../common/clock.ts'
import type { LanguageId } from '../../common/language.ts'
import { type EventSink, SSE_HEARTBEAT, sseEvent, sseRetry } from '../event-stream.ts'
import type { CaptionSource, FeedEvent, RoomLife } from './caption-feed.ts'

/** A reader’s selection of captions. */
export interface CaptionFilter {
  /** Only translations into this language. */
  readonly to?: LanguageId | undefined
  /** Only final texts. */
  readonly final?: boolean | undefined
}

export function passes({ to, final }: CaptionFilter, event: FeedEvent): boolean {
  if (event.kind === 'caption')
    return (to === undefined || event.caption.to === to) && (!final || event.caption.final)
  return event.kind !== 'service' || to === undefined || event.to === to
}

/** Maximum number of unread bytes: minutes of speech. */
const MOST_UNREAD = 65_536

/** A reader of a room’s captions. */
class CaptionReader {
  readonly filter: CaptionFilter
  readonly #outlet: EventSink

  constructor(outlet: EventSink, filter: CaptionFilter) {
    this.#outlet = outlet
    this.filter = filter
  }

  /** Returns false if the reader does not read: it was disconnected, and reconnects automatically with its last ID. */
  write(text: string): boolean {
    if (this.#outlet.unread > MOST_UNREAD) {
      this.#outlet.destroy()
      return false
    }
    this.#outlet.write(text)
    return true
  }

  end(): void {
    this.#outlet.end()
  }
}

/** An event as sent; IDs ascend within a ring. */
export interface RingEntry<T> {
  readonly number: number
  readonly value: T
}

/** Events for a reader that reconnects. */
export interface Replay<T> {
  /** Unseen entries have been dropped. */
  readonly missed: boolean
  readonly entries: readonly RingEntry<T>[]
}

/**
 * The latest events of a room, for late and reconnecting readers. A newer event replaces the older one with the same
 * key, so that growing captions are sent once. Above `most`, the oldest are dropped.
 */
export class CaptionRing<T> {
  readonly #most: number
  readonly #entries = new Map<string, RingEntry<T>>()
  #number = 0
  /** Highest number dropped because of the limit. */
  #forgotten = 0

  constructor(most: number) {
    if (!(most >= 1)) throw new RangeError(`a ring holds at least 1 event, got ${most}`)
    this.#most = most
  }

  get size(): number {
    return this.#entries.size
  }

  push(key: string, value: T): RingEntry<T> {
    const entry = { number: ++this.#number, value }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    if (this.#entries.size > this.#most) {
      const [oldest, { number }] = this.#entries.entries().next().value!
      this.#entries.delete(oldest)
      this.#forgotten = number
    }
    return entry
  }

  /** Returns the events after `number`; 0 returns all, with `missed` false. */
  since(number: number): Replay<T> {
    const entries = Array.from(this.#entries.values()).filter(entry => entry.number > number)
    return { missed: number > 0 && number < this.#forgotten, entries }
  }

  clear(): void {
    this.#entries.clear()
  }
}

const HEARTBEAT_MS = 15_000
/** Delay before a disconnected reader reconnects. */
const RETRY_MS = 2_000
/** Captions kept per room for reconnecting readers. */
const MOST_KEPT = 500
/** Maximum number of concurrent readers of all rooms. */
export const MOST_READERS = 1_000

/** The captions of one room. */
interface Board {
  readonly ring: CaptionRing<FeedEvent>
  readonly readers: Set<CaptionReader>
  life: RoomLife | undefined
}

/** Captions of rooms as server-sent events, each with an ID from which a reconnecting reader continues. */
export class CaptionHub implements Disposable {
  /** Connected readers. */
  readers = 0
  readonly #clock: Clock
  readonly #feed: CaptionSource
  readonly #boards = new Map<string, Board>()
  #heart: Ticker | undefined

  constructor(feed: CaptionSource, clock: Clock) {
    this.#clock = clock
    this.#feed = feed
  }

  /** Follows the feed from now on. Call it once. */
  start(): void {
    this.#feed.on((life, event) => this.#take(life, event))
  }

  /**
   * Sends the captions of `room` to `outlet`, starting after `lastId`. The room can still be empty; the stream ends
   * with the room. Returns the disposable for when the reader is gone, or undefined if there are too many readers.
   */
  read(room: string, outlet: EventSink, filter: CaptionFilter = {}, lastId?: string): Disposable | undefined {
    if (this.readers >= MOST_READERS) return undefined
    const board = this.#board(room)
    const reader = new CaptionReader(outlet, filter)
    reader.write(sseRetry(RETRY_MS))
    this.#replay(board, reader, lastId)
    board.readers.add(reader)
    this.readers++
    this.#heart ??= new Ticker(this.#clock, HEARTBEAT_MS, () => this.#beat())
    return { [Symbol.dispose]: () => this.#gone(room, board, reader) }
  }

  /** Clears the captions of `room` so far. */
  forget(room: string): void {
    this.#boards.get(room)?.ring.clear()
  }

  /** Ends the streams of a room that has ended or never opened. */
  end(room: string): void {
    const board = this.#boards.get(room)
    if (!board) return
    this.#boards.delete(room)
    for (const reader of Array.from(board.readers)) {
      reader.write(sseEvent('end', { room }))
      reader.end()
      this.#gone(room, board, reader)
    }
  }

  [Symbol.dispose](): void {
    for (const room of Array.from(this.#boards.keys())) this.end(room)
  }

  #take(life: RoomLife, event: FeedEvent): void {
    if (event.kind === 'closed') {
      this.end(life.room)
      return
    }
    const board = this.#board(life.room)
    board.life = life
    if (event.kind === 'opened') return
    // Of the events of a service, only the latest state is replayed.
    const key = event.kind === 'caption' ? event.caption.utterance : `service ${event.speaker} ${event.to}`
    const { number } = board.ring.push(key, event)
    for (const reader of Array.from(board.readers)) this.#send(life, board, reader, number, event)
  }

  #replay(board: Board, reader: CaptionReader, lastId = ''): void {
    const { life } = board
    if (!life) return
    const at = lastId.lastIndexOf('.')
    const last = lastId.slice(0, at) === life.id ? Number(lastId.slice(at + 1)) : 0
    const { missed, entries } = board.ring.since(Number.isSafeInteger(last) ? last : 0)
    if (missed) reader.write(sseEvent('missed', { room: life.room }))
    for (const { number, value } of entries)
      if (passes(reader.filter, value)) reader.write(textOf(life, number, value))
  }

  #send(life: RoomLife, board: Board, reader: CaptionReader, number: number, event: FeedEvent): void {
    if (!passes(reader.filter, event) || reader.write(textOf(life, number, event))) return
    this.#gone(life.room, board, reader)
  }

  #beat(): void {
    for (const [room, board] of Array.from(this.#boards))
      for (const reader of Array.from(board.readers)) {
        if (!reader.write(SSE_HEARTBEAT)) this.#gone(room, board, reader)
      }
  }

  #gone(room: string, board: Board, reader: CaptionReader): void {
    if (!board.readers.delete(reader)) return
    this.readers--
    if (!board.life && board.readers.size === 0) this.#boards.delete(room)
    if (this.readers > 0) return
    this.#heart?.[Symbol.dispose]()
    this.#heart = undefined
  }

  #board(room: string): Board {
    const known = this.#boards.get(room)
    if (known) return known
    const life = this.#feed.life(room)
    const board: Board = { ring: new CaptionRing(MOST_KEPT), readers: new Set(), life }
    this.#boards.set(room, board)
    return board
  }
}

function textOf(life: RoomLife, number: number, event: FeedEvent): string {
  const id = `${life.id}.${number}`
  if (event.kind === 'caption') {
    const { spoken: _, ...caption } = event.caption
    return sseEvent('caption', caption, id)
  }
  if (event.kind === 'service') {
    const { kind: _, ...service } = event
    return sseEvent('service', { room: life.room, ...service }, id)
  }
  return ''
}
