import type { CommandCounters } from '../../bridges/discord/command-counters.ts'
import type { DiscordBridge } from '../../bridges/discord/discord-bridge.ts'
import type { LinkCounters } from '../../bridges/discord/link-counters.ts'
import {
  type Family,
  type FieldTable,
  fieldFamilies,
  labelled,
  MS,
  single,
} from '../../web/metrics/family.ts'

const LINK: FieldTable<LinkCounters> = {
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
  foreign: [
    'dragoman_discord_datagrams_foreign_total',
    'Datagrams from an address other than the voice server.',
  ],
  unknownSsrc: ['dragoman_discord_packets_unnamed_total', 'Packets of a stream without a known speaker.'],
  attributed: [
    'dragoman_discord_packets_attributed_total',
    'Of these, packets later attributed to their speaker.',
  ],
  malformed: ['dragoman_discord_packets_malformed_total', 'Packets that are empty or not valid Opus.'],
  undecodable: ['dragoman_discord_packets_undecodable_total', 'Packets that the decoder rejected.'],
  reinitialised: [
    'dragoman_discord_encryption_reinitialised_total',
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

const COMMANDS: FieldTable<CommandCounters> = {
  commands: ['dragoman_discord_commands_total', 'Commands.'],
  buttons: ['dragoman_discord_buttons_total', 'Buttons pressed.'],
  autocompletes: ['dragoman_discord_autocompletes_total', 'Autocomplete requests.'],
  answered: ['dragoman_discord_interactions_answered_total', 'Interactions answered.'],
  unknown: ['dragoman_discord_interactions_unknown_total', 'Interactions not understood.'],
  limited: ['dragoman_discord_interactions_limited_total', 'Interactions rejected by the rate limit.'],
  expired: ['dragoman_discord_interactions_expired_total', 'Interactions that expired before the response.'],
  failed: ['dragoman_discord_interactions_failed_total', 'Interactions that failed.'],
  registrations: ['dragoman_discord_registrations_total', 'Command registrations.'],
  registrationsFailed: ['dragoman_discord_registrations_failed_total', 'Failed command registrations.'],
}

const LOGIN = ['trying', 'ready', 'refused', 'closed'] as const

/** Metrics of the Discord bot; without values if there is none. */
export function discordFamilies(bot: () => DiscordBridge | undefined): Family[] {
  const of = <T>(read: (bot: DiscordBridge) => T) => {
    const there = bot()
    return there ? [[[], read(there)] as const] : []
  }
  return [
    labelled('dragoman_discord_login', 'Login state: 1 for the current state.', ['state'], () => {
      const state = bot()?.state.kind
      return state === undefined ? [] : LOGIN.map(each => [[each], each === state ? 1 : 0] as const)
    }),
    single('dragoman_discord_guilds', 'Guilds of the bot.', () => bot()?.guilds),
    ...fieldFamilies<LinkCounters>(LINK, [], () => of(({ counters }) => counters)),
    ...fieldFamilies<CommandCounters>(COMMANDS, [], () => of(({ commands }) => commands)),
  ]
}
