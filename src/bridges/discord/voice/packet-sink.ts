/** Takes what one user says, as it comes from the network: any order, with gaps and repetitions. */
export interface PacketSink {
  /**
   * One Opus packet, decrypted and of a lawful size; the memory is the sink's from now on. `sequence` (16 bits) and
   * `timestamp` (32 bits, 48 kHz) are RTP's and wrap around; another `ssrc` is another stream of the same user.
   */
  packet(sequence: number, timestamp: number, ssrc: number, opus: Uint8Array): void
}

/** Where packets of users come from: a voice channel. */
export interface PacketSource {
  /** From the user's next packet on. Replaces an earlier sink of theirs. */
  listen(userId: string, sink: PacketSink): void
  /** At once: not one packet more. With `sink`, only if it is still this one. */
  unlisten(userId: string, sink?: PacketSink): void
  /** Settles when nothing will come any more. Never rejects. */
  readonly ended: Promise<unknown>
}

/** Where packets for a channel go. */
export interface PacketPlayer {
  /** What is played now reaches the channel, encrypted as the channel demands; otherwise it is lost. */
  readonly playable: boolean
  /** One Opus packet of 20 ms. Borrowed for the call only. */
  play(opus: Uint8Array): void
  /** The ring around the bot's picture; it goes on by itself when something is played. */
  setSpeaking(on: boolean): void
}
