import type {
  BridgeCounters,
  BrowserBridge,
  LegCounters as BrowserLegCounters,
} from '../../bridges/browser/index.ts'
import type { CommandCounters, LinkCounters } from '../../bridges/discord/counters.ts'
import type { DiscordBridge } from '../../bridges/discord/discord-bridge.ts'
import type { NumberQuota } from '../../bridges/telephony/call-policy.ts'
import type {
  CarrierDialer,
  DialCounters,
  LegCounters as StreamLegCounters,
  TwilioBridge,
} from '../../bridges/twilio/index.ts'
import type { RateLimitedDialer } from '../../core/calls/dialer-policies.ts'
import type { RoomCodeLimiter } from '../../core/calls/room-code-limiter.ts'
import {
  type Family,
  type FieldTable,
  fieldFamilies,
  labelled,
  MS,
  single,
} from '../../web/metrics/metric-family.ts'

const BROWSER_LEG: FieldTable<BrowserLegCounters> = {
  messagesIn: ['dragoman_browser_messages_received_total', 'Messages received from pages.'],
  audioIn: ['dragoman_browser_audio_received_total', 'Audio messages received from pages.'],
  framesIn: [
    'dragoman_browser_frames_received_total',
    '20 ms frames built from that audio, including silence.',
  ],
  gapsFilledMs: [
    'dragoman_browser_gaps_filled_seconds_total',
    'Gaps in the clock of pages filled with silence.',
    MS,
  ],
  pauses: ['dragoman_browser_clock_jumps_total', 'Clock jumps of a page treated as a restart.'],
  duplicates: ['dragoman_browser_audio_duplicate_total', 'Duplicate audio.'],
  backlogDroppedMs: [
    'dragoman_browser_backlog_dropped_seconds_total',
    'Audio dropped because it arrived too late after a stall.',
    MS,
  ],
  silenceFedMs: [
    'dragoman_browser_silence_fed_seconds_total',
    'Silence inserted while no audio arrived.',
    MS,
  ],
  badMessages: ['dragoman_browser_bad_messages_total', 'Malformed messages.'],
  ignored: [
    'dragoman_browser_ignored_messages_total',
    'Messages of an unknown kind, or not expected in the current state.',
  ],
  floodDropped: ['dragoman_browser_flood_dropped_total', 'Messages and audio dropped by the rate limit.'],
  keys: ['dragoman_browser_dtmf_total', 'Keys pressed.'],
  audioOut: ['dragoman_browser_audio_messages_sent_total', 'Audio messages sent.'],
  sentMs: ['dragoman_browser_audio_sent_seconds_total', 'Audio sent.', MS],
  marksSent: ['dragoman_browser_marks_sent_total', 'Marks sent.'],
  marksHeard: ['dragoman_browser_marks_heard_total', 'Marks confirmed.'],
  marksStale: ['dragoman_browser_marks_stale_total', 'Echoes of marks that were flushed or never sent.'],
  flushes: ['dragoman_browser_flushes_total', 'Times that the audio queued at a page was dropped.'],
  underruns: [
    'dragoman_browser_underruns_total',
    'Times that the buffer of a page ran empty during speech, as reported by the page.',
  ],
  skippedMs: [
    'dragoman_browser_skipped_seconds_total',
    'Audio skipped by pages to catch up, as reported by the page.',
    MS,
  ],
}

const BROWSER_BRIDGE: FieldTable<BridgeCounters> = {
  visits: ['dragoman_browser_sessions_started_total', 'Sessions of visitors started.'],
  resumed: ['dragoman_browser_sessions_resumed_total', 'Sessions resumed after a disconnection.'],
  links: ['dragoman_browser_links_total', 'Links to rooms created.'],
  foreign: [
    'dragoman_browser_rejected_origin_total',
    'Rejected requests from other sites or for unknown host names.',
  ],
}

