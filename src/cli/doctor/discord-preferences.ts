import { existsSync } from 'node:fs'
import { DiscordPreferences } from '../../bridges/discord/discord-preferences.ts'
import { systemClock } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import { silentLog } from '../../common/log.ts'
import type { Config } from '../../config/load.ts'
import { type Check, fail, ok } from './check.ts'

/** Checks whether the opt-outs can be read, without which the bridge does not start. Creates no files. */
export function preferencesCheck({ discord }: Config): Check {
  const name = 'Discord preferences'
  const { file, key } = discord.preferences
  if (!existsSync(file)) return ok(name, `${file}: no preferences stored yet`)
  try {
    new DiscordPreferences({ file, key }, { clock: systemClock, log: silentLog })
    return ok(name, file)
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error
    return fail(name, error.message, 'restore a backup of both the file and its key')
  }
}
