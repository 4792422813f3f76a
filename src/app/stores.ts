import { DiscordPreferences } from '../bridges/discord/preferences.ts'
import { DiscordChannels } from '../bridges/discord/running-channels.ts'
import { CallRecords } from '../bridges/phone/history/call-records.ts'
import { RememberedLanguages } from '../bridges/phone/remembered-languages.ts'
import type { Clock } from '../common/clock.ts'
import type { Logger } from '../common/log.ts'
import { shortDigest } from '../common/secrets.ts'
import { systemWallClock } from '../common/wall-clock.ts'
import type { Fleet } from '../core/model/fleet.ts'
import type { StateFile } from '../storage/database.ts'
import { openCallUsage, type StoredCallUsage } from './call-usage.ts'
import type { AppSettings } from './settings/app-settings.ts'

/** Data that the app keeps between its runs, in the tables of its fleet; each is undefined if it is not configured. */
export interface Stores extends Disposable {
  /** Today’s usage of calls. */
  readonly usage: StoredCallUsage | undefined
  /** Known phone calls. */
  readonly calls: CallRecords
  /** The languages that callers chose. */
  readonly callerLanguages: RememberedLanguages | undefined
  /** Preferences of Discord users; undefined without a bot, or if nothing is stored. */
  readonly preferences: DiscordPreferences | undefined
  /** The Discord channels being interpreted. */
  readonly channels: DiscordChannels | undefined
}

export interface StoresOptions {
  /** Has the tables. */
  readonly fleet: Fleet
  /** Has the usage of calls; undefined in a fleet, whose quotas do. The caller keeps ownership. */
  readonly state: StateFile | undefined
  readonly clock: Clock
  readonly log: Logger
}

/** Opens the configured stores. The caller disposes of the result. */
export function openStores(settings: AppSettings, { fleet, state, clock, log }: StoresOptions): Stores {
  const { stateFile, calls, discord } = settings
  const options = { clock, wallClock: systemWallClock, log }
  using stack = new DisposableStack()
  const alone = fleet.status === 'alone'
  const stored = !alone || stateFile !== undefined
  const usage = state && stored ? openCallUsage(settings, { ...options, state }) : undefined
  const records = stack.use(new CallRecords(fleet, systemWallClock))
  const languages = calls.callerLanguages
  const digest = (caller: string) => shortDigest(languages?.key ?? '', caller)
  const callerLanguages =
    languages &&
    new RememberedLanguages(fleet, { ...options, days: languages.days, digest: alone ? digest : undefined })
  const hasBot = discord?.token !== undefined && stored
  const preferences = hasBot ? new DiscordPreferences(fleet, options) : undefined
  preferences?.start()
  const channels = hasBot ? new DiscordChannels(fleet, options) : undefined
  channels?.start()
  for (const each of [usage, callerLanguages, preferences, channels]) stack.use(each)
  const owned = stack.move()
  return {
    ...{ usage, calls: records, callerLanguages, preferences, channels },
    [Symbol.dispose]: () => owned.dispose(),
  }
}
