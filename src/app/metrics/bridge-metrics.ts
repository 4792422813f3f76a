import type { Metric } from 'prom-client'
import type { BrowserBridge } from '../../bridges/browser/index.ts'
import type { DiscordBridge } from '../../bridges/discord/contract.ts'
import type { NumberQuota } from '../../bridges/phone/call-policy.ts'
import type { CarrierBridge, CarrierDialer, LegCounters } from '../../bridges/phone/index.ts'
import type { RateLimitedDialer } from '../../core/calls/dialer-policies.ts'
import type { RoomCodeLimiter } from '../../core/calls/room-code-limiter.ts'
import { labeled, single } from '../../web/metrics/metric.ts'

/** Metrics of the browser bridge. */
export function browserMetrics(browser: () => BrowserBridge): Metric[] {
  return [
    single('dragoman_browser_legs', 'Connected browsers.', () => browser().legs.size),
    labeled('dragoman_browser_rejected_total', 'Rejected visitors, by reason.', ['why'], () =>
      Array.from(browser().counters.refused, ([why, count]) => [[why], count] as const),
    ),
    single(
      'dragoman_browser_gaps_filled_seconds_total',
      'Gaps in the clock of pages filled with silence.',
      () => browser().legCounters().gapsFilledMs / 1_000,
    ),
    single(
      'dragoman_browser_underruns_total',
      'Times that the buffer of a page ran empty during speech, as reported by the page.',
      () => browser().legCounters().underruns,
    ),
  ]
}

const LOGIN = ['waiting', 'trying', 'ready', 'refused', 'closed'] as const

/** Metrics of the Discord bot; without values if there is no bot. */
export function discordMetrics(bot: () => DiscordBridge | undefined): Metric[] {
  return [
    labeled('dragoman_discord_login', 'Login state: 1 for the current state.', ['state'], () => {
      const state = bot()?.state.kind
      return state === undefined ? [] : LOGIN.map(each => [[each], each === state ? 1 : 0] as const)
    }),
    single(
      'dragoman_discord_packets_received_total',
      'Speech packets passed to listeners.',
      () => bot()?.counters.packets,
    ),
    single('dragoman_discord_packets_lost_total', 'Packets lost.', () => bot()?.counters.lost),
    single(
      'dragoman_discord_packets_undecryptable_total',
      'Packets that could not be decrypted.',
      () => bot()?.counters.undecryptable,
    ),
    single(
      'dragoman_discord_connections_rejoined_total',
      'Voice connections replaced.',
      () => bot()?.counters.rejoins,
    ),
    single(
      'dragoman_discord_interactions_failed_total',
      'Interactions that failed.',
      () => bot()?.commands.failed,
    ),
  ]
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
  readonly numbers: Pick<NumberQuota, 'rejected'>
  readonly dialLimit: Pick<RateLimitedDialer, 'refused'> | undefined
  readonly roomCodes: RoomCodeLimiter
}

/** Metrics of the media streams and outbound calls of all carriers, and of rejected room codes. */
export function telephonyMetrics({ carriers, numbers, dialLimit, roomCodes }: TelephonySources): Metric[] {
  const perCarrier = (name: string, help: string, read: (source: CarrierSource) => number | undefined) =>
    labeled(name, help, ['carrier'], () =>
      carriers.flatMap(source => {
        const value = read(source)
        return value === undefined ? [] : [[[source.carrier], value] as const]
      }),
    )
  const ofLegs = (name: string, help: string, read: (counters: LegCounters) => number) =>
    perCarrier(name, help, ({ bridge }) => read(bridge().counters()))
  return [
    perCarrier('dragoman_telephony_streams', 'Open media streams.', ({ bridge }) => bridge().legs.size),
    labeled(
      'dragoman_telephony_streams_rejected_total',
      'Media streams rejected before they became legs, by cause.',
      ['carrier', 'cause'],
      () =>
        carriers.flatMap(({ carrier, bridge }) =>
          Array.from(bridge().refused, ([cause, count]) => [[carrier, cause], count] as const),
        ),
    ),
    ofLegs(
      'dragoman_telephony_gaps_filled_seconds_total',
      'Gaps in the media clock filled with silence.',
      ({ gapsFilledMs }) => gapsFilledMs / 1_000,
    ),
    ofLegs(
      'dragoman_telephony_media_reordered_total',
      'Media messages that arrived before an earlier one, and waited for it.',
      ({ reordered }) => reordered,
    ),
    ofLegs(
      'dragoman_telephony_media_late_total',
      'Media messages that arrived more than 100 ms after a later one.',
      ({ late }) => late,
    ),
    ofLegs('dragoman_telephony_bad_messages_total', 'Malformed messages.', ({ badMessages }) => badMessages),
    ofLegs(
      'dragoman_telephony_flood_dropped_total',
      'Messages dropped by the rate limit.',
      ({ floodDropped }) => floodDropped,
    ),
    perCarrier(
      'dragoman_telephony_dials_rejected_total',
      'Calls rejected before dialing: not allowed, too many in progress, or above a daily limit.',
      ({ dialer }) => dialer?.counters.refused,
    ),
    perCarrier(
      'dragoman_telephony_dials_failed_total',
      'Outbound calls that failed.',
      ({ dialer }) => dialer?.counters.failed,
    ),
    perCarrier(
      'dragoman_telephony_dial_minutes_today',
      'Minutes of outbound calls today (UTC), including calls in progress.',
      ({ dialer }) => dialer?.minutesToday,
    ),
    perCarrier(
      'dragoman_telephony_dial_spend_today',
      'Their cost according to twilio.outbound.prices, in the currency of the prices.',
      ({ dialer }) => dialer?.spentToday,
    ),
    single(
      'dragoman_dials_rate_limited_total',
      'Outbound calls rejected by the limits per minute and per destination.',
      () => dialLimit?.refused,
    ),
    labeled(
      'dragoman_number_rejected_total',
      'Callers rejected because their number reached its limit of calls or minutes.',
      ['limit'],
      () => Object.entries(numbers.rejected).map(([limit, count]) => [[limit], count] as const),
    ),
    single(
      'dragoman_room_codes_rejected_total',
      'Attempts to enter a room code rejected by the limit.',
      () => roomCodes.refused,
    ),
  ]
}
