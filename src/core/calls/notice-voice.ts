import { type Clock, pause, withTimeout } from '../../common/clock.ts'
import type { LanguageId } from '../../common/language.ts'
import type { Announcer, NoticeName } from '../model/announcer.ts'
import type { Announcement } from '../playout/announcement.ts'
import type { Participant } from '../room/participant.ts'

/** Plays notices to one participant, in their language. A new notice replaces the previous one. */
export class NoticeVoice {
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

/** Maximum wait for the playback of a notice (ms). */
const HEARD_MS = 15_000
/** Last words can remain in the service for this long (ms) … */
const WORDS_MS = 1_000
/** … with this as the maximum wait (ms). A notice lets them continue for another 1.5 s: 3 s in total. */
const REST_MS = 1_500
/** Interval between checks of the playback (ms). */
const LOOK_MS = 100

/** Plays notices, in each participant's language, and a ringing tone. */
export class TwoPartyCallVoice {
  readonly #announcer: Announcer
  readonly #clock: Clock
  readonly #language: LanguageId

  /** `language`: for participants without a language. */
  constructor(announcer: Announcer, clock: Clock, language: LanguageId) {
    this.#announcer = announcer
    this.#clock = clock
    this.#language = language
  }

  /** Plays a notice. Resolves when `party` has heard it or left, or after a timeout. Never rejects. */
  async say(
    party: Participant,
    name: NoticeName,
    values: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const { hears, speaks } = party.state
    const sound = await this.#announcer.notice(name, hears ?? speaks ?? this.#language, values)
    await withTimeout(this.#clock, HEARD_MS, party.announce(sound).ended)
  }

  /** Plays the ringing tone until it is stopped. */
  ring(party: Participant): Announcement {
    return party.announce(this.#announcer.tone('ringback'))
  }

  /** Resolves when `party` has heard all translations, including last words that still arrive, or after a timeout. */
  async heardOut(party: Participant): Promise<void> {
    const begun = this.#clock.now()
    for (;;) {
      const now = this.#clock.now()
      const queued = party.playout.backlogMs > 0 || party.playout.aheadMs(now) > 0
      const waited = now - begun
      if (waited >= REST_MS || (waited >= WORDS_MS && !queued)) return
      await pause(this.#clock, LOOK_MS)
    }
  }
}
