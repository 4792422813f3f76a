import { existsSync } from 'node:fs'
import { DiscordPreferences } from '../../app/discord-preferences.ts'
import type { Config } from '../../config.ts'
import { systemClock } from '../../core/clock.ts'
import { BridgeError } from '../../core/errors.ts'
import { silentLog } from '../../core/log.ts'
import { type Check, fail, ok } from './check.ts'

/** Whether it can be read who opted out; otherwise the bridge does not start. Makes nothing that is not there. */
export function preferencesCheck({ discord }: Config): Check {
  const name = 'Discord preferences'
  const { file, key } = discord.preferences
  if (!existsSync(file)) return ok(name, `${file}: nothing is kept yet`)
  try {
    new DiscordPreferences({ file, key }, { clock: systemClock, log: silentLog })
    return ok(name, file)
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error
    return fail(name, error.message, 'put a backup back, the file and its key together')
  }
}
