/** What came from one bot over UDP. */
export interface PacketCounts {
  /** Packets that could be opened. */
  readonly packets: number
  /** Of them: frames of speech. */
  readonly frames: number
  /** Of them: Discord's silence frame, `F8 FF FE`. */
  readonly silence: number
  /** Silence frames in a row at the end, so far. */
  readonly silenceTail: number
  /** Sequence numbers that never came. */
  readonly gaps: number
  /** Op 5 from the bot, in order: its `speaking` and how many packets had come by then. */
  readonly speaking: readonly { readonly flags: number; readonly afterPackets: number }[]
  /** Packets whose transport encryption is wrong. */
  readonly broken: number
  /** Frames that no member of the DAVE group can decrypt. */
  readonly undecryptable: number
  /** Frames of speech that came in plaintext although the bot is a member of a DAVE group. */
  readonly plaintext: number
}
