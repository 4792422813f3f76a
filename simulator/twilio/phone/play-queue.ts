import { emptyPlayoutReport, type PlayoutReport } from './reports.ts'

/** µ-law at 8 kHz: 8 bytes last one millisecond. */
export const BYTES_PER_MS = 8
/** Twilio buffers about this much (ms); audio beyond it is discarded with warning 31931. */
const QUEUE_CAP_MS = 600_000
/** Shorter silence is not a gap (ms). */
const GAP_MS = 1
/** Maximum number of gaps kept in detail; the others are only counted. */
const GAPS_LISTED = 1000
/** Times that differ by less are equal. */
const SAME_MS = 1e-6

/** Audio that arrives at most this long after the queue ran dry continues the stretch: the silence was a gap (ms). */
const GAP_WITHIN_MS = 400

/**
 * Twilio's play queue. Audio is played in order in real time. Marks wait in the queue and return when everything before
 * them has been played, at once if there is nothing. `clear` empties the queue and returns the outstanding marks.
 * Arithmetic only: the caller passes the time and asks `advance()` which marks are due.
 *
 * ```
 * idle ──play──▶ playing ──all played──▶ dry ──play within 400 ms──▶ playing, and the silence was a gap
 *  ▲                │                      └───play later───▶ playing, a new stretch
 *  └────clear───────┘
 * ```
 */
export class PlayQueue {
  readonly #report = emptyPlayoutReport()
  readonly #marks: { name: string; at: number }[] = []
  /** Time when the queue runs dry, or ran dry. */
  #until = Number.NEGATIVE_INFINITY
  /** The last audio was not silence. */
  #audible = false

  /**
   * Time when everything sent so far is played: in the past if nothing waits, minus infinity before the first audio and
   * after a `clear`.
   */
  get dryAt(): number {
    return this.#until
  }

  /**
   * Queues `bytes` of µ-law. Returns the time when they start to play, or undefined if the queue was full: they are
   * discarded. Where they are not `audible`, but silence or comfort noise, a dry queue is not a gap.
   */
  play(now: number, bytes: number, audible = true): number | undefined {
    const report = this.#report
    const lead = this.#until - now
    if (Math.max(0, lead) + bytes / BYTES_PER_MS > QUEUE_CAP_MS) return undefined
    report.messages++
    report.bytes += bytes
    report.firstAudioAt ??= now
    const continues = audible && this.#audible
    this.#audible = audible
    if (continues && lead > -GAP_WITHIN_MS) {
      report.lateness.add(-lead)
      if (-lead > GAP_MS) this.#noteGap(this.#until, -lead)
    }
    const start = lead > SAME_MS ? this.#until : now
    this.#until = start + bytes / BYTES_PER_MS
    return start
  }

  /** Queues a mark. Returns true if it is the first: the caller returns it at once. */
  mark(now: number, name: string): boolean {
    this.#report.marks++
    if (this.#until - now <= SAME_MS && this.#marks.length === 0) {
      this.#report.marksPlayed++
      return true
    }
    this.#marks.push({ name, at: this.#until })
    return false
  }

  /** Empties the queue. Returns the outstanding marks in their order; the caller returns them at once. */
  clear(): string[] {
    this.#report.clears++
    this.#until = Number.NEGATIVE_INFINITY
    return this.#marks.splice(0).map(mark => mark.name)
  }

  /** Returns the marks reached by `now`, in order; the caller returns them. */
  advance(now: number): string[] {
    const marks = this.#marks
    let due = 0
    while (due < marks.length && (marks[due]?.at ?? 0) <= now + SAME_MS) due++
    if (due === 0) return NONE
    this.#report.marksPlayed += due
    return marks.splice(0, due).map(mark => mark.name)
  }

  /** A copy of the figures; waiting marks count as unconfirmed. */
  report(): PlayoutReport {
    const report = this.#report
    return {
      ...report,
      gaps: [...report.gaps],
      unconfirmedMarks: this.#marks.map(mark => mark.name),
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
