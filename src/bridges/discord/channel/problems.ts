import type { GuildView } from './guild-view.ts'
import type { Amend, Notice } from './notices.ts'

export interface BotProblemsOptions {
  readonly view: Pick<GuildView, 'bot' | 'may' | 'isStage' | 'askToSpeak'>
  /** True if the channel has spoken output. */
  readonly voice: boolean
  readonly report: (notice: Notice) => void
  /** Called when the bot is not allowed in the channel. */
  readonly forbidden: () => void
}

/** Problems that keep the bot from hearing or being heard. Each is reported once, when it starts. */
export class BotProblems {
  readonly #options: BotProblemsOptions
  readonly #current = new Set<string>()

  constructor(options: BotProblemsOptions) {
    this.#options = options
  }

  /** Checks the bot's current state in the channel. */
  check(channelId: string): void {
    const { view, voice, forbidden } = this.#options
    if (!view.may(channelId, 'ViewChannel') || !view.may(channelId, 'Connect')) {
      forbidden()
      return
    }
    const { muted, deafened, suppressed } = view.bot
    this.#set('deafened', deafened, words => words.deafened)
    if (!voice) return
    this.#set('muted', muted, words => words.muted)
    if (view.isStage(channelId)) this.#setAudience(channelId, suppressed)
    else this.#set('speak', !view.may(channelId, 'Speak'), words => words.noSpeak)
  }

  /** Deaf: the bot cannot hear the channel. Mute: the channel cannot hear the bot. Deaf takes precedence. */
  get hinders(): 'mute' | 'deaf' | undefined {
    if (this.#current.has('deafened')) return 'deaf'
    return ['muted', 'speak', 'audience'].some(name => this.#current.has(name)) ? 'mute' : undefined
  }

  /** Reports a problem the first time only. */
  once(name: string, notice: Notice): void {
    this.#set(name, true, notice)
  }

  #set(name: string, present: boolean, notice: Notice): void {
    if (this.#begins(name, present)) this.#options.report(notice)
  }

  #setAudience(channelId: string, suppressed: boolean): void {
    const { view, report } = this.#options
    if (!this.#begins('audience', suppressed)) return
    void view.askToSpeak(channelId).then(answer => {
      if (answer !== 'speaks') report(words => (answer === 'requested' ? words.askedToSpeak : words.noSpeak))
    })
  }

  /** Notes whether a problem is present. Returns true if it is new. */
  #begins(name: string, present: boolean): boolean {
    const before = this.#current.has(name)
    if (present) this.#current.add(name)
    else this.#current.delete(name)
    return present && !before
  }
}

/** Delay before an outage is announced (ms). Most broken connections recover within it. */
const AFTER_MS = 3_000

/** Posts a notice for each outage of the service, and updates it after the recovery. */
export class OutageAlert {
  readonly #post: (notice: Notice) => Promise<Amend | undefined>
  #since: number | undefined
  #posted: Promise<Amend | undefined> | undefined

  /** `post` resolves with a function that changes the notice, or undefined if it could not be posted. */
  constructor(post: (notice: Notice) => Promise<Amend | undefined>) {
    this.#post = post
  }

  /** Updates the state at `now` (clock ms). `names`: who speaks untranslated; undefined: everybody would. */
  update(names: readonly string[] | undefined, now: number): void {
    if (names?.length !== 0) {
      this.#since ??= now
      if (now - this.#since >= AFTER_MS)
        this.#posted ??= this.#post(words =>
          names ? words.untranslated(names.join(', ')) : words.serviceUnavailable,
        )
      return
    }
    this.#since = undefined
    const posted = this.#posted
    this.#posted = undefined
    void posted?.then(amend => amend?.(words => words.serviceBack))
  }
}
