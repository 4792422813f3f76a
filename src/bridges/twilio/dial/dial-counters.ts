import type { DialOutcome } from '../../../core/dialler.ts'

/** How calls that were dialled went on; plain numbers, safe to read at any time. */
export class DialCounters {
  dialled = 0
  /** Not dialled: the destination is not allowed, too many calls are on their way, or the day's minutes are used up. */
  refused = 0
  /** … of these, for the minutes of the day. */
  spent = 0
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
