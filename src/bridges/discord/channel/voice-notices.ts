import type { Clock } from '../../../common/clock.ts'
import type { LanguageId } from '../../../common/language.ts'
import { within } from '../../../common/within.ts'
import type { Announcer, NoticeName } from '../../../core/model/announcer.ts'
import type { Announcement } from '../../../core/playout/announcement.ts'
import type { Participant } from '../../../core/room/participant.ts'

/** Interval before the same notice is repeated in the same language (ms). */
const REPEAT_AFTER_MS = 15_000
/** The same for the notice to newcomers, which interrupts everyone else. They also get it in writing. */
const NEWCOMERS_AGAIN_MS = 180_000
/** Maximum wait for a notice to be played (ms). */
const LONGEST_MS = 12_000
/** Maximum number of waiting notices; more are dropped. */
const WAITING_MOST = 6

interface Waiting {
  readonly name: NoticeName
  readonly language: LanguageId
}

/**
 * Spoken notices of a channel. They are played one at a time, because everyone in the channel hears all of them, and
 * not repeated each time people come and go.
 */
export class VoiceNotices {
  readonly #announcer: Announcer
  readonly #clock: Clock
  /** The leg that speaks this language; undefined: the channel has no spoken output. */
  readonly #ear: (language: LanguageId) => Participant | undefined
  readonly #saidAt = new Map<string, number>()
  readonly #waiting: Waiting[] = []
  #speaking: Promise<void> | undefined
  #now: Announcement | undefined
  #closed = false

  constructor(announcer: Announcer, clock: Clock, ear: (language: LanguageId) => Participant | undefined) {
    this.#announcer = announcer
    this.#clock = clock
    this.#ear = ear
  }

  /** Plays `name` in each language, unless it played recently. */
  say(name: NoticeName, languages: readonly LanguageId[]): void {
    const now = this.#clock.now()
    for (const language of languages) {
      const key = `${name} ${language}`
      const againMs = name === 'channel-interpreted' ? NEWCOMERS_AGAIN_MS : REPEAT_AFTER_MS
      if (now - (this.#saidAt.get(key) ?? Number.NEGATIVE_INFINITY) < againMs) continue
      if (this.#closed || this.#waiting.length >= WAITING_MOST) return
      this.#saidAt.set(key, now)
      this.#waiting.push({ name, language })
    }
    if (this.#waiting.length > 0) this.#speaking ??= this.#speak().then(() => this.#spoken())
  }

  /** Allows `name` to be repeated immediately. */
  forget(name: NoticeName): void {
    for (const key of this.#saidAt.keys()) if (key.startsWith(`${name} `)) this.#saidAt.delete(key)
  }

  /**
   * Replaces all waiting notices with the goodbye. Settles after playback, or after at most `withinMs`. Idempotent.
   */
  async farewell(languages: readonly LanguageId[], withinMs: number): Promise<void> {
    if (this.#closed) return
    this.#waiting.length = 0
    this.#now?.stop({ flush: true })
    this.say('goodbye', languages)
    this.#closed = true
    await within(this.#clock, withinMs, this.#speaking)
    this.close()
  }

  /** Stops all notices. */
  close(): void {
    this.#closed = true
    this.#waiting.length = 0
    this.#now?.stop({ flush: true })
  }

  async #speak(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const sound = await this.#announcer.notice(next.name, next.language)
      const ear = this.#ear(next.language)
      if (!ear) continue
      this.#now = ear.announce(sound)
      await within(this.#clock, LONGEST_MS, this.#now.ended)
      this.#now = undefined
    }
  }

  #spoken(): void {
    this.#speaking = undefined
    // A notice can arrive between the last check and this one.
    if (this.#waiting.length > 0) this.#speaking = this.#speak().then(() => this.#spoken())
  }
}
