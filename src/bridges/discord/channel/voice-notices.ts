import { type Clock, withTimeout } from '../../../common/clock.ts'
import type { LanguageId } from '../../../common/language.ts'
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
  readonly #output: (language: LanguageId) => Participant | undefined
  readonly #playedAt = new Map<string, number>()
  readonly #waiting: Waiting[] = []
  #speaking: Promise<void> | undefined
  #playing: Announcement | undefined
  #closed = false

  constructor(announcer: Announcer, clock: Clock, output: (language: LanguageId) => Participant | undefined) {
    this.#announcer = announcer
    this.#clock = clock
    this.#output = output
  }

  /** Plays `name` in each language, unless it played recently. */
  play(name: NoticeName, languages: readonly LanguageId[]): void {
    const now = this.#clock.now()
    for (const language of languages) {
      const key = `${name} ${language}`
      const againMs = name === 'channel-interpreted' ? NEWCOMERS_AGAIN_MS : REPEAT_AFTER_MS
      if (now - (this.#playedAt.get(key) ?? Number.NEGATIVE_INFINITY) < againMs) continue
      if (this.#closed || this.#waiting.length >= WAITING_MOST) return
      this.#playedAt.set(key, now)
      this.#waiting.push({ name, language })
    }
    if (this.#waiting.length > 0) this.#speaking ??= this.#speak().then(() => this.#spoken())
  }

  /** Allows `name` to be repeated immediately. */
  forget(name: NoticeName): void {
    for (const key of this.#playedAt.keys()) if (key.startsWith(`${name} `)) this.#playedAt.delete(key)
  }

  /**
   * Replaces all waiting notices with the goodbye. Settles after playback, or after at most `withinMs`. Idempotent.
   */
  async farewell(languages: readonly LanguageId[], withinMs: number): Promise<void> {
    if (this.#closed) return
    this.#waiting.length = 0
    this.#playing?.stop({ flush: true })
    this.play('goodbye', languages)
    this.#closed = true
    await withTimeout(this.#clock, withinMs, this.#speaking)
    this.close()
  }

  /** Stops all notices. */
  close(): void {
    this.#closed = true
    this.#waiting.length = 0
    this.#playing?.stop({ flush: true })
  }

  async #speak(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const sound = await this.#announcer.notice(next.name, next.language)
      const output = this.#output(next.language)
      if (!output) continue
      this.#playing = output.announce(sound)
      await withTimeout(this.#clock, LONGEST_MS, this.#playing.ended)
      this.#playing = undefined
    }
  }

  #spoken(): void {
    this.#speaking = undefined
    // A notice can arrive between the last check and this one.
    if (this.#waiting.length > 0) this.#speaking = this.#speak().then(() => this.#spoken())
  }
}
