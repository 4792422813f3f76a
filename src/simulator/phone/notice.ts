/**
 * What the far system would write into its debugger. The numbers are Twilio's error catalogue; `'NOT_MULAW'` is the
 * simulator's own: the audio begins like a file (WAV, MP3, ID3) and would be heard as noise, which Twilio never says.
 */
export type NoticeCode = number | 'NOT_MULAW'

/** Something that Twilio would complain about in its debugger. */
export interface Notice {
  readonly code: NoticeCode
  /** What was found, for people. */
  readonly text: string
  /** Milliseconds of the call's clock. */
  readonly at: number
}

/** Notices of which each code is listed a limited number of times; the repetitions are only counted. */
export class Notices {
  readonly #perCode: number
  readonly #list: Notice[] = []
  readonly #counts = new Map<NoticeCode, number>()

  /** `perCode`: how many of the same code are listed. Twilio reports a stream's warnings once. */
  constructor(perCode: number) {
    this.#perCode = perCode
  }

  /** In order. */
  get list(): readonly Notice[] {
    return this.#list
  }

  add(code: NoticeCode, text: string, at: number): void {
    const count = this.count(code)
    if (count < this.#perCode) this.#list.push({ code, text, at })
    this.#counts.set(code, count + 1)
  }

  /** How often `code` happened, with those that were not listed. */
  count(code: NoticeCode): number {
    return this.#counts.get(code) ?? 0
  }
}
