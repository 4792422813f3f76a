import { type Config, ConfigError, loadConfig } from '../../app/settings/load.ts'
import { howToInstall, missingOf } from '../../common/optional-package.ts'
import { carrierAccountChecks } from './carrier-checks.ts'
import { type Check, fail } from './check.ts'
import { controlChecks } from './control-checks.ts'
import { type EndToEndOptions, endToEnd } from './end-to-end.ts'
import { type EngineCheckOptions, engineChecks } from './engine-checks.ts'
import { fleetChecks } from './fleet-checks.ts'
import {
  keepingChecks,
  nodeCheck,
  plainHttpChecks,
  portCheck,
  settingsCheck,
  settingsFailures,
  stateFileCheck,
} from './machine-checks.ts'
import { serviceChecks } from './service-checks.ts'
import { accountChecks, twilioChecks } from './twilio-checks.ts'

export { type Check, exitCode, renderChecks } from './check.ts'

/**
 * Checks every credential, address, language, voice and engine in the settings, each with its fix, and finally places a
 * call the way Twilio does. Never throws.
 */
export async function doctor(
  config: Config | ConfigError,
  options: EndToEndOptions & EngineCheckOptions = {},
): Promise<Check[]> {
  if (config instanceof ConfigError) return [nodeCheck(), ...settingsFailures(config)]
  const [port, engines, service, account, carriers, control, discord, keeping, fleet] = await Promise.all([
    portCheck(config),
    engineChecks(config, options),
    serviceChecks(config),
    accountChecks(config),
    carrierAccountChecks(config),
    controlChecks(config),
    discordPart(config),
    keepingChecks(config),
    fleetChecks(config),
  ])
  // Runs last: engines started for the other checks would delay the call.
  const call = await endToEnd(config, options, service)
  const machine = [nodeCheck(), settingsCheck(config), port, ...plainHttpChecks(config)]
  const telephony = [...twilioChecks(config), ...account, ...carriers]
  const kept = [...stateFileCheck(config), ...keeping]
  return [machine, engines, service, telephony, control, discord, kept, fleet, call].flat()
}

/** Checks Discord, if a bot is configured; its library, which takes half a second to load, is loaded only then. */
async function discordPart(config: Config): Promise<Check[]> {
  const { token, guilds, autoJoin } = config.discord
  if (token === undefined) {
    if (guilds.length + autoJoin.length === 0) return []
    return [fail('Discord token', 'none', 'set discord.token (DRAGOMAN_DISCORD_TOKEN or …_FILE)')]
  }
  if (missingOf('discord').length > 0)
    return [fail('Discord', 'its packages are not installed', howToInstall('discord'))]
  const { discordChecks, encryptionCheck } = await import('./discord-checks.ts')
  return [...(await discordChecks(config)), encryptionCheck()]
}

/** Loads the settings for `doctor`: invalid settings are a finding, not a failure. */
export function settingsToExamine(sources: Parameters<typeof loadConfig>[0]): Config | ConfigError {
  try {
    return loadConfig(sources)
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
}
