import type { Sound } from './audio.ts'
import { SignsOfLife, type Vital } from './signs-of-life.ts'

/** Interval between checks (ms). */
const CHECK_MS = 250

export interface SoundWatchOptions {
  readonly sound: () => Pick<Sound, 'running' | 'resume'> | undefined
  /** Opens the sound again. */
  readonly reopen: () => void
  /** Called at every check. */
  readonly checked: (vital: Vital) => void
  /** The user is back at the page, or the network is. */
  readonly returned: () => void
}

/** Watches over the sound during a call: continues it when the user returns or taps, and opens it again if that fails. */
export class SoundWatch {
  vital: Vital = 'alive'
  readonly #options: SoundWatchOptions
  readonly #signs = new SignsOfLife()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(options: SoundWatchOptions) {
    this.#options = options
    for (const event of ['pointerdown', 'keydown'])
      addEventListener(event, () => this.#repair(() => this.#signs.tap(performance.now())), { capture: true })
    for (const event of ['pageshow', 'focus', 'online']) addEventListener(event, () => this.#returned())
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.#returned()
    })
  }

  /** The sound was opened. */
  begin(): void {
    this.#signs.begin(performance.now())
    this.vital = 'alive'
    if (this.#timer === undefined) this.#wait()
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.vital = 'alive'
  }

  /** A frame arrived. */
  frame(): void {
    this.#signs.frame(performance.now())
  }

  /** Called at intervals, and when the browser reports a change. */
  check(): void {
    const sound = this.#options.sound()
    if (!sound || this.#timer === undefined) return
    const now = performance.now()
    this.vital = this.#signs.check(now, sound.running)
    this.#options.checked(this.vital)
    const repair = this.#signs.repair(now)
    if (repair === 'reopen') this.#options.reopen()
    // Pending until the browser allows it; a later tap continues it too.
    else if (repair === 'resume') sound.resume().catch(() => {})
  }

  #wait(): void {
    this.#timer = setTimeout(() => {
      this.#wait()
      this.check()
    }, CHECK_MS)
  }

  #returned(): void {
    if (this.#timer === undefined) return
    this.#options.returned()
    this.#repair()
  }

  #repair(first = () => {}): void {
    if (this.#timer === undefined || this.vital === 'alive') return
    first()
    this.#options
      .sound()
      ?.resume()
      .catch(() => {})
  }
}
