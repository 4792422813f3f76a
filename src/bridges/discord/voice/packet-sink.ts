/** Receives one user's packets as they arrive from the network: in any order, with gaps and duplicates. */
export interface PacketSink {
  /**
   * One Opus packet, decrypted and of valid size; the sink owns its memory. `sequence` (16 bits) and `timestamp` (32
   * bits, 48 kHz) are RTP's and wrap around. Another `ssrc` is another stream of the same user.
   */
  packet(sequence: number, timestamp: number, ssrc: number, opus: Uint8Array): void
}

/** A source of users' packets: a voice channel. */
export interface PacketSource {
  /** Starts with the user's next packet. Replaces the user's previous sink. */
  listen(userId: string, sink: PacketSink): void
  /** Takes effect immediately. With `sink`, only if it is still the current one. */
  unlisten(userId: string, sink?: PacketSink): void
  /** Settles when no more packets will arrive. Never rejects. */
  readonly ended: Promise<unknown>
}

/** Destination of packets for a channel. */
export interface PacketPlayer {
  /** Packets reach the channel, with the encryption it requires; otherwise they are lost. */
  readonly playable: boolean
  /** One Opus packet of 20 ms. Borrowed for the call only. */
  play(opus: Uint8Array): void
  /** Shows the ring around the bot's avatar; playing audio also turns it on. */
  setSpeaking(on: boolean): void
}
