export interface MediaControlActions {
  mute(): void
  hangUp(): void
}

/** Not every browser has all of it. */
type CallSession = Omit<MediaSession, 'setMicrophoneActive'> &
  Partial<Pick<MediaSession, 'setMicrophoneActive'>>

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
    void this.#session?.setMicrophoneActive?.(!muted)?.catch?.(() => {})
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
