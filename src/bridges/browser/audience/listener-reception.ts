import { type Clock, setTimer, Ticker } from '../../../common/clock.ts'
import type { LanguageId } from '../../../common/language.ts'
import { errorFields, type Logger } from '../../../common/log.ts'
import type { RoomLinks } from '../../../core/calls/room-links.ts'
import { hearable } from '../../../pages/page/languages.ts'
import type { OfferCache } from '../catalog-cache.ts'
import type { PageSocket } from '../close-codes.ts'
import type { BridgeCounters } from '../leg-counters.ts'
import type { BrowserLimits } from '../limits.ts'
import type { BrowserBridgeOptions } from '../options.ts'
import type { Audiences } from './audiences.ts'
import { Listener } from './listener.ts'
import type { ListenerHello } from './protocol.ts'

/** Interval between checks of quiet connections (ms). */
const WATCH_MS = 500
/** Interval at which the links of all listeners are checked again (ms). */
const RECHECK_MS = 10_000

export interface ListenerReceptionOptions {
  readonly audiences: Audiences
  readonly links: RoomLinks
  readonly offer: OfferCache
  readonly homes: BrowserBridgeOptions['homes']
  /** Returns whether `room` allows this language. */
  readonly allows: (room: string, language: LanguageId) => boolean
  readonly limits: BrowserLimits
  readonly counters: BridgeCounters
  readonly clock: Clock
  readonly log: Logger
}

/**
 * Admits people with a link for listening, and ends their visit within ten seconds after the link has expired or was revoked.
 */
export class ListenerReception implements Disposable {
  readonly #options: ListenerReceptionOptions
  readonly #listeners = new Set<Listener>()
  #tickers: readonly Disposable[] = []

  constructor(options: ListenerReceptionOptions) {
    this.#options = options
  }

  /** Waits on `socket` for a `hello`; `known` is called when its link was verified. */
  answer(socket: PageSocket, known: () => void): void {
    const { audiences, clock, limits } = this.#options
    const timer = setTimer(clock, limits.helloWithinMs, () => socket.fail('no-hello'))
    const listener: Listener = new Listener(
      socket,
      this.#options,
      hello => {
        timer[Symbol.dispose]()
        return this.#greet(listener, hello, known)
      },
      () => {
        timer[Symbol.dispose]()
        this.#leave(listener)
        if (listener.room !== undefined) audiences.leave(listener.room, listener)
      },
    )
    socket.attach(listener)
  }

  /** Ends the visits to `rooms`, whose home is another node of the fleet now: their pages follow. */
  releaseRooms(rooms: ReadonlySet<string>): void {
    for (const listener of [...this.#listeners])
      if (listener.room !== undefined && rooms.has(listener.room)) listener.end('server')
  }

  [Symbol.dispose](): void {
    for (const ticker of this.#tickers) ticker[Symbol.dispose]()
    this.#tickers = []
  }

  /** Supervises connections while there are any. */
  #enter(listener: Listener): void {
    this.#listeners.add(listener)
    if (this.#tickers.length > 0) return
    const { clock } = this.#options
    this.#tickers = [
      new Ticker(clock, WATCH_MS, now => {
        for (const each of this.#listeners) each.watch(now)
      }),
      new Ticker(clock, RECHECK_MS, () => void this.#recheck()),
    ]
  }

  #leave(listener: Listener): void {
    if (this.#listeners.delete(listener) && this.#listeners.size === 0) this[Symbol.dispose]()
  }

  async #greet(listener: Listener, hello: ListenerHello, known: () => void): Promise<void> {
    const { audiences, links, homes, offer, allows, log } = this.#options
    try {
      const room = await links.find(hello.link)
      if (room === undefined) return listener.refuse('link')
      known()
      const node = await homes?.locate(room)
      if (node !== undefined) return listener.move(node)
      const { languages } = await offer.get()
      if (listener.over) return
      if (!audiences.enter(room, listener)) return listener.refuse('full')
      this.#enter(listener)
      const offered = hearable(languages).flatMap(({ id }) => (allows(room, id) ? [id] : []))
      listener.admit(room, offered, hello)
    } catch (error) {
      log.warn(errorFields(error), 'listener cannot be admitted now')
      listener.refuse('busy')
    }
  }

  /** Checks every link once, however many listeners came with it, and where the rooms are. */
  async #recheck(): Promise<void> {
    const { audiences, links, homes, log } = this.#options
    for (const [token, listeners] of Map.groupBy(this.#listeners, ({ token }) => token)) {
      try {
        const room = await links.find(token)
        const node = room === undefined ? undefined : await homes?.locate(room)
        for (const listener of listeners)
          if (room === undefined) listener.end('link')
          else if (node !== undefined) listener.move(node)
        if (room !== undefined) audiences.open(room)
      } catch (error) {
        log.warn(errorFields(error), 'links of listeners cannot be checked now')
      }
    }
  }
}
