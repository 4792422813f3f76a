import type { Notice } from './channel-notices.ts'
import type { GuildView } from './guild-view.ts'

export interface BotTroublesOptions {
  readonly view: Pick<GuildView, 'bot' | 'may' | 'isStage' | 'askToSpeak'>
  /** True if the channel has spoken output. */
  readonly voice: boolean
  readonly tell: (notice: Notice) => void
  /** Called when the bot is not allowed in the channel. */
  readonly forbidden: () => void
}

/** Problems that keep the bot from hearing or being heard. Each is reported once, when it starts. */
export class BotProblems {
  readonly #options: BotTroublesOptions
  readonly #told = new Set<string>()

  constructor(options: BotTroublesOptions) {
    this.#options = options
  }

  /** Checks the bot's current state in the channel. */
  look(channelId: string): void {
    const { view, voice, forbidden } = this.#options
    if (!view.may(channelId, 'ViewChannel') || !view.may(channelId, 'Connect')) {
      forbidden()
      return
    }
    const { muted, deafened, suppressed } = view.bot
    this.#trouble('deafened', deafened, words => words.deafened)
    if (!voice) return
    this.#trouble('muted', muted, words => words.muted)
    if (view.isStage(channelId)) this.#audience(channelId, suppressed)
    else this.#trouble('speak', !view.may(channelId, 'Speak'), words => words.noSpeak)
  }

  /** Deaf: the bot cannot hear the channel. Mute: the channel cannot hear the bot. Deaf takes precedence. */
  get hinders(): 'mute' | 'deaf' | undefined {
    if (this.#told.has('deafened')) return 'deaf'
    return ['muted', 'speak', 'audience'].some(each => this.#told.has(each)) ? 'mute' : undefined
  }

  /** Reports a problem the first time only. */
  once(name: string, notice: Notice): void {
    this.#trouble(name, true, notice)
  }

  #trouble(name: string, is: boolean, notice: Notice): void {
    if (!is) this.#told.delete(name)
    else if (!this.#told.has(name)) {
      this.#told.add(name)
      this.#options.tell(notice)
    }
  }

  #audience(channelId: string, suppressed: boolean): void {
    if (!suppressed) this.#told.delete('audience')
    else if (!this.#told.has('audience')) {
      this.#told.add('audience')
      void this.#options.view.askToSpeak(channelId).then(answer => {
        if (answer !== 'speaks')
          this.#options.tell(words => (answer === 'asked' ? words.askedToSpeak : words.noSpeak))
      })
    }
  }
}

/** Delay before an outage is announced (ms): most broken connections recover sooner. */
const AFTER_MS = 3_000

/** Posts notices that can be changed later. */
export interface Amendable {
  /** Resolves with a function that changes the notice, or undefined if it could not be posted. */
  post(notice: Notice): Promise<((notice: Notice) => Promise<void>) | undefined>
}

/** Posts a notice for each outage of the service, and updates it after the recovery. */
export class OutageNotice {
  readonly #board: Amendable
  #since: number | undefined
  #posted: ReturnType<Amendable['post']> | undefined

  constructor(board: Amendable) {
    this.#board = board
  }

  /** Updates the state at `now` (clock ms). */
  look(unavailable: boolean, now: number): void {
    if (unavailable) {
      this.#since ??= now
      if (now - this.#since >= AFTER_MS) this.#posted ??= this.#board.post(words => words.serviceUnavailable)
      return
    }
    this.#since = undefined
    const posted = this.#posted
    this.#posted = undefined
    void posted?.then(amend => amend?.(words => words.serviceBack))
  }
}
