import { addCounts } from '../../../common/counts.ts'

/** Counters of one leg: plain numbers, safe to read at any time. */
export class LegCounters {
  /** Messages of any kind. */
  messagesIn = 0
  /** Media messages with the participant’s audio. */
  mediaIn = 0
  /** 20 ms frames written to the uplink, including silence. */
  framesIn = 0
  /** Gaps in the media clock filled with silence (ms). */
  gapsFilledMs = 0
  /** Jumps of the media clock treated as a restart. */
  pauses = 0
  /** Media received before, entirely or partly. */
  duplicates = 0
  /** Media that waited for an earlier message. */
  reordered = 0
  /** Media that arrived after its turn. */
  late = 0
  /** Audio dropped because it was too old after a stall (ms). */
  backlogDroppedMs = 0
  /** Silence written because no media arrived (ms). */
  silenceFedMs = 0
  /** Media with a payload that is not base64, replaced by silence. */
  badPayloads = 0
  /** Invalid messages. */
  badMessages = 0
  /** Messages of an unknown kind or of another stream, or a second `start`. */
  ignored = 0
  /** Messages dropped above the rate limit. */
  floodDropped = 0
  dtmf = 0
  /** Key presses above 20 a second. */
  dtmfDropped = 0
  mediaOut = 0
  /** Audio sent (ms). */
  sentMs = 0
  marksSent = 0
  marksHeard = 0
  /** Echoes of marks that were flushed or never sent. */
  marksStale = 0
  clears = 0

  /** Adds the counts of `other`. */
  add(other: LegCounters): void {
    addCounts(this, other)
  }
}
