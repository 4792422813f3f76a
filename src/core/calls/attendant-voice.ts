import type { LanguageId } from '../../common/language.ts'
import type { Announcer, NoticeName } from '../model/announcer.ts'
import type { Announcement } from '../playout/announcement.ts'
import type { Participant } from '../room/participant.ts'

/** Plays the attendant's notices to one participant, in their language. A new notice replaces the previous one. */
export class AttendantVoice {
  readonly #announcer: Announcer
  readonly #party: Participant
  readonly #language: LanguageId
  #last: Announcement | undefined
  /** Number of notices requested so far. */
  #count = 0

  /** `language`: for a participant without a language. */
  constructor(announcer: Announcer, party: Participant, language: LanguageId) {
    this.#announcer = announcer
    this.#party = party
    this.#language = language
  }

  /** Settles when the notice is queued, or another notice has replaced it. */
  async say(name: NoticeName, values: Readonly<Record<string, string>> = {}): Promise<void> {
    const number = ++this.#count
    const { hears, speaks } = this.#party.state
    const sound = await this.#announcer.notice(name, hears ?? speaks ?? this.#language, values)
    if (number !== this.#count) return
    this.#last?.stop({ flush: true })
    this.#last = this.#party.announce(sound)
  }

  /** Stops the last notice, which no longer applies. */
  hush(): void {
    this.#count++
    this.#last?.stop({ flush: true })
    this.#last = undefined
  }
}
