import type { BridgeCounters, BrowserBridge, BrowserLegCounters } from '../../bridges/browser/index.ts'
import { BROWSER_LEG_METRICS, BROWSER_METRICS } from '../../bridges/browser/leg-counters.ts'
import type { DiscordBridge } from '../../bridges/discord/contract.ts'
import {
  COMMAND_METRICS,
  type CommandCounters,
  type LinkCounters,
  VOICE_LINK_METRICS,
} from '../../bridges/discord/counters.ts'
import type { NumberQuota } from '../../bridges/phone/call-policy.ts'
import type {
  CarrierBridge,
  CarrierDialer,
  DialCounters,
  LegCounters as StreamLegCounters,
} from '../../bridges/phone/index.ts'
import { STREAM_LEG_METRICS } from '../../bridges/phone/leg/leg-counters.ts'
import { STREAM_METRICS } from '../../bridges/phone/media-streams.ts'
import { DIAL_METRICS, DIAL_USAGE_METRICS } from '../../bridges/phone/outbound/carrier-dialer.ts'
import type { RateLimitedDialer } from '../../core/calls/dialer-policies.ts'
import type { RoomCodeLimiter } from '../../core/calls/room-code-limiter.ts'
import { type Family, fieldFamilies, labeled, single } from '../../web/metrics/metric-family.ts'

/** Metrics of the browser bridge. */
export function browserFamilies(browser: () => BrowserBridge): Family[] {
  return [
    single('dragoman_browser_legs', 'Connected browsers.', () => browser().legs.size),
    single(
      'dragoman_browser_sessions',
      'Open sessions of visitors, including those waiting for their page to reconnect.',
      () => browser().sessions,
    ),
    labeled('dragoman_browser_rejected_total', 'Rejected visitors, by reason.', ['why'], () =>
      Array.from(browser().counters.refused, ([why, count]) => [[why], count] as const),
    ),
    ...fieldFamilies<BridgeCounters>(BROWSER_METRICS, [], () => [[[], browser().counters]]),
    ...fieldFamilies<BrowserLegCounters>(BROWSER_LEG_METRICS, [], () => [[[], browser().legCounters()]]),
  ]
}

const LOGIN = ['waiting', 'trying', 'ready', 'refused', 'closed'] as const

/** Metrics of the Discord bot; without values if there is no bot. */
export function discordFamilies(bot: () => DiscordBridge | undefined): Family[] {
  const of = <T>(read: (bot: DiscordBridge) => T) => {
    const there = bot()
    return there ? [[[], read(there)] as const] : []
  }
  return [
    labeled('dragoman_discord_login', 'Login state: 1 for the current state.', ['state'], () => {
      const state = bot()?.state.kind
      return state === undefined ? [] : LOGIN.map(each => [[each], each === state ? 1 : 0] as const)
    }),
    single('dragoman_discord_guilds', 'Guilds of the bot.', () => bot()?.guilds),
    ...fieldFamilies<LinkCounters>(VOICE_LINK_METRICS, [], () => of(({ counters }) => counters)),
    ...fieldFamilies<CommandCounters>(COMMAND_METRICS, [], () => of(({ commands }) => commands)),
  ]
}

const CARRIER = ['carrier']

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

/** Metrics of the media streams and outbound calls of all carriers, and of wrong room codes. */
export function telephonyFamilies({ carriers, numbers, dialLimit, roomCodes }: TelephonySources): Family[] {
  const bridges = () => carriers.map(({ carrier, bridge }) => [[carrier], bridge()] as const)
  const dialers = () =>
    carriers.flatMap(({ carrier, dialer }) => (dialer ? [[[carrier], dialer] as const] : []))
  return [
    labeled('dragoman_telephony_streams', 'Open media streams.', CARRIER, () =>
      bridges().map(([labels, { legs }]) => [labels, legs.size] as const),
    ),
    labeled(
      'dragoman_telephony_streams_rejected_total',
      'Media streams rejected before they became legs, by cause.',
      [...CARRIER, 'cause'],
      () =>
        bridges().flatMap(([labels, { refused }]) =>
          Array.from(refused, ([cause, count]) => [[...labels, cause], count] as const),
        ),
    ),
    ...fieldFamilies(STREAM_METRICS, CARRIER, bridges),
    ...fieldFamilies<StreamLegCounters>(STREAM_LEG_METRICS, CARRIER, () =>
      bridges().map(([labels, bridge]) => [labels, bridge.counters()] as const),
    ),
    ...fieldFamilies<DialCounters>(DIAL_METRICS, CARRIER, () =>
      dialers().map(([labels, { counters }]) => [labels, counters] as const),
    ),
    ...fieldFamilies(DIAL_USAGE_METRICS, CARRIER, dialers),
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
    single('dragoman_room_codes_wrong_total', 'Wrong room codes.', () => roomCodes.wrongCodes),
    single(
      'dragoman_room_codes_rejected_total',
      'Attempts to enter a room code rejected by the limit.',
      () => roomCodes.refused,
    ),
  ]
}
