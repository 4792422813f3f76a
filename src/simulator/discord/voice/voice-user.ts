export interface SayOptions {
  /** Audio in one packet. Default 20. */
  readonly frameMs?: 10 | 20 | 40 | 60
  /** Default 1. */
  readonly channels?: 1 | 2
  /** Silence frames after the last word. Default 5, as real clients. */
  readonly silenceFrames?: number
}

/** A scripted user of a call. */
export interface VoiceUser {
  readonly userId: string
  /** As the bot sees it in op 5 and in packets. */
  readonly ssrc: number
  /** The user's end-to-end encryption is up with everybody who was there; at once without DAVE. Never rejects. */
  readonly joined: Promise<void>
  /** Six times five digits that all members of the DAVE group share; undefined without one. */
  readonly privacyCode: string | undefined
  /**
   * Says `pcm` (16 kHz mono) in real time, after everything said so far. Settles when the last packet has gone, or
   * when the user has left.
   */
  say(pcm: Int16Array, options?: SayOptions): Promise<void>
  /** Says no more of what was begun or waits. */
  hush(): void
  /** Goes on under another SSRC, as after a rejoin. */
  changeSsrc(): void
  /** Leaves the call: op 13, and out of the DAVE group. Idempotent. */
  leave(): void
}
