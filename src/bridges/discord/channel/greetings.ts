import { after, type Clock } from '../../../common/clock.ts'
import type { LanguageId } from '../../../common/language.ts'
import type { ChannelMember } from './member.ts'

/** People who join within this time are informed together (ms). Listening waits for the notice, so it is short. */
const TOGETHER_MS = 250
/** Minimum interval between notices to newcomers (ms): captions need most of Discord's rate limit. */
const EVERY_MS = 3_000

/**
 * Decides when people are notified of the listening: each person once, together with others who join at the same time,
 * and never in quick succession.
 */
export class Greetings implements Disposable {
  readonly #clock: Clock
  readonly #greet: (newcomers: readonly ChannelMember[]) => void
  readonly #greeted = new Set<string>()
  #waiting = new Map<string, ChannelMember>()
  #lastAt = Number.NEGATIVE_INFINITY
  #timer: Disposable | undefined

  /** `greet` is called with the members to notify. */
  constructor(clock: Clock, greet: (newcomers: readonly ChannelMember[]) => void) {
    this.#clock = clock
    this.#greet = greet
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    this.#waiting.clear()
  }

  /** Marks these members as notified. */
  greeted(members: readonly ChannelMember[]): void {
    for (const { userId } of members) this.#greeted.add(userId)
  }

  /** Updates the members present. Members who opted out are not notified. */
  see(members: readonly ChannelMember[]): void {
    const there = new Map(members.map(member => [member.userId, member]))
    this.#waiting = new Map(Array.from(this.#waiting).filter(([userId]) => there.has(userId)))
    for (const [userId, member] of there)
      if (member.consents && !member.informed && !this.#greeted.has(userId)) this.#waiting.set(userId, member)
    if (this.#waiting.size === 0) return
    const now = this.#clock.now()
    const wait = Math.max(TOGETHER_MS, this.#lastAt + EVERY_MS - now)
    this.#timer ??= after(this.#clock, wait, () => {
      this.#timer = undefined
      const newcomers = Array.from(this.#waiting.values())
      this.#waiting.clear()
      if (newcomers.length === 0) return
      this.greeted(newcomers)
      this.#lastAt = this.#clock.now()
      this.#greet(newcomers)
    })
  }
}

/** Returns the languages of `members`, most common first. */
export function languagesOf(members: readonly ChannelMember[]): LanguageId[] {
  const count = new Map<LanguageId, number>()
  for (const { language } of members) count.set(language, (count.get(language) ?? 0) + 1)
  return Array.from(count)
    .sort(([, a], [, b]) => b - a)
    .map(([language]) => language)
}
