import type { Announcement } from './announcement.ts'
import type { Announcer, NoticeName } from './announcer.ts'
import { after, type Clock } from './clock.ts'
import type { LanguageId } from './languages.ts'
import type { Participant } from './participant.ts'

/** The longest that anybody waits for a notice to be heard (ms). */
const HEARD_MS = 15_000
/** Last words may still be on their way through the service for this long (ms) … */
const WORDS_MS = 1_000
/** … and are waited for no longer than this (ms). A notice lets them go on for 1.5 s more: 3 s in all. */
const REST_MS = 1_500
/** How often it is looked whether all has been heard (ms). */
const LOOK_MS = 100

/** How the switchboard speaks to parties: notices in their own language, and a ringing tone. */
export class SwitchboardVoice {
  readonly #announcer: Announcer
  readonly #clock: Clock
  readonly #language: LanguageId

  /** `language`: for parties who have none. */
  constructor(announcer: Announcer, clock: Clock, language: LanguageId) {
    this.#announcer = announcer
    this.#clock = clock
    this.#language = language
  }

  /** Settles when `party` has heard the notice, is gone, or does not seem to hear anything. Never rejects. */
  async say(
    party: Participant,
    name: NoticeName,
    values: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const { hears, speaks } = party.state
    const sound = await this.#announcer.notice(name, hears ?? speaks ?? this.#language, values)
    const { promise: late, resolve } = Promise.withResolvers<void>()
    using _timer = after(this.#clock, HEARD_MS, resolve)
    await Promise.race([party.announce(sound).ended, late])
  }

  /** What a caller hears while a telephone rings; until it is stopped. */
  ring(party: Participant): Announcement {
    return party.announce(this.#announcer.tone('ringback'))
  }

  /** Settles when `party` has heard what is translated for them, last words that still come included, or soon. */
  async heardOut(party: Participant): Promise<void> {
    const begun = this.#clock.now()
    for (;;) {
      const now = this.#clock.now()
      const queued = party.playout.backlogMs > 0 || party.playout.aheadMs(now) > 0
      const waited = now - begun
      if (waited >= REST_MS || (waited >= WORDS_MS && !queued)) return
      await new Promise<void>(resolve => void after(this.#clock, LOOK_MS, resolve))
    }
  }
}
