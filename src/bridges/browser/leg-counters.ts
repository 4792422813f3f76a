import { addCounts } from '../../common/counts.ts'

/** Counters of one leg: plain numbers, safe to read at any time. */
export class BrowserLegCounters {
  /** Messages of any kind. */
  messagesIn = 0
  /** 20 ms frames written to the uplink, including silence. */
  framesIn = 0
  /** Gaps in the page’s clock filled with silence (ms). */
  gapsFilledMs = 0
  /** Jumps of the page’s clock treated as a restart. */
  pauses = 0
  /** Messages with audio received before. */
  duplicates = 0
  /** Audio dropped because it was too old after a stall (ms). */
  backlogDroppedMs = 0
  /** Silence written because no audio arrived (ms). */
  silenceFedMs = 0
  /** Invalid messages. */
  badMessages = 0
  /** Messages of an unknown kind, or unexpected in the current state. */
  ignored = 0
  /** Messages and audio dropped above the rate limit. */
  floodDropped = 0
  keys = 0
  /** Audio sent (ms). */
  sentMs = 0
  marksSent = 0
  marksHeard = 0
  /** Echoes of marks that were flushed or never sent. */
  marksStale = 0
  flushes = 0
  /** Reported by the page: the number of times its buffer ran dry during speech. */
  underruns = 0
  /** Reported by the page: audio skipped to catch up (ms). */
  skippedMs = 0

  /** Adds the counts of `other`. */
  add(other: BrowserLegCounters): void {
    addCounts(this, other)
  }
}

/** Counters of the bridge, apart from its legs. */
export class BridgeCounters {
  /** Visitors rejected, by reason. */
  readonly refused = new Map<string, number>()

  refuse(why: string): void {
    this.refused.set(why, (this.refused.get(why) ?? 0) + 1)
  }
}
