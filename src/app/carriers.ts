import type { FastifyInstance } from 'fastify'
import type { CarrierBridge, CarrierBridgeOptions } from '../bridges/telephony/carrier-bridge.ts'
import type { StreamLimits } from '../bridges/telephony/limits.ts'
import type { NumberSettings } from '../bridges/telephony/number-routing.ts'
import {
  CarrierDialer,
  destinationFault,
  type OutboundSettings,
} from '../bridges/telephony/outbound/carrier-dialer.ts'
import type { DayLedger } from '../bridges/telephony/outbound/usage-limits.ts'
import type { CarrierApi } from '../bridges/telephony/ports/carrier-api.ts'
import twilioBridge, { type RestSettings, TwilioCallsApi } from '../bridges/twilio/index.ts'
import type { Clock } from '../common/clock.ts'
import { BridgeError } from '../common/errors.ts'
import type { Logger } from '../common/log.ts'
import { RateLimitedDialer } from '../core/calls/dialer-policies.ts'

type Numbers = Readonly<Record<string, NumberSettings>>

/** Settings of outbound calls through any carrier. */
interface DialingSettings extends Omit<OutboundSettings, 'own'> {
  /** Maximum number of calls per minute. Default 60. */
  readonly maxCallsPerMinute?: number | undefined
  /** Maximum number of calls to one destination per hour, except calls of numbers with `dial`. Default 6. */
  readonly maxCallsPerHourPerDestination?: number | undefined
}

/** Settings of outbound calls through Twilio. Without its own token, the account’s token is used. */
type TwilioDialingSettings = DialingSettings & RestSettings

/** Configuration of the carriers. */
export interface CarrierConfig {
  readonly twilio: {
    readonly authTokens: readonly string[]
    readonly insecure?: boolean | undefined
    /** The auth token is our own, for this machine only. */
    readonly local?: boolean | undefined
    /** Limits of a call. */
    readonly limits?: Partial<StreamLimits> | undefined
    /** Absent: no outbound calls. */
    readonly outbound?: TwilioDialingSettings | undefined
    readonly numbers?: Readonly<Record<string, NumberSettings>> | undefined
    /** File for today’s usage of calls; absent: not stored. */
    readonly usageFile?: string | undefined
  }
}

/** A configured carrier. The app owns it; its bridge closes its dialer. */
export interface OpenCarrier {
  readonly name: string
  /** Absent: no outbound calls. */
  readonly dialer: CarrierDialer | undefined
  /** The dialer with the configured rate limits. */
  readonly limitedDialer: RateLimitedDialer | undefined
  /** Registers its plugin. `localToken` also signs requests, from this machine; undefined: nothing is signed. */
  register(
    server: FastifyInstance,
    options: CarrierBridgeOptions,
    localToken: string | undefined,
  ): Promise<void>
  /** The bridge, once it is registered. */
  bridge(server: FastifyInstance): CarrierBridge | undefined
}

export interface CarriersOptions {
  readonly clock: Clock
  readonly log: Logger
  readonly ledger?: DayLedger | undefined
}

/** The numbers of all carriers. */
export function numbersOf({ twilio }: CarrierConfig): Numbers {
  return { ...twilio.numbers }
}

/** Opens all configured carriers. Throws `BridgeError` `CONFIG` for numbers that could not be called. */
export function openCarriers(config: CarrierConfig, options: CarriersOptions): readonly OpenCarrier[] {
  return [openTwilio(config, options)]
}

function openTwilio(config: CarrierConfig, options: CarriersOptions): OpenCarrier {
  const { authTokens, outbound, limits, local, numbers = {} } = config.twilio
  const own = numbersOf(config)
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
  outbound: DialingSettings | undefined,
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
  settings: DialingSettings,
  numbers: Numbers,
  api: CarrierApi,
  { clock, log, ledger }: CarriersOptions,
): { dialer: CarrierDialer; limited: RateLimitedDialer } {
  const { maxCallsPerMinute = 60, maxCallsPerHourPerDestination = 6 } = settings
  const dialer = new CarrierDialer({ ...settings, own: Object.keys(numbers) }, { api, clock, log, ledger })
  const known = Object.values(numbers).flatMap(({ dial }) => (dial ? [dial.to] : []))
  const limits = { maxCallsPerMinute, maxCallsPerHourPerDestination, known }
  return { dialer, limited: new RateLimitedDialer(dialer, limits, clock) }
}

/** Returns the tokens that can sign webhooks: those of the account, and that of the dialing account. */
function signingTokens(
  authTokens: readonly string[],
  outbound: TwilioDialingSettings | undefined,
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
