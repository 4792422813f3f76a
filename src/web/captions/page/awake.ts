/** Keeps the screen on while it is wanted and the page is seen; nothing where the browser cannot. */
export class Awake {
  #wanted = false
  #lock: WakeLockSentinel | undefined

  constructor() {
    document.addEventListener('visibilitychange', () => void this.#hold())
  }

  set(wanted: boolean): void {
    this.#wanted = wanted
    if (wanted) void this.#hold()
    else {
      void this.#lock?.release()
      this.#lock = undefined
    }
  }

  /** The browser takes the lock back whenever the page is not seen. */
  async #hold(): Promise<void> {
    if (!this.#wanted || document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return
    if (this.#lock && !this.#lock.released) return
    try {
      this.#lock = await navigator.wakeLock.request('screen')
      if (!this.#wanted) await this.#lock.release()
    } catch {
      // A battery that is low, or a policy: the screen does as it likes.
    }
  }
}
