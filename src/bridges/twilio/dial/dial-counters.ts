import type { DialOutcome } from '../../../core/dialler.ts'

/** How calls that were dialled went on; plain numbers, safe to read at any time. */
export class DialCounters {
  dialled = 0
  /** Not dialled: the destination is not allowed, too many calls are on their way, or a ceiling of the day is reached. */
  refused = 0
  /** … of these, for a ceiling of the day: minutes or money. */
  spent = 0
  /** Hung up in mid call for a ceiling of the day. */
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
