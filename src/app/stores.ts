import type { DatabaseSync } from 'node:sqlite'
import type { Preferences, RunningChannels } from '../bridges/discord/contract.ts'
import { FleetLanguages } from '../bridges/phone/fleet-languages.ts'
import type { CallStore } from '../bridges/phone/history/call-history.ts'
import { FleetCallStore } from '../bridges/phone/history/fleet-call-store.ts'
import type { CallerLanguages } from '../bridges/phone/number-routing.ts'
import { RememberedLanguages } from '../bridges/phone/remembered-languages.ts'
import type { Clock } from '../common/clock.ts'
import { BridgeError } from '../common/errors.ts'
import type { Logger } from '../common/log.ts'
import { systemWallClock } from '../common/wall-clock.ts'
import type { Fleet } from '../core/model/fleet.ts'
import { CallTable } from '../storage/call-table.ts'
import { openDatabase } from '../storage/database.ts'
import type { AppSettings } from './app-settings.ts'
import { openChannels, openPreferences } from './bridges.ts'
import { openUsageFile, type UsageFile } from './call-usage-file.ts'

/**
 * Data that the app keeps between its runs, in files or in the tables of a fleet; each is undefined if it is not configured.
 */
export interface Stores extends AsyncDisposable {
  /** Today’s usage of calls. */
  readonly usage: UsageFile | undefined
  /** Known phone calls. */
  readonly calls: CallStore
  /** The languages that callers chose. */
  readonly callerLanguages: CallerLanguages | undefined
  /** Preferences of Discord users. */
  readonly preferences: Preferences | undefined
  /** The Discord channels being interpreted. */
  readonly channels: RunningChannels | undefined
}

/**
 * Opens the configured files. The caller disposes of the result, which writes pending changes. Throws `BridgeError`
 * `CONFIG` for a file that cannot be used.
 */
export function openStores(
  settings: AppSettings,
  { fleet, clock, log }: { readonly fleet: Fleet; readonly clock: Clock; readonly log: Logger },
): Stores {
  const { calls, discord } = settings
  const options = { clock, wallClock: systemWallClock, log }
  // Until there are changes to write, a store holds nothing that would have to be released if the next one fails.
  const stack = new AsyncDisposableStack()
  const shared = fleet.status === 'alone' ? undefined : fleet
  const openLanguages = () => {
    const settings = calls.callerLanguages
    if (!settings) return undefined
    if (!shared) return stack.use(new RememberedLanguages(settings, options))
    return stack.use(new FleetLanguages(shared, { ...options, days: settings.days }))
  }
  const openCallStore = (): CallStore => {
    if (shared) return stack.use(new FleetCallStore(shared, systemWallClock))
    const file = settings.stateFile
    const database = stack.adopt(openState(file, log), each => each.close())
    return new CallTable({ database, file, wallClock: systemWallClock, log })
  }
  return {
    calls: openCallStore(),
    channels: stack.use(openChannels(discord, { ...options, fleet: shared })),
    preferences: stack.use(openPreferences(discord, { ...options, fleet: shared })),
    callerLanguages: openLanguages(),
    usage: stack.use(openUsageFile(settings, options)),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Opens the state file; if that is impossible, calls go on without it. */
function openState(file: string | undefined, log: Logger): DatabaseSync {
  try {
    return openDatabase(file)
  } catch (error) {
    if (file === undefined || !(error instanceof BridgeError)) throw error
    log.error({ file, reason: error.message }, 'the state file cannot be used: a restart forgets ended calls')
    return openDatabase()
  }
}
