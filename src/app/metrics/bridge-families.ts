import type {
  BridgeCounters,
  BrowserBridge,
  LegCounters as BrowserLegCounters,
} from '../../bridges/browser/index.ts'
import { BROWSER_LEG_METRICS, BROWSER_METRICS } from '../../bridges/browser/socket.ts'
import {
  COMMAND_METRICS,
  type CommandCounters,
  type LinkCounters,
  VOICE_LINK_METRICS,
} from '../../bridges/discord/counters.ts'
import type { DiscordBridge } from '../../bridges/discord/discord-bridge.ts'
import type { NumberQuota } from '../../bridges/telephony/call-policy.ts'
import type {
  CarrierBridge,
  CarrierDialer,
  DialCounters,
  LegCounters as StreamLegCounters,
} from '../../bridges/twilio/index.ts'
import { type FieldTable, MS } from '../../common/metric-field.ts'
import type { RateLimitedDialer } from '../../core/calls/dialer-policies.ts'
import type { RoomCodeLimiter } from '../../core/calls/room-code-limiter.ts'
import { type Family, fieldFamilies, labelled, single } from '../../web/metrics/metric-family.ts'

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
    ...fieldFamilies<BridgeCounters>(BROWSER_METRICS, [], () => [[[], browser().counters]]),
    ...fieldFamilies<BrowserLegCounters>(BROWSER_LEG_METRICS, [], () => [[[], browser().legCounters()]]),
  ]
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
    ...fieldFamilies<LinkCounters>(VOICE_LINK_METRICS, [], () => of(({ counters }) => counters)),
    ...fieldFamilies<CommandCounters>(COMMAND_METRICS, [], () => of(({ commands }) => commands)),
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

const TELEPHONY_BRIDGE: FieldTable<Pick<CarrierBridge, 'replaced' | 'heldOff' | 'expected'>> = {
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
  readonly bridge: () => CarrierBridge
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
