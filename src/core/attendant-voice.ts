import type { Announcement } from './announcement.ts'
import type { Announcer, NoticeName } from './announcer.ts'
import type { LanguageId } from './languages.ts'
import type { Participant } from './participant.ts'

/** How the attendant speaks to one party: in their language, and only what is true now: a new notice replaces the one before. */
export class AttendantVoice {
  readonly #announcer: Announcer
  readonly #party: Participant
  readonly #language: LanguageId
  #last: Announcement | undefined
  /** Notices asked for. */
  #count = 0

  /** `language`: for a party that has none. */
  constructor(announcer: Announcer, party: Participant, language: LanguageId) {
    this.#announcer = announcer
    this.#party = party
    this.#language = language
  }

  /** Settles when the notice is in line, or another has taken its place. */
  async say(name: NoticeName, values: Readonly<Record<string, string>> = {}): Promise<void> {
    const number = ++this.#count
    const { hears, speaks } = this.#party.state
    const sound = await this.#announcer.notice(name, hears ?? speaks ?? this.#language, values)
    if (number !== this.#count) return
    this.#last?.stop({ flush: true })
    this.#last = this.#party.announce(sound)
  }

  /** What was said last is not true any more. */
  hush(): void {
    this.#count++
    this.#last?.stop({ flush: true })
    this.#last = undefined
  }
}
