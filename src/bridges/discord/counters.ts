import { type FieldTable, MS } from '../../common/metric-field.ts'
/** Counts of commands and their outcomes. */
export class CommandCounters {
  commands = 0
  buttons = 0
  menus = 0
  autocompletes = 0
  answered = 0
  /** Not understood: from an older or newer definition. */
  unknown = 0
  /** Rejected by the rate limit of a user or a guild. */
  limited = 0
  /** The interaction expired before the reply. */
  expired = 0
  /** Failed because of an error on our side or Discord's. */
  failed = 0
  /** Registrations of an absent or outdated command, and failed ones. */
  registrations = 0
  registrationsFailed = 0
}

/** The metric of each counter. */
export const COMMAND_METRICS: FieldTable<CommandCounters> = {
  commands: ['dragoman_discord_commands_total', 'Commands.'],
  buttons: ['dragoman_discord_buttons_total', 'Buttons pressed.'],
  menus: ['dragoman_discord_menus_total', 'Languages chosen in the menu of a notice.'],
  autocompletes: ['dragoman_discord_autocompletes_total', 'Autocomplete requests.'],
  answered: ['dragoman_discord_interactions_answered_total', 'Interactions answered.'],
  unknown: ['dragoman_discord_interactions_unknown_total', 'Interactions not understood.'],
  limited: ['dragoman_discord_interactions_limited_total', 'Interactions rejected by the rate limit.'],
  expired: ['dragoman_discord_interactions_expired_total', 'Interactions that expired before the response.'],
  failed: ['dragoman_discord_interactions_failed_total', 'Interactions that failed.'],
  registrations: ['dragoman_discord_registrations_total', 'Command registrations.'],
  registrationsFailed: ['dragoman_discord_registrations_failed_total', 'Failed command registrations.'],
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
  packetsOut = 0
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
    for (const name of NAMES) this[name] += other[name]
  }
}

/** The metric of each counter. */
export const VOICE_LINK_METRICS: FieldTable<LinkCounters> = {
  packets: ['dragoman_discord_packets_received_total', 'Speech packets passed to listeners.'],
  lost: ['dragoman_discord_packets_lost_total', 'Packets lost.'],
  concealedMs: ['dragoman_discord_concealed_seconds_total', 'Lost speech concealed by the decoder.', MS],
  silenceMs: ['dragoman_discord_silence_seconds_total', 'Gaps and ends of turns filled with silence.', MS],
  late: ['dragoman_discord_packets_late_total', 'Packets that arrived after they had been concealed.'],
  reordered: ['dragoman_discord_packets_reordered_total', 'Packets reordered.'],
  duplicate: ['dragoman_discord_packets_duplicate_total', 'Duplicate packets.'],
  restarts: ['dragoman_discord_stream_restarts_total', 'Stream restarts.'],
  flooded: [
    'dragoman_discord_packets_flooded_total',
    'Packets dropped because a speaker sent more than real time.',
  ],
  undecryptable: ['dragoman_discord_packets_undecryptable_total', 'Packets that could not be decrypted.'],
  plaintext: [
    'dragoman_discord_packets_plaintext_total',
    'Plaintext frames received during end-to-end encryption.',
  ],
  tooEarly: [
    'dragoman_discord_packets_too_early_total',
    'Frames received before end-to-end encryption was ready.',
  ],
  decryptedLate: [
    'dragoman_discord_packets_decrypted_late_total',
    'Frames decrypted after a later key arrived.',
  ],
  unknownSource: [
    'dragoman_discord_datagrams_unknown_source_total',
    'Datagrams from an address other than the voice server.',
  ],
  unattributed: [
    'dragoman_discord_packets_unattributed_total',
    'Packets of a stream without a known speaker.',
  ],
  attributed: [
    'dragoman_discord_packets_attributed_total',
    'Of these, packets later attributed to their speaker.',
  ],
  malformed: ['dragoman_discord_packets_malformed_total', 'Packets that are empty or not valid Opus.'],
  undecodable: ['dragoman_discord_packets_undecodable_total', 'Packets that the decoder rejected.'],
  reinitialized: [
    'dragoman_discord_encryption_reinitialized_total',
    'End-to-end encryption reinitializations.',
  ],
  recovered: ['dragoman_discord_encryption_recovered_total', 'Recoveries of end-to-end encryption.'],
  resumed: ['dragoman_discord_connections_resumed_total', 'Voice connections resumed.'],
  rejoins: ['dragoman_discord_connections_rejoined_total', 'Voice connections replaced.'],
  libraryErrors: ['dragoman_discord_library_errors_total', 'Errors of the voice library that were caught.'],
  packetsOut: ['dragoman_discord_packets_sent_total', 'Speech packets sent.'],
  encodedMs: ['dragoman_discord_encoded_seconds_total', 'Speech encoded for channels.', MS],
  slotsMissed: ['dragoman_discord_slots_missed_total', '20 ms slots skipped because the sender ran late.'],
  overflowed: [
    'dragoman_discord_frames_overflowed_total',
    'Frames dropped because the queue of an output was full.',
  ],
  starved: ['dragoman_discord_starved_total', 'Turns of a stream that had nothing to send during speech.'],
}

const NAMES = Object.keys(new LinkCounters()) as Exclude<keyof LinkCounters, 'add'>[]
