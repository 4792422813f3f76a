/** What one leg counts; plain numbers, safe to read at any time. */
export class LegCounters {
  /** Messages of any kind. */
  messagesIn = 0
  /** Media messages of the party's voice. */
  mediaIn = 0
  /** 20 ms frames given to the uplink, silence included. */
  framesIn = 0
  /** Holes in the media clock filled with silence (ms). */
  gapsFilledMs = 0
  /** Jumps of the media clock taken as a new beginning. */
  pauses = 0
  /** Media that had come before, in whole or in part. */
  duplicates = 0
  /** Audio that a stall had made too old when it came (ms). */
  backlogDroppedMs = 0
  /** Silence fed because no media came (ms). */
  silenceFedMs = 0
  /** Media whose payload was not base64; silence took its place. */
  badPayloads = 0
  /** Messages that are not what they should be. */
  badMessages = 0
  /** Messages of unknown kind, of another stream, or a second `start`. */
  ignored = 0
  /** Messages dropped because too many came. */
  floodDropped = 0
  dtmf = 0
  /** Key presses beyond 20 a second. */
  dtmfDropped = 0
  mediaOut = 0
  /** Audio sent (ms). */
  sentMs = 0
  marksSent = 0
  marksHeard = 0
  /** Echoes of marks that were flushed or never sent. */
  marksStale = 0
  clears = 0

  /** Adds `other` to this. */
  add(other: LegCounters): void {
    for (const name of NAMES) this[name] += other[name]
  }
}

const NAMES = Object.keys(new LegCounters()) as Exclude<keyof LegCounters, 'add'>[]
