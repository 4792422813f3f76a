import type { GuildView } from './guild-view.ts'
import type { Notice } from './notices.ts'

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
