/** The parts of the browser that are used ("Screen Wake Lock API"). */
export interface WakeLockHost {
  readonly navigator: {
    readonly wakeLock?: { request(kind: 'screen'): Promise<{ release(): Promise<void> }> }
  }
  readonly document: {
    readonly visibilityState: string
    addEventListener(event: 'visibilitychange', listener: () => void): void
  }
}

/** Keeps the screen on during a call, where the browser can: a locked screen ends the sound of many phones. */
export class ScreenWakeLock {
  readonly #host: WakeLockHost
  #wanted = false
  #lock: Promise<{ release(): Promise<void> } | undefined> | undefined

  constructor(host: WakeLockHost) {
    this.#host = host
    // The browser releases it whenever the page is hidden.
    host.document.addEventListener('visibilitychange', () => {
      if (host.document.visibilityState !== 'visible') this.#lock = undefined
      else if (this.#wanted) this.#request()
    })
  }

  hold(): void {
    if (this.#wanted) return
    this.#wanted = true
    this.#request()
  }

  release(): void {
    this.#wanted = false
    const lock = this.#lock
    this.#lock = undefined
    void lock?.then(held => held?.release()).catch(() => {})
  }

  #request(): void {
    // Refused with an empty battery, for example: the call goes on.
    this.#lock ??= this.#host.navigator.wakeLock?.request('screen').catch(() => undefined)
  }
}
