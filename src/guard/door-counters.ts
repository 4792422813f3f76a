/** What is turned away at the door of a server, and how full it is; exporters read the fields. */
export class DoorCounters {
  /** Connections open now. */
  connections = 0
  /** … of strangers: without a proof of who they are. */
  strangers = 0
  /** … of guests: with a link, which others may have too. */
  guests = 0
  /** Connections cut as soon as they came: too many in all, too many from one address, or one that asks too often. */
  refusedInAll = 0
  refusedByAddress = 0
  refusedByRate = 0
  /** Connections of strangers and guests that were cut to make room for others. */
  displaced = 0
  /** Requests and upgrades answered 429 or 503 before anything was read of them: by the rate of one address, of all. */
  requestsRefusedByAddress = 0
  requestsRefusedInAll = 0
  /** Requests whose head or body did not come in time, or were none. */
  unreadable = 0
}
