import type { FastifyInstance } from 'fastify'
import type { CarrierApi, CarrierSettings } from '../bridges/phone/carrier.ts'
import {
  type CarrierBridge,
  type CarrierBridgeOptions,
  registerCarrier,
} from '../bridges/phone/carrier-bridge.ts'
import {
  CARRIERS,
  type CarrierName,
  type carrierSchemas,
  type RegisteredCarrier,
} from '../bridges/phone/carriers.ts'
import type { DayLedger } from '../bridges/phone/day-usage.ts'
import type { StreamLimits } from '../bridges/phone/limits.ts'
import type { NumberSettings } from '../bridges/phone/number-settings.ts'
import { CarrierDialer } from '../bridges/phone/outbound/carrier-dialer.ts'
import { destinationFault } from '../bridges/phone/outbound/destination.ts'
import { OUTBOUND_DEFAULTS, type OutboundSettings } from '../bridges/phone/outbound/settings.ts'
import type { Clock } from '../common/clock.ts'
import { BridgeError } from '../common/errors.ts'
import type { Logger } from '../common/log.ts'
import { asList, type SettingsInput } from '../common/setting-fields.ts'
import { systemWallClock } from '../common/wall-clock.ts'
import { RateLimitedDialer } from '../core/calls/dialer-policies.ts'
import type { Fleet } from '../core/model/fleet.ts'

type Numbers = Readonly<Record<string, NumberSettings>>

/** The sections of all carriers. */
export type CarrierSections = {
  readonly [N in CarrierName]: NonNullable<SettingsInput<(typeof carrierSchemas)[N]>>
}

/** A carrier with its bridge. The app owns it; its bridge closes its dialer. */
export interface OpenCarrier {
  readonly name: CarrierName
  /** Absent: no outbound calls. */
  readonly dialer: CarrierDialer | undefined
  /** The dialer with the configured rate limits. */
  readonly limitedDialer: RateLimitedDialer | undefined
  /** Its numbers, and the caller ID of its outbound calls. */
  readonly numbers: ReadonlySet<string>
  /** Registers its routes. `localKey` also signs requests, from this machine; undefined: requests are not signed. */
  register(
    server: FastifyInstance,
    options: CarrierBridgeOptions,
    localKey: string | undefined,
  ): Promise<void>
  /** The bridge, once it is registered. */
  bridge(): CarrierBridge | undefined
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
export function numbersOf(settings: CarrierSections): Numbers {
  return Object.assign({}, ...CARRIERS.map(({ name }) => settings[name].numbers))
}

/** Returns the API of the carrier; undefined without outbound calls. */
export async function carrierApi(
  settings: CarrierSections,
  name: CarrierName,
): Promise<CarrierApi | undefined> {
  const section: CarrierSettings = settings[name]
  return section.outbound && (await CARRIERS.find(each => each.name === name)!.api(section))
}

/** The bridges of `carriers` that are registered. */
export function registeredBridges(carriers: readonly OpenCarrier[]): readonly CarrierBridge[] {
  return carriers.flatMap(({ bridge }) => bridge() ?? [])
}

/**
 * Opens Twilio, which simulated phones use, and all carriers with an account; without any account, all that share
 * the server's port, for requests from this machine. Throws `BridgeError` `CONFIG` for numbers that could not be called.
 */
export async function openCarriers(
  settings: CarrierSections,
  options: CarriersOptions,
): Promise<readonly OpenCarrier[]> {
  const ownKey = options.ownAuthTokens ? asList(settings.twilio.authToken)[0] : undefined
  const hasAccount = ({ name, isSigned }: RegisteredCarrier) =>
    isSigned(settings[name]) || settings[name].insecure
  const others = CARRIERS.some(carrier => carrier.name !== 'twilio' && hasAccount(carrier))
  const open = CARRIERS.filter(
    carrier =>
      carrier.name === 'twilio' || hasAccount(carrier) || (ownKey !== undefined && !carrier.hasOwnPort),
  )
  return Promise.all(open.map(carrier => openCarrier(carrier, settings, { ...options, ownKey, others })))
}

interface OpenOptions extends CarriersOptions {
  readonly ownKey: string | undefined
  /** Another carrier than Twilio has an account. */
  readonly others: boolean
}

async function openCarrier(
  definition: RegisteredCarrier,
  all: CarrierSections,
  options: OpenOptions,
): Promise<OpenCarrier> {
  const { name } = definition
  const section: CarrierSettings = all[name]
  const { outbound, numbers = {}, insecure = false } = section
  const { ownAuthTokens: local, ownKey, streamLimits, others } = options
  const own = numbersOf(all)
  assertCallable(numbers, own, outbound, `${name}.numbers`)
  const dialers = outbound && openDialers(outbound, own, await definition.api(section), options)
  // Without any account, the missing credential is reported.
  const signed = definition.isSigned(section) || ownKey !== undefined || others
  let bridge: CarrierBridge | undefined
  return {
    ...{ name, dialer: dialers?.dialer, limitedDialer: dialers?.limited },
    numbers: new Set([...Object.keys(numbers), ...(outbound ? [outbound.from] : [])]),
    register: async (server, shared, localKey) => {
      const open = localKey === undefined || insecure
      // Twilio has its own key among its settings.
      const own = name === 'twilio' || ownKey === undefined ? [] : [ownKey]
      const carrier = await definition.carrier(section, open || !signed ? [] : [...own, localKey])
      const options = { ...shared, insecure: open, local: local ?? false, limits: streamLimits }
      bridge = await registerCarrier(server, carrier, options)
      server.decorate(name, bridge)
    },
    bridge: () => bridge,
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

/** Calls per minute for each concurrent call: as many as are possible if each lasts 10 s. */
const PLACED_PER_MINUTE = 6

/** Opens a dialer, and the same with rate limits, which calls of numbers with `dial` do not use up. */
function openDialers(
  settings: OutboundSettings,
  numbers: Numbers,
  api: CarrierApi,
  { clock, log, ledger, fleet }: CarriersOptions,
): { dialer: CarrierDialer; limited: RateLimitedDialer } {
  const {
    maxConcurrent = OUTBOUND_DEFAULTS.maxConcurrent,
    maxCallsPerHourPerDestination = OUTBOUND_DEFAULTS.maxCallsPerHourPerDestination,
  } = settings
  const dialer = new CarrierDialer(
    { ...settings, own: Object.keys(numbers) },
    { api, clock, log, ledger, fleet },
  )
  const known = Object.values(numbers).flatMap(({ dial }) => (dial ? [dial.to] : []))
  const shared = fleet.status === 'alone' ? undefined : { fleet, wall: systemWallClock }
  const maxCallsPerMinute = maxConcurrent * PLACED_PER_MINUTE
  const limits = { maxCallsPerMinute, maxCallsPerHourPerDestination, known }
  return { dialer, limited: new RateLimitedDialer(dialer, limits, clock, shared) }
}
