import type { Clock } from '../../common/clock.ts'
import { KeyedRateLimiter } from '../../common/rate-limit.ts'
import { MOST_READERS } from '../captions/caption-hub.ts'

/** Share of all readers available to links; the rest is reserved for keys. */
const LINK_SHARE = 0.8
/** Transcripts that links may fetch: of one room by all links, by one link, and from one address. */
const OF_ROOM = { perSecond: 1, burst: 60 }
const OF_LINK = { perSecond: 1, burst: 40 }
const OF_ADDRESS = { perSecond: 0.5, burst: 30 }
const MOST_RATES = 1_000

/** Caption streams with links from one address that is not exempt from limits, below its number of connections. */
const PER_ADDRESS = 48

/** Numbers of concurrent caption streams. */
export interface LinkReaderLimits {
  readonly readersPerLink: number
  /** Default: 48. */
  readonly readersPerAddress?: number
}

/** A client with a link. */
export interface LinkBearer {
  readonly room: string
  /** The verified token. */
  readonly token: string
  /** Identity of the link, by which it is limited. */
  readonly link: string
  /** Address prefix to which the client counts; undefined: no limit per address. */
  readonly group: string | undefined
}

/** Limits readers with links, per link, per address and in total, so that no link locks out other readers. */
export class LinkReaders {
  readonly #limits: LinkReaderLimits
  /** Streams by link and by address. */
  readonly #streams = new Map<string, number>()
  #all = 0
  readonly #ofRooms: KeyedRateLimiter
  readonly #ofLinks: KeyedRateLimiter
  readonly #ofAddresses: KeyedRateLimiter

  constructor(limits: LinkReaderLimits, clock: Clock) {
    this.#limits = limits
    this.#ofRooms = new KeyedRateLimiter(clock, OF_ROOM, MOST_RATES)
    this.#ofLinks = new KeyedRateLimiter(clock, OF_LINK, MOST_RATES)
    this.#ofAddresses = new KeyedRateLimiter(clock, OF_ADDRESS)
  }

  /** Counts a caption stream until the returned value is disposed. Returns undefined above a limit. */
  open({ link, group }: LinkBearer): Disposable | undefined {
    const places = [`link ${link}`, ...(group === undefined ? [] : [`address ${group}`])]
    const { readersPerLink, readersPerAddress = PER_ADDRESS } = this.#limits
    const full =
      this.#all >= MOST_READERS * LINK_SHARE ||
      places.some((place, at) => this.#of(place) >= (at === 0 ? readersPerLink : readersPerAddress))
    if (full) return undefined
    this.#all++
    for (const place of places) this.#streams.set(place, this.#of(place) + 1)
    let open = true
    return {
      [Symbol.dispose]: () => {
        if (!open) return
        open = false
        this.#all--
        for (const place of places) {
          const left = this.#of(place) - 1
          if (left > 0) this.#streams.set(place, left)
          else this.#streams.delete(place)
        }
      },
    }
  }

  /** Returns true if this client is allowed to fetch another transcript now. */
  takeTranscript({ room, link, group }: LinkBearer): boolean {
    // From the narrowest limit to the widest: a client rejected for its address does not consume the quota of others.
    return (
      (group === undefined || this.#ofAddresses.take(group)) &&
      this.#ofLinks.take(link) &&
      this.#ofRooms.take(room)
    )
  }

  #of(place: string): number {
    return this.#streams.get(place) ?? 0
  }
}
