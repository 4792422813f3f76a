import type { DiscordPreferences } from '../bridges/discord/preferences.ts'
import type { DiscordChannels } from '../bridges/discord/running-channels.ts'
import { RememberedLanguages } from '../bridges/telephony/remembered-languages.ts'
import type { Clock } from '../common/clock.ts'
import type { Logger } from '../common/log.ts'
import { systemWallClock } from '../common/wall-clock.ts'
import type { AppSettings } from './app-settings.ts'
import { openChannels, openPreferences } from './bridges.ts'
import { openUsageFile, type UsageFile } from './call-usage-file.ts'

/** The files that the app keeps between its runs; each is undefined if it is not configured. */
export interface Stores extends AsyncDisposable {
  /** Today’s usage of calls. */
  readonly usage: UsageFile | undefined
  /** The languages that callers chose. */
  readonly callerLanguages: RememberedLanguages | undefined
  /** Preferences of Discord users. */
  readonly preferences: DiscordPreferences | undefined
  /** The Discord channels being interpreted. */
  readonly channels: DiscordChannels | undefined
}

/**
 * Opens the configured files. The caller disposes of the result, which writes pending changes. Throws `BridgeError`
 * `CONFIG` for a file that cannot be used.
 */
export function openStores(
  { twilio, calls, discord }: AppSettings,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Stores {
  const options = { clock, wallClock: systemWallClock, log }
  // Until there are changes to write, a store holds nothing that would have to be released if the next one fails.
  const stack = new AsyncDisposableStack()
  return {
    channels: stack.use(openChannels(discord, options)),
    preferences: stack.use(openPreferences(discord, options)),
    callerLanguages: stack.use(
      calls.callerLanguages && new RememberedLanguages(calls.callerLanguages, options),
    ),
    usage: stack.use(openUsageFile(twilio, options)),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
