/** Statistics of one bot's UDP packets. */
export interface PacketCounts {
  /** Packets that could be opened. */
  readonly packets: number
  /** Of them: frames of speech. */
  readonly frames: number
  /** Of them: Discord's silence frame, `F8 FF FE`. */
  readonly silence: number
  /** Consecutive silence frames at the end, so far. */
  readonly silenceTail: number
  /** Sequence numbers that never arrived. */
  readonly gaps: number
  /** Packets that arrived twice or after a later one; not played. */
  readonly late: number
  /** Op 5 from the bot, in order: its flags and the number of packets by then. */
  readonly speaking: readonly { readonly flags: number; readonly afterPackets: number }[]
  /** Packets with invalid transport encryption. */
  readonly broken: number
  /** Frames under DAVE that no member of the group can decrypt. */
  readonly undecryptable: number
  /** Frames of speech in plaintext although the bot is a member of a DAVE group; they are not played. */
  readonly plaintext: number
  /** Frames that are not valid Opus. */
  readonly undecodable: number
}

/** The same, mutable. */
export type PacketCounters = { -readonly [K in Exclude<keyof PacketCounts, 'speaking'>]: number } & {
  speaking: { flags: number; afterPackets: number }[]
}

export function noPackets(): PacketCounters {
  return {
    packets: 0,
    frames: 0,
    silence: 0,
    silenceTail: 0,
    gaps: 0,
    late: 0,
    speaking: [],
    broken: 0,
    undecryptable: 0,
    plaintext: 0,
    undecodable: 0,
  }
}