/** Metrics of the browser bridge. */
export function browserFamilies(browser: () => BrowserBridge): Family[] {
  return [
    single('dragoman_browser_legs', 'Connected browsers.', () => browser().legs.size),
    single(
      'dragoman_browser_sessions',
      'Open sessions of visitors, including those waiting for their page to reconnect.',
      () => browser().visits,
    ),
    labelled('dragoman_browser_rejected_total', 'Rejected visitors, by reason.', ['why'], () =>
      Array.from(browser().counters.refused, ([why, count]) => [[why], count] as const),
    ),
    ...fieldFamilies<BridgeCounters>(BROWSER_BRIDGE, [], () => [[[], browser().counters]]),
    ...fieldFamilies<BrowserLegCounters>(BROWSER_LEG, [], () => [[[], browser().legCounters()]]),
  ]
}

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
    'dragoman_discord_datagrams_unknown_source_total',
    'Datagrams from an address other than the voice server.',
  ],
  unknownSsrc: [
    'dragoman_discord_packets_unattributed_total',
    'Packets of a stream without a known speaker.',
  ],
  attributed: [
    'dragoman_discord_packets_attributed_total',
    'Of these, packets later attributed to their speaker.',
  ],
  malformed: ['dragoman_discord_packets_malformed_total', 'Packets that are empty or not valid Opus.'],
  undecodable: ['dragoman_discord_packets_undecodable_total', 'Packets that the decoder rejected.'],
  reinitialised: [
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

/** Metrics of the Discord bot; without values if there is no bot. */
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

const CARRIER = ['carrier']

const STREAM_LEG: FieldTable<StreamLegCounters> = {
  messagesIn: ['dragoman_telephony_messages_received_total', 'Messages received on media streams.'],
  mediaIn: ['dragoman_telephony_media_received_total', 'Media messages received.'],
  framesIn: ['dragoman_telephony_frames_received_total', '20 ms frames built from them, including silence.'],
  gapsFilledMs: [
    'dragoman_telephony_gaps_filled_seconds_total',
    'Gaps in the media clock filled with silence.',
    MS,
  ],
  pauses: ['dragoman_telephony_clock_jumps_total', 'Jumps of the media clock treated as a restart.'],
  duplicates: ['dragoman_telephony_media_duplicate_total', 'Media received twice, in whole or in part.'],
  backlogDroppedMs: [
    'dragoman_telephony_backlog_dropped_seconds_total',
    'Audio dropped because it arrived too late after a stall.',
    MS,
  ],
  silenceFedMs: [
    'dragoman_telephony_silence_fed_seconds_total',
    'Silence inserted while no media arrived.',
    MS,
  ],
  badPayloads: ['dragoman_telephony_bad_payloads_total', 'Media messages with an invalid base64 payload.'],
  badMessages: ['dragoman_telephony_bad_messages_total', 'Malformed messages.'],
  ignored: [
    'dragoman_telephony_ignored_messages_total',
    'Messages of an unknown kind or of another stream, and repeated start messages.',
  ],
  floodDropped: ['dragoman_telephony_flood_dropped_total', 'Messages dropped by the rate limit.'],
  dtmf: ['dragoman_telephony_dtmf_total', 'Keys pressed.'],
  dtmfDropped: ['dragoman_telephony_dtmf_dropped_total', 'Keys dropped above 20 per second.'],
  mediaOut: ['dragoman_telephony_media_sent_total', 'Media messages sent.'],
  sentMs: ['dragoman_telephony_audio_sent_seconds_total', 'Audio sent.', MS],
  marksSent: ['dragoman_telephony_marks_sent_total', 'Marks sent.'],
  marksHeard: ['dragoman_telephony_marks_heard_total', 'Marks confirmed.'],
  marksStale: ['dragoman_telephony_marks_stale_total', 'Echoes of marks that were flushed or never sent.'],
  clears: ['dragoman_telephony_clears_total', 'Times that the audio queued at the carrier was cleared.'],
}

const TELEPHONY_BRIDGE: FieldTable<Pick<TwilioBridge, 'replaced' | 'heldOff' | 'expected'>> = {
  replaced: [
    'dragoman_telephony_streams_replaced_total',
    'Media streams that replaced an earlier stream of the same call.',
  ],
  heldOff: [
    'dragoman_telephony_requests_deferred_total',
    'Requests deferred because their call still had a stream.',
  ],
  expected: ['dragoman_telephony_streams_expected', 'Calls whose stream is expected now.'],
}

const DIALS: FieldTable<DialCounters> = {
  dialled: ['dragoman_telephony_dials_placed_total', 'Calls placed.'],
  refused: [
    'dragoman_telephony_dials_rejected_total',
    'Calls rejected before dialing: not allowed, too many in progress, or above a daily limit.',
  ],
  spent: [
    'dragoman_telephony_dials_quota_exceeded_total',
    'Calls rejected because of a daily limit of minutes or costs.',
  ],
  cut: ['dragoman_telephony_dials_terminated_total', 'Calls ended because of a daily limit.'],
  answered: ['dragoman_telephony_dials_answered_total', 'Outbound calls answered by a person.'],
  busy: ['dragoman_telephony_dials_busy_total', 'Outbound calls that were busy.'],
  noAnswer: ['dragoman_telephony_dials_no_answer_total', 'Outbound calls not answered.'],
  voicemail: ['dragoman_telephony_dials_voicemail_total', 'Outbound calls answered by a machine.'],
  cancelled: ['dragoman_telephony_dials_canceled_total', 'Outbound calls canceled before an answer.'],
  failed: ['dragoman_telephony_dials_failed_total', 'Outbound calls that failed.'],
}

const DIALER: FieldTable<Pick<CarrierDialer, 'minutesToday' | 'spentToday'>> = {
  minutesToday: [
    'dragoman_telephony_dial_minutes_today',
    'Minutes of outbound calls today (UTC), including calls in progress.',
  ],
  spentToday: [
    'dragoman_telephony_dial_spend_today',
    'Their cost according to twilio.outbound.prices, in the currency of the prices.',
  ],
}

/** A carrier, whose metrics have its name as the label `carrier`. */
export interface CarrierSource {
  readonly carrier: string
  readonly bridge: () => TwilioBridge
  /** Absent: no outbound calls. */
  readonly dialer: Pick<CarrierDialer, 'counters' | 'minutesToday' | 'spentToday'> | undefined
}

export interface TelephonySources {
  readonly carriers: readonly CarrierSource[]
  readonly numbers: Pick<NumberQuota, 'turnedAway'>
  readonly dialLimit: Pick<RateLimitedDialer, 'refused'> | undefined
  readonly roomCodes: RoomCodeLimiter
}

/** Metrics of the media streams and outbound calls of all carriers, and of wrong room codes. */
export function telephonyFamilies({ carriers, numbers, dialLimit, roomCodes }: TelephonySources): Family[] {
  const bridges = () => carriers.map(({ carrier, bridge }) => [[carrier], bridge()] as const)
  const dialers = () =>
    carriers.flatMap(({ carrier, dialer }) => (dialer ? [[[carrier], dialer] as const] : []))
  return [
    labelled('dragoman_telephony_streams', 'Open media streams.', CARRIER, () =>
      bridges().map(([labels, { legs }]) => [labels, legs.size] as const),
    ),
    labelled(
      'dragoman_telephony_streams_rejected_total',
      'Media streams rejected before they became legs, by cause.',
      [...CARRIER, 'cause'],
      () =>
        bridges().flatMap(([labels, { refused }]) =>
          Array.from(refused, ([cause, count]) => [[...labels, cause], count] as const),
        ),
    ),
    ...fieldFamilies(TELEPHONY_BRIDGE, CARRIER, bridges),
    ...fieldFamilies<StreamLegCounters>(STREAM_LEG, CARRIER, () =>
      bridges().map(([labels, bridge]) => [labels, bridge.counters()] as const),
    ),
    ...fieldFamilies<DialCounters>(DIALS, CARRIER, () =>
      dialers().map(([labels, { counters }]) => [labels, counters] as const),
    ),
    ...fieldFamilies(DIALER, CARRIER, dialers),
    single(
      'dragoman_dials_rate_limited_total',
      'Outbound calls rejected by the limits per minute and per destination.',
      () => dialLimit?.refused,
    ),
    labelled(
      'dragoman_number_rejected_total',
      'Callers rejected because their number reached its limit of calls or minutes.',
      ['limit'],
      () => Object.entries(numbers.turnedAway).map(([limit, count]) => [[limit], count] as const),
    ),
    single('dragoman_room_codes_wrong_total', 'Wrong room codes.', () => roomCodes.wrongCodes),
    single(
      'dragoman_room_codes_rejected_total',
      'Attempts to enter a room code rejected by the limit.',
      () => roomCodes.refused,
    ),
  ]
}
