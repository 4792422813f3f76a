import { addCounts } from '../../common/counts.ts'

/** Counts of the outcomes of commands. */
export class CommandCounters {
  /** Failed because of an error on our side or Discord's. */
  failed = 0
}

/** Counters of one voice channel: plain numbers, safe to read at any time. */
export class LinkCounters {
  /** Speech packets passed to listeners. */
  packets = 0
  /** Packets that never arrived, by their sequence numbers. */
  lost = 0
  /** Lost audio concealed by the decoder (ms). */
  concealedMs = 0
  /** Silence inserted in gaps and at the end of turns (ms). */
  silenceMs = 0
  /** Packets that arrived after their position had been played. */
  late = 0
  /** Packets that arrived before a preceding one. */
  reordered = 0
  duplicate = 0
  /** Restarted streams: another SSRC, or a jump in sequence or time. */
  restarts = 0
  /** Packets dropped because they exceeded the rate of real-time speech. */
  flooded = 0
  /** Packets that could not be decrypted, with either kind of encryption. */
  undecryptable = 0
  /** Plaintext frames in an end-to-end encrypted channel. */
  plaintext = 0
  /** Encrypted frames received before our session was ready; none of them is decoded. */
  tooEarly = 0
  /** Frames that could be decrypted with a later key. */
  decryptedLate = 0
  /** Datagrams from an address other than the voice server's that failed authentication. */
  unknownSource = 0
  /** Packets with an unknown SSRC. */
  unattributed = 0
  /** Packets with an unknown SSRC that were attributed to their speaker later. */
  attributed = 0
  /** Packets that are empty or not valid Opus. */
  malformed = 0
  /** Packets that the decoder rejected. */
  undecodable = 0
  /** Reinitializations of end-to-end encryption. */
  reinitialized = 0
  /** Reinitializations after which frames could be decrypted. */
  recovered = 0
  /** Resumed connections. */
  resumed = 0
  /** Repeated attempts to join. */
  rejoins = 0
  /** Caught errors of the voice library. */
  libraryErrors = 0
  /** Speech encoded for the channel (ms). */
  encodedMs = 0
  /** Skipped 20 ms slots of the outgoing stream, because they were too late. */
  slotsMissed = 0
  /** Frames dropped because the queue of an output leg was full. */
  overflowed = 0
  /** Underruns of the outgoing stream during speech. */
  starved = 0

  /** Adds the counts of `other`. */
  add(other: LinkCounters): void {
    addCounts(this, other)
  }
}
