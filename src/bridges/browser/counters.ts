/** What one leg counts; plain numbers, safe to read at any time. */
export class LegCounters {
  /** Messages of any kind. */
  messagesIn = 0
  /** Messages of the party's voice. */
  audioIn = 0
  /** 20 ms frames given to the uplink, silence included. */
  framesIn = 0
  /** Holes in the page's clock filled with silence (ms). */
  gapsFilledMs = 0
  /** Jumps of the page's clock taken as a new beginning. */
  pauses = 0
  /** Audio that had come before. */
  duplicates = 0
  /** Audio that a stall had made too old when it came (ms). */
  backlogDroppedMs = 0
  /** Silence fed because nothing came (ms). */
  silenceFedMs = 0
  /** Messages that are not what they should be. */
  badMessages = 0
  /** Messages of unknown kind, or not for now. */
  ignored = 0
  /** Messages and audio dropped because too many came. */
  floodDropped = 0
  keys = 0
  audioOut = 0
  /** Audio sent (ms). */
  sentMs = 0
  marksSent = 0
  marksHeard = 0
  /** Echoes of marks that were flushed or never sent. */
  marksStale = 0
  flushes = 0
  /** As the page reports: how often its buffer ran dry in the midst of speech. */
  underruns = 0
  /** … and what it left out to catch up (ms). */
  skippedMs = 0

  /** Adds `other` to this. */
  add(other: LegCounters): void {
    for (const name of NAMES) this[name] += other[name]
  }
}

const NAMES = Object.keys(new LegCounters()) as Exclude<keyof LegCounters, 'add'>[]

/** What the bridge counts besides its legs. */
export class BridgeCounters {
  /** Visits begun. */
  visits = 0
  /** Visits that went on after a cut. */
  resumed = 0
  /** Links made. */
  links = 0
  /** Requests of other sites and for other hosts, turned away at the door. */
  foreign = 0
  /** Visitors who were not let in, by why. */
  readonly refused = new Map<string, number>()

  refuse(why: string): void {
    this.refused.set(why, (this.refused.get(why) ?? 0) + 1)
  }
}
