export interface MediaControlActions {
  mute(): void
  hangUp(): void
}

/** The parts of `MediaSession` that TypeScript's library lacks ("Media Session", §8). */
interface CallSession extends MediaSession {
  setMicrophoneActive?(active: boolean): unknown
}

/** Controls of the system during a call, such as those on a locked screen or a headset, where the browser has them. */
export class MediaControls {
  readonly #session = (navigator as { mediaSession?: CallSession }).mediaSession

  begin(title: string, { mute, hangUp }: MediaControlActions): void {
    if (!this.#session) return
    this.#session.metadata = new MediaMetadata({ title, artist: 'Dragoman' })
    this.#session.playbackState = 'playing'
    this.#set('togglemicrophone', mute)
    this.#set('hangup', hangUp)
  }

  muted(muted: boolean): void {
    this.#session?.setMicrophoneActive?.(!muted)
  }

  end(): void {
    if (!this.#session) return
    this.#session.metadata = null
    this.#session.playbackState = 'none'
    this.#set('togglemicrophone', null)
    this.#set('hangup', null)
  }

  #set(action: string, handler: (() => void) | null): void {
    try {
      this.#session?.setActionHandler(action as MediaSessionAction, handler)
    } catch {
      // The browser does not have this control.
    }
  }
}
