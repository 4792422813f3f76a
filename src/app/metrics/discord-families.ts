import type { CommandCounters } from '../../bridges/discord/commands/command-counters.ts'
import type { DiscordBridge } from '../../bridges/discord/discord-bridge.ts'
import type { LinkCounters } from '../../bridges/discord/voice/link-counters.ts'
import {
  type Family,
  type FieldTable,
  fieldFamilies,
  labelled,
  MS,
  single,
} from '../../web/metrics/family.ts'

const LINK: FieldTable<LinkCounters> = {
  packets: ['dragoman_discord_packets_received_total', 'Packets of speech given to those who listen.'],
  lost: ['dragoman_discord_packets_lost_total', 'Packets that never came.'],
  concealedMs: ['dragoman_discord_concealed_seconds_total', 'Lost speech filled in by the decoder.', MS],
  silenceMs: ['dragoman_discord_silence_seconds_total', 'Gaps and ends of turns that became silence.', MS],
  late: [
    'dragoman_discord_packets_late_total',
    'Packets that came after others had been played in their stead.',
  ],
  reordered: ['dragoman_discord_packets_reordered_total', 'Packets that came before one they belong behind.'],
  duplicate: ['dragoman_discord_packets_duplicate_total', 'Packets that came twice.'],
  restarts: ['dragoman_discord_stream_restarts_total', 'Streams that began anew.'],
  flooded: [
    'dragoman_discord_packets_flooded_total',
    'Packets dropped because more came than anybody can say.',
  ],
  undecryptable: [
    'dragoman_discord_packets_undecryptable_total',
    'Packets whose encryption could not be undone.',
  ],
  plaintext: [
    'dragoman_discord_packets_plaintext_total',
    'Frames in plaintext where there is end-to-end encryption.',
  ],
  tooEarly: ['dragoman_discord_packets_too_early_total', 'Frames that came while our encryption was not up.'],
  decryptedLate: [
    'dragoman_discord_packets_decrypted_late_total',
    'Frames that could be decrypted once another key had come.',
  ],
  foreign: [
    'dragoman_discord_datagrams_foreign_total',
    'Datagrams from another address than the voice server.',
  ],
  unknownSsrc: ['dragoman_discord_packets_unnamed_total', 'Packets of a stream that nobody had named.'],
  attributed: [
    'dragoman_discord_packets_attributed_total',
    'Of them, those given to their speaker in the end.',
  ],
  malformed: [
    'dragoman_discord_packets_malformed_total',
    'Packets without anything in them, or that Opus does not allow.',
  ],
  undecodable: ['dragoman_discord_packets_undecodable_total', 'Packets that the decoder refused.'],
  reinitialised: ['dragoman_discord_encryption_reinitialised_total', 'End-to-end encryption set up anew.'],
  recovered: ['dragoman_discord_encryption_recovered_total', 'Times that it worked again.'],
  resumed: ['dragoman_discord_connections_resumed_total', 'Voice connections that were resumed.'],
  rejoins: ['dragoman_discord_connections_rejoined_total', 'Voice connections that were made anew.'],
  libraryErrors: ['dragoman_discord_library_errors_total', 'Errors of the voice library that were caught.'],
  packetsOut: ['dragoman_discord_packets_sent_total', 'Packets of speech sent.'],
  encodedMs: ['dragoman_discord_encoded_seconds_total', 'Speech encoded for channels.', MS],
  slotsMissed: [
    'dragoman_discord_slots_missed_total',
    'Slots of 20 ms that came so late that they were left out.',
  ],
  overflowed: ['dragoman_discord_frames_overflowed_total', 'Frames that an ear had no room for.'],
  starved: ['dragoman_discord_starved_total', 'Turns of a stream that had nothing to send in mid speech.'],
}

const COMMANDS: FieldTable<CommandCounters> = {
  commands: ['dragoman_discord_commands_total', 'Commands.'],
  buttons: ['dragoman_discord_buttons_total', 'Buttons pressed.'],
  autocompletes: ['dragoman_discord_autocompletes_total', 'Suggestions asked for.'],
  answered: ['dragoman_discord_interactions_answered_total', 'Interactions answered.'],
  unknown: ['dragoman_discord_interactions_unknown_total', 'Interactions that were not understood.'],
  limited: ['dragoman_discord_interactions_limited_total', 'Interactions that were too many at once.'],
  expired: ['dragoman_discord_interactions_expired_total', 'Interactions gone before the answer came.'],
  failed: ['dragoman_discord_interactions_failed_total', 'Interactions that failed.'],
  registrations: ['dragoman_discord_registrations_total', 'Times that the command was registered.'],
  registrationsFailed: ['dragoman_discord_registrations_failed_total', 'Times that registering it failed.'],
}

const LOGIN = ['trying', 'ready', 'refused', 'closed'] as const

/** The bot on Discord; no values where there is none. */
export function discordFamilies(bot: () => DiscordBridge | undefined): Family[] {
  const of = <T>(read: (bot: DiscordBridge) => T) => {
    const there = bot()
    return there ? [[[], read(there)] as const] : []
  }
  return [
    labelled(
      'dragoman_discord_login',
      'How it stands with the login: 1 for the state that it is in.',
      ['state'],
      () => {
        const state = bot()?.state.kind
        return state === undefined ? [] : LOGIN.map(each => [[each], each === state ? 1 : 0] as const)
      },
    ),
    single('dragoman_discord_guilds', 'Guilds that the bot is in.', () => bot()?.guilds),
    ...fieldFamilies<LinkCounters>(LINK, [], () => of(({ counters }) => counters)),
    ...fieldFamilies<CommandCounters>(COMMANDS, [], () => of(({ commands }) => commands)),
  ]
}
