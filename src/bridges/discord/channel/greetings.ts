import { after, type Clock } from '../../../core/clock.ts'
import type { LanguageId } from '../../../core/languages.ts'
import type { ChannelMember } from './member.ts'

/** People who join within this are informed together (ms). Nobody is listened to before, so it is short. */
const TOGETHER_MS = 250
/** Between two notices to newcomers (ms): captions need most of what Discord lets through. */
const EVERY_MS = 3_000

/**
 * Decides who is told that people are listened to: everybody once, together with whoever comes at the same time, and never
 * in quick succession.
 */
export class Greetings implements Disposable {
  readonly #clock: Clock
  readonly #greet: (newcomers: readonly ChannelMember[]) => void
  readonly #greeted = new Set<string>()
  #waiting = new Map<string, ChannelMember>()
  #lastAt = Number.NEGATIVE_INFINITY
  #timer: Disposable | undefined

  /** `greet` is called with those who are to be told. */
  constructor(clock: Clock, greet: (newcomers: readonly ChannelMember[]) => void) {
    this.#clock = clock
    this.#greet = greet
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    this.#waiting.clear()
  }

  /** These have been told. */
  greeted(members: readonly ChannelMember[]): void {
    for (const { userId } of members) this.#greeted.add(userId)
  }

  /** These are there now. Whoever said no already need not be told. */
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

/** The languages of `members`, each once, those of most of them first. */
export function languagesOf(members: readonly ChannelMember[]): LanguageId[] {
  const count = new Map<LanguageId, number>()
  for (const { language } of members) count.set(language, (count.get(language) ?? 0) + 1)
  return Array.from(count)
    .sort(([, a], [, b]) => b - a)
    .map(([language]) => language)
}
