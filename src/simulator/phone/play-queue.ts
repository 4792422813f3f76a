import { emptyPlayoutReport, type PlayoutReport } from './playout-report.ts'

/** µ-law at 8 kHz: 8 bytes last one millisecond. */
export const BYTES_PER_MS = 8
/** Twilio buffers about this much; what comes on top is discarded with warning 31931. */
const QUEUE_CAP_MS = 600_000
/** Silence shorter than this is not a gap. */
const GAP_MS = 1
/** Gaps kept in detail; the others are only counted. */
const GAPS_LISTED = 1000
/** Two times closer than this are the same time. */
const SAME_MS = 1e-6

/** What counts as a gap in what is played. */
export interface PlayQueueOptions {
  /** Audio that comes at most this long after the queue ran dry continues the stretch: the silence was a gap. Default 400 ms. */
  gapWithinMs?: number
}

/**
 * Twilio's play queue: what was sent is played in order at real time; marks stand in the queue and come back when all
 * before them has been played, at once when there is nothing; `clear` empties it and returns the outstanding marks.
 * Arithmetic only: the caller says what time it is and asks `advance()` which marks are due.
 *
 * ```
 * idle ──play──▶ playing ──all played──▶ dry ──play within gapWithinMs──▶ playing, and the silence was a gap
 *  ▲                │                      └───play later───▶ playing, a new stretch
 *  └────clear───────┘
 * ```
 */
export class PlayQueue {
  readonly #gapWithinMs: number
  readonly #report = emptyPlayoutReport()
  readonly #marks: { name: string; at: number }[] = []
  /** When the queue runs dry, or ran dry. */
  #until = Number.NEGATIVE_INFINITY

  constructor(options: PlayQueueOptions = {}) {
    this.#gapWithinMs = options.gapWithinMs ?? 400
  }

  /** Milliseconds of audio that wait or play. */
  queuedMs(now: number): number {
    return Math.max(0, this.#until - now)
  }

  /** When everything sent so far is played: the past when nothing waits, minus infinity before the first audio and after a `clear`. */
  get dryAt(): number {
    return this.#until
  }

  /** Queues `bytes` of µ-law. Returns when they will begin to be heard, or undefined when the queue was full: they are gone. */
  play(now: number, bytes: number): number | undefined {
    const report = this.#report
    const lead = this.#until - now
    if (Math.max(0, lead) + bytes / BYTES_PER_MS > QUEUE_CAP_MS) {
      report.discardedMs += bytes / BYTES_PER_MS
      return undefined
    }
    report.messages++
    report.bytes += bytes
    report.firstAudioAt ??= now
    report.lastAudioAt = now
    if (lead > -this.#gapWithinMs) {
      report.lead.add(lead)
      report.lateness.add(-lead)
      if (-lead > GAP_MS) this.#noteGap(this.#until, -lead)
    }
    const start = lead > SAME_MS ? this.#until : now
    this.#until = start + bytes / BYTES_PER_MS
    report.maxLeadMs = Math.max(report.maxLeadMs, this.#until - now)
    return start
  }

  /** Queues a mark. True when nothing is before it: it has to be returned at once. */
  mark(now: number, name: string): boolean {
    this.#report.marks++
    if (this.#until - now <= SAME_MS && this.#marks.length === 0) {
      this.#report.marksPlayed++
      return true
    }
    this.#marks.push({ name, at: this.#until })
    return false
  }

  /** Empties the queue. Returns the outstanding marks in their order, to be returned at once. */
  clear(now: number): string[] {
    const report = this.#report
    report.clears++
    report.unheardMs += this.queuedMs(now)
    report.marksCleared += this.#marks.length
    this.#until = Number.NEGATIVE_INFINITY
    return this.#marks.splice(0).map(mark => mark.name)
  }

  /** The marks that have been reached by `now`, in order; the caller returns them. */
  advance(now: number): string[] {
    const marks = this.#marks
    let due = 0
    while (due < marks.length && (marks[due]?.at ?? 0) <= now + SAME_MS) due++
    if (due === 0) return NONE
    this.#report.marksPlayed += due
    return marks.splice(0, due).map(mark => mark.name)
  }

  /** The figures up to `now`, a copy; marks and audio that are still waiting count as unconfirmed. */
  report(now: number): PlayoutReport {
    const report = this.#report
    return {
      ...report,
      gaps: [...report.gaps],
      unconfirmedMarks: this.#marks.map(mark => mark.name),
      unheardMs: report.unheardMs + this.queuedMs(now),
    }
  }

  #noteGap(at: number, ms: number): void {
    const report = this.#report
    report.gapCount++
    report.gapMs += ms
    report.longestGapMs = Math.max(report.longestGapMs, ms)
    if (report.gaps.length < GAPS_LISTED) report.gaps.push({ at, ms })
  }
}

const NONE: string[] = []
