import type { Announcement } from '../../../core/announcement.ts'
import type { Announcer, NoticeName } from '../../../core/announcer.ts'
import type { Clock } from '../../../core/clock.ts'
import type { LanguageId } from '../../../core/languages.ts'
import type { Participant } from '../../../core/participant.ts'
import { within } from './within.ts'

/** The same notice in the same language is not said again for so long (ms). */
const AGAIN_MS = 15_000
/** The same for the one that newcomers hear, which interrupts everybody else; they have it in writing. */
const NEWCOMERS_AGAIN_MS = 180_000
/** A notice that has not been heard by then is not waited for (ms). */
const LONGEST_MS = 12_000
/** Notices that wait; more are not said. */
const WAITING_MOST = 6

interface Waiting {
  readonly name: NoticeName
  readonly language: LanguageId
}

/**
 * What the system says in a channel: one notice after the other, since a channel hears them all at once, and none over and
 * over however often people come and go.
 */
export class VoiceNotices {
  readonly #announcer: Announcer
  readonly #clock: Clock
  /** Whose voice says it in this language; undefined: nothing is spoken in this channel. */
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

  /** Says `name` in each language, unless it was said lately. */
  say(name: NoticeName, languages: readonly LanguageId[]): void {
    const now = this.#clock.now()
    for (const language of languages) {
      const key = `${name} ${language}`
      const againMs = name === 'channel-interpreted' ? NEWCOMERS_AGAIN_MS : AGAIN_MS
      if (now - (this.#saidAt.get(key) ?? Number.NEGATIVE_INFINITY) < againMs) continue
      if (this.#closed || this.#waiting.length >= WAITING_MOST) return
      this.#saidAt.set(key, now)
      this.#waiting.push({ name, language })
    }
    if (this.#waiting.length > 0) this.#speaking ??= this.#speak().then(() => this.#spoken())
  }

  /** `name` may be said again at once. */
  forget(name: NoticeName): void {
    for (const key of this.#saidAt.keys()) if (key.startsWith(`${name} `)) this.#saidAt.delete(key)
  }

  /** The last words, instead of all that waits; settles when they were heard, after `withinMs` at most. Idempotent. */
  async farewell(languages: readonly LanguageId[], withinMs: number): Promise<void> {
    if (this.#closed) return
    this.#waiting.length = 0
    this.#now?.stop({ flush: true })
    this.say('goodbye', languages)
    this.#closed = true
    await within(this.#clock, withinMs, this.#speaking)
    this.close()
  }

  /** Nothing is said any more. */
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
    // Something may have come between the last look and this one.
    if (this.#waiting.length > 0) this.#speaking = this.#speak().then(() => this.#spoken())
  }
}
