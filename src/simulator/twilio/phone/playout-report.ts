import { Histogram } from './histogram.ts'

/** A gap of silence inside a stretch of audio: the queue ran dry and filled again too late. */
export interface Gap {
  /** Start of the silence (milliseconds of the call's clock). */
  readonly at: number
  readonly ms: number
}

/** Playout as the participant heard it. All times are milliseconds of the call's clock. */
export interface PlayoutReport {
  /** Media messages that were played or queued, and their µ-law bytes (8 of them last 1 ms). */
  messages: number
  bytes: number
  /** Arrival of the first and the last media message; undefined before the first. */
  firstAudioAt: number | undefined
  lastAudioAt: number | undefined
  /** Gaps over 1 ms inside a stretch: their number, total length, the longest, and the first ones in detail. */
  gapCount: number
  gapMs: number
  longestGapMs: number
  gaps: Gap[]
  /** Time between the queue running dry and each message that continues a stretch; 0 for messages in time. */
  lateness: Histogram
  /** Audio queued ahead, measured before each message that continues a stretch, and its maximum. */
  lead: Histogram
  maxLeadMs: number
  /** Marks sent, echoed after everything before them was played, returned early by `clear`, and never returned. */
  marks: number
  marksPlayed: number
  marksCleared: number
  unconfirmedMarks: string[]
  clears: number
  /** Audio discarded by `clear` or the end of the stream before it was played, and audio discarded by the 10-minute cap. */
  unheardMs: number
  discardedMs: number
}

/** Returns an empty report. */
export function emptyPlayoutReport(): PlayoutReport {
  return {
    messages: 0,
    bytes: 0,
    firstAudioAt: undefined,
    lastAudioAt: undefined,
    gapCount: 0,
    gapMs: 0,
    longestGapMs: 0,
    gaps: [],
    lateness: new Histogram(),
    lead: new Histogram(),
    maxLeadMs: 0,
    marks: 0,
    marksPlayed: 0,
    marksCleared: 0,
    unconfirmedMarks: [],
    clears: 0,
    unheardMs: 0,
    discardedMs: 0,
  }
}

/** Adds `part` to `sum`: the streams of one call, or the calls of a crowd. */
export function mergePlayout(sum: PlayoutReport, part: PlayoutReport): void {
  sum.messages += part.messages
  sum.bytes += part.bytes
  sum.firstAudioAt = pick(Math.min, sum.firstAudioAt, part.firstAudioAt)
  sum.lastAudioAt = pick(Math.max, sum.lastAudioAt, part.lastAudioAt)
  sum.gapCount += part.gapCount
  sum.gapMs += part.gapMs
  sum.longestGapMs = Math.max(sum.longestGapMs, part.longestGapMs)
  sum.gaps.push(...part.gaps)
  sum.lateness.merge(part.lateness)
  sum.lead.merge(part.lead)
  sum.maxLeadMs = Math.max(sum.maxLeadMs, part.maxLeadMs)
  sum.marks += part.marks
  sum.marksPlayed += part.marksPlayed
  sum.marksCleared += part.marksCleared
  sum.unconfirmedMarks.push(...part.unconfirmedMarks)
  sum.clears += part.clears
  sum.unheardMs += part.unheardMs
  sum.discardedMs += part.discardedMs
}

function pick(
  better: (a: number, b: number) => number,
  a: number | undefined,
  b: number | undefined,
): number | undefined {
  if (a === undefined) return b
  return b === undefined ? a : better(a, b)
}
