import type { FastifyInstance } from 'fastify'
import type { CarrierBridge, CarrierBridgeOptions } from '../bridges/telephony/carrier-bridge.ts'
import type { DayLedger } from '../bridges/telephony/day-usage.ts'
import type { StreamLimits } from '../bridges/telephony/limits.ts'
import type { NumberSettings } from '../bridges/telephony/number-settings.ts'
import { CarrierDialer, destinationFault } from '../bridges/telephony/outbound/carrier-dialer.ts'
import { OUTBOUND_DEFAULTS, type OutboundSettings } from '../bridges/telephony/outbound/settings.ts'
import type { CarrierApi } from '../bridges/telephony/ports/carrier-api.ts'
import twilioBridge, { TwilioCallsApi } from '../bridges/twilio/index.ts'
import type { TwilioOutboundSettings, twilioSettingsSchema } from '../bridges/twilio/settings.ts'
import type { Clock } from '../common/clock.ts'
import { withDefaults } from '../common/defaults.ts'
import { BridgeError } from '../common/errors.ts'
import type { Logger } from '../common/log.ts'
import type { SettingsInput } from '../common/setting-fields.ts'
import { systemWallClock } from '../common/wall-clock.ts'
import { RateLimitedDialer } from '../core/calls/dialer-policies.ts'
import type { Fleet } from '../core/model/fleet.ts'

type Numbers = Readonly<Record<string, NumberSettings>>

type TwilioInput = SettingsInput<typeof twilioSettingsSchema>

/** Settings of the carriers. */
export interface CarrierSettings {
  readonly twilio: TwilioInput & { readonly authTokens: readonly string[] }
}

/** A configured carrier. The app owns it; its bridge closes its dialer. */
export interface OpenCarrier {
  readonly name: string
  /** Absent: no outbound calls. */
  readonly dialer: CarrierDialer | undefined
  /** The dialer with the configured rate limits. */
  readonly limitedDialer: RateLimitedDialer | undefined
  /** Registers its plugin. `localToken` also signs requests, from this machine; undefined: requests are not signed. */
  register(
    server: FastifyInstance,
    options: CarrierBridgeOptions,
    localToken: string | undefined,
  ): Promise<void>
  /** The bridge, once it is registered. */
  bridge(server: FastifyInstance): CarrierBridge | undefined
}

export interface CarriersOptions {
  /** The auth tokens are our own: requests from this machine are accepted without a public address. */
  readonly ownAuthTokens?: boolean | undefined
  /** Overrides the limits of media streams, which have no setting. */
  readonly streamLimits?: Partial<StreamLimits> | undefined
  readonly clock: Clock
  readonly log: Logger
  readonly ledger?: DayLedger | undefined
  readonly fleet: Fleet
}

/** The numbers of all carriers. */
export function numbersOf({ twilio }: CarrierSettings): Numbers {
  return { ...twilio.numbers }
}

/** The bridges of `carriers` that are registered on `server`. */
export function registeredBridges(
  carriers: readonly OpenCarrier[],
  server: FastifyInstance,
): readonly CarrierBridge[] {
  return carriers.flatMap(({ bridge }) => bridge(server) ?? [])
}

/** Opens all configured carriers. Throws `BridgeError` `CONFIG` for numbers that could not be called. */
export function openCarriers(settings: CarrierSettings, options: CarriersOptions): readonly OpenCarrier[] {
  return [openTwilio(settings, options)]
}

function openTwilio(settings: CarrierSettings, options: CarriersOptions): OpenCarrier {
  const { authTokens, outbound, numbers = {} } = settings.twilio
  const { ownAuthTokens: local, streamLimits } = options
  const limits = withDefaults<Partial<StreamLimits>>(settings.twilio.limits ?? {}, streamLimits)
  const own = numbersOf(settings)
  assertCallable(numbers, own, outbound, 'twilio.numbers')
  const authToken = outbound?.apiKeySid === undefined ? (outbound?.authToken ?? authTokens[0]) : undefined
  const dialers =
    outbound && openDialers(outbound, own, new TwilioCallsApi({ ...outbound, authToken }), options)
  return {
    name: 'twilio',
    ...{ dialer: dialers?.dialer, limitedDialer: dialers?.limited },
    register: async (server, shared, localToken) => {
      const verified =
        localToken === undefined
          ? { insecure: true }
          : { authTokens: withOwn(signingTokens(authTokens, outbound), localToken) }
      await server.register(twilioBridge, { ...shared, ...verified, local, limits })
    },
    bridge: server => (server.hasDecorator('twilio') ? server.twilio : undefined),
  }
}

/** Throws `BridgeError` `CONFIG` if a number of `numbers`, the settings at `path`, calls one that is not allowed. */
function assertCallable(
  numbers: Numbers,
  all: Numbers,
  outbound: OutboundSettings | undefined,
  path: string,
): void {
  const allowedPrefixes = outbound?.allowedPrefixes ?? []
  const own = [...Object.keys(all), outbound?.from ?? '']
  for (const [number, { dial }] of Object.entries(numbers)) {
    const fault = dial && destinationFault(dial.to, { allowedPrefixes, own })
    if (fault) throw new BridgeError('CONFIG', `${path}.${number}.dial.to: ${fault}`)
  }
}

/** Opens a dialer, and the same with rate limits, which calls of numbers with `dial` do not use up. */
function openDialers(
  settings: OutboundSettings,
  numbers: Numbers,
  api: CarrierApi,
  { clock, log, ledger, fleet }: CarriersOptions,
): { dialer: CarrierDialer; limited: RateLimitedDialer } {
  const {
    maxCallsPerMinute = OUTBOUND_DEFAULTS.maxCallsPerMinute,
    maxCallsPerHourPerDestination = OUTBOUND_DEFAULTS.maxCallsPerHourPerDestination,
  } = settings
  const dialer = new CarrierDialer(
    { ...settings, own: Object.keys(numbers) },
    { api, clock, log, ledger, fleet },
  )
  const known = Object.values(numbers).flatMap(({ dial }) => (dial ? [dial.to] : []))
  const shared = fleet.status === 'alone' ? undefined : { fleet, wall: systemWallClock }
  const limits = { maxCallsPerMinute, maxCallsPerHourPerDestination, known }
  return { dialer, limited: new RateLimitedDialer(dialer, limits, clock, shared) }
}

/** Returns the tokens that can sign webhooks: those of the account, and that of the dialing account. */
function signingTokens(
  authTokens: readonly string[],
  outbound: TwilioOutboundSettings | undefined,
): readonly string[] {
  const own = outbound?.authToken
  return own === undefined || authTokens.includes(own) ? authTokens : [...authTokens, own]
}

/**
 * The first token stays first, because other instances sign with it. Without any token the result is empty too, so that
 * the missing token is reported.
 */
function withOwn(tokens: readonly string[], own: string): readonly string[] {
  return tokens.length === 0 ? tokens : [...tokens, own]
}
