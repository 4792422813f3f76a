/** Counters of the request guard: open connections and rejections, read by exporters. */
export class DoorCounters {
  /** Open connections. */
  connections = 0
  /** … of unauthenticated clients. */
  strangers = 0
  /** … of guests, authenticated by a link that can be shared. */
  guests = 0
  /** Connections closed on arrival: above the total limit, the limit per address, or the rate of one address. */
  refusedInAll = 0
  refusedByAddress = 0
  refusedByRate = 0
  /** Connections of unauthenticated clients and guests closed to make room for others. */
  displaced = 0
  /** Requests and upgrades rejected unread with 429 or 503: by the rate of one address, or of all. */
  requestsRefusedByAddress = 0
  requestsRefusedInAll = 0
  /** Requests with a malformed or late head or body. */
  unreadable = 0
}
