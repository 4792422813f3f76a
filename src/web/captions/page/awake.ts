/** Keeps the screen on while requested and the page is visible, if the browser supports it. */
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

  /** The browser releases the lock when the page is hidden. */
  async #hold(): Promise<void> {
    if (!this.#wanted || document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return
    if (this.#lock && !this.#lock.released) return
    try {
      this.#lock = await navigator.wakeLock.request('screen')
      if (!this.#wanted) await this.#lock.release()
    } catch {
      // Low battery or a policy: the screen may turn off.
    }
  }
}
