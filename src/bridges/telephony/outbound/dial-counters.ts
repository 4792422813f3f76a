import type { DialOutcome } from '../../../core/model/dialer.ts'

/** Outcomes of outbound calls: plain numbers, safe to read at any time. */
export class DialCounters {
  dialled = 0
  /** Rejected: destination not allowed, too many calls, or daily ceiling reached. */
  refused = 0
  /** Of these, rejected because of a daily ceiling: minutes or money. */
  spent = 0
  /** Ended during the call because of a daily ceiling. */
  cut = 0
  answered = 0
  busy = 0
  noAnswer = 0
  voicemail = 0
  cancelled = 0
  failed = 0

  count(outcome: DialOutcome['kind']): void {
    this[outcome === 'no-answer' ? 'noAnswer' : outcome]++
  }
}
