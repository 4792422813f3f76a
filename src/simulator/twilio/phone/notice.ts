/**
 * Entries of Twilio's debugger. The numbers are Twilio's error catalogue. `'NOT_MULAW'` exists only here: the audio
 * starts like a file (WAV, MP3, ID3) and would be played as noise, which Twilio does not report.
 */
export type NoticeCode = number | 'NOT_MULAW'

/** A problem that Twilio would report in its debugger. */
export interface Notice {
  readonly code: NoticeCode
  /** Human-readable description. */
  readonly text: string
  /** Milliseconds of the call's clock. */
  readonly at: number
}

/** Notices, with a limited number of entries per code; repetitions are only counted. */
export class Notices {
  readonly #perCode: number
  readonly #list: Notice[] = []
  readonly #counts = new Map<NoticeCode, number>()

  /** `perCode`: maximum number of entries with the same code. Twilio reports a stream's warnings once. */
  constructor(perCode: number) {
    this.#perCode = perCode
  }

  /** In chronological order. */
  get list(): readonly Notice[] {
    return this.#list
  }

  add(code: NoticeCode, text: string, at: number): void {
    const count = this.count(code)
    if (count < this.#perCode) this.#list.push({ code, text, at })
    this.#counts.set(code, count + 1)
  }

  /** Number of occurrences of `code`, including those that are not listed. */
  count(code: NoticeCode): number {
    return this.#counts.get(code) ?? 0
  }
}
