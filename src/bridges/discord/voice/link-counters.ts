/** What one voice channel counts; plain numbers, safe to read at any time. */
export class LinkCounters {
  /** Packets of speech given to those who listen. */
  packets = 0
  /** Packets that never came, by their sequence numbers. */
  lost = 0
  /** Of what was lost: filled in by the decoder's guess (ms). */
  concealedMs = 0
  /** Gaps and ends of turns that became silence (ms). */
  silenceMs = 0
  /** Packets that came after others had been played in their stead. */
  late = 0
  /** Packets that came before one they belong behind. */
  reordered = 0
  duplicate = 0
  /** Streams that began anew: another SSRC, or a jump of sequence or time. */
  restarts = 0
  /** Packets dropped because more came than anybody can say. */
  flooded = 0
  /** Packets whose encryption, of either kind, could not be undone. */
  undecryptable = 0
  /** Frames in plaintext where there is end-to-end encryption. */
  plaintext = 0
  /** Frames that were still encrypted while our end-to-end encryption was not up: none of them is decoded. */
  tooEarly = 0
  /** Frames that could be decrypted once another key had come. */
  decryptedLate = 0
  /** Datagrams from another address than the voice server's that were not what they seemed. */
  foreign = 0
  /** Packets of an SSRC that nobody had named. */
  unknownSsrc = 0
  /** Of them: those that were kept and given to their speaker in the end. */
  attributed = 0
  /** Packets without anything in them, or that Opus does not allow. */
  malformed = 0
  /** Packets that the decoder refused. */
  undecodable = 0
  /** End-to-end encryption that was set up anew. */
  reinitialised = 0
  /** … and worked again. */
  recovered = 0
  /** Connections that were resumed. */
  resumed = 0
  /** Connections that were made anew. */
  rejoins = 0
  /** Errors of the voice library that were caught. */
  libraryErrors = 0
  packetsOut = 0
  /** Speech encoded for the channel (ms). */
  encodedMs = 0
  /** 20 ms slots of the channel's stream that came so late that they were left out. */
  slotsMissed = 0
  /** Frames that an ear had no room for. */
  overflowed = 0
  /** Turns of the channel's stream that had nothing to send in mid speech. */
  starved = 0

  /** Adds `other` to this. */
  add(other: LinkCounters): void {
    for (const name of NAMES) this[name] += other[name]
  }
}

const NAMES = Object.keys(new LinkCounters()) as Exclude<keyof LinkCounters, 'add'>[]
