import { howToInstall, missingOf } from '../../common/optional-package.ts'
import { type Config, ConfigError, loadConfig } from '../../config/load.ts'
import { carrierAccountChecks } from './carrier-checks.ts'
import { type Check, fail } from './check.ts'
import { type EndToEndOptions, endToEnd } from './end-to-end.ts'
import { type EngineCheckOptions, engineChecks } from './engine-checks.ts'
import type { DoctorEnvironment } from './environment.ts'
import { fleetChecks } from './fleet-checks.ts'
import { localEnvironment } from './machine.ts'
import {
  keepingChecks,
  nodeCheck,
  plainHttpChecks,
  portCheck,
  settingsCheck,
  settingsFailures,
  stateFileCheck,
} from './machine-checks.ts'
import { controlChecks, serviceChecks } from './service-checks.ts'
import { accountChecks, twilioChecks } from './twilio-checks.ts'

export { type Check, exitCode, renderChecks } from './check.ts'
export type { DoctorEnvironment, ExaminedService } from './environment.ts'

/**
 * Checks every credential, address, language, voice and engine in the settings, each with its fix, and finally places a
 * call the way Twilio does. Never throws.
 */
export async function doctor(
  config: Config | ConfigError,
  around: DoctorEnvironment = localEnvironment,
  options: EndToEndOptions & EngineCheckOptions = {},
): Promise<Check[]> {
  const node = nodeCheck(around.nodeVersion)
  if (config instanceof ConfigError) return [node, ...settingsFailures(config)]
  const [engines, service, account, control, port, discord, keeping, fleet] = await Promise.all([
    engineChecks(config, around, options),
    serviceChecks(config, around),
    Promise.all([accountChecks(config, around.twilioAccount), carrierAccountChecks(config, around)]),
    controlChecks(config, around),
    portCheck(config, around),
    discordPart(config, around),
    keepingChecks(config, around),
    fleetChecks(config, around),
  ])
  // Runs last: engines started for the other checks would delay the call.
  const call = await endToEnd(config, around, options, service)
  const telephony = [...twilioChecks(config), ...account.flat(), ...control]
  return [
    node,
    settingsCheck(config),
    port,
    ...plainHttpChecks(config),
    ...engines,
    ...service,
    ...telephony,
    ...discord,
    ...stateFileCheck(config),
    ...keeping,
    ...fleet,
    ...call,
  ]
}

/** Checks Discord, if a bot is configured; its library is loaded only then. */
async function discordPart(config: Config, around: DoctorEnvironment): Promise<Check[]> {
  const { token, apiUrl, guilds, channels } = config.discord
  if (token === undefined) {
    if (guilds.length + channels.length === 0) return []
    return [fail('Discord token', 'none', 'set discord.token (DRAGOMAN_DISCORD_TOKEN or …_FILE)')]
  }
  if (missingOf('discord').length > 0)
    return [fail('Discord', 'its packages are not installed', howToInstall('discord'))]
  const [{ discordChecks }, { voiceChecks }] = await Promise.all([
    import('./discord-checks.ts'),
    import('./discord-voice.ts'),
  ])
  const rest = await around.discord({ token, apiUrl })
  const found = await discordChecks(config, rest)
  return [...found, ...voiceChecks(config, await around.voiceParts())]
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
