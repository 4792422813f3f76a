import { type Config, ConfigError, loadConfig } from '../config.ts'
import { howToInstall, missingOf } from '../core/optional-part.ts'
import { accountChecks } from './doctor/account-checks.ts'
import { type Check, fail } from './doctor/check.ts'
import { controlChecks } from './doctor/control-checks.ts'
import { type EndToEndOptions, endToEnd } from './doctor/end-to-end.ts'
import { engineChecks } from './doctor/engine-checks.ts'
import { keepingChecks } from './doctor/keeping-checks.ts'
import { thisMachine } from './doctor/machine.ts'
import {
  nodeCheck,
  plainHttpChecks,
  portCheck,
  settingsCheck,
  settingsFailures,
} from './doctor/machine-checks.ts'
import { serviceChecks } from './doctor/service-checks.ts'
import type { Surroundings } from './doctor/surroundings.ts'
import { twilioChecks } from './doctor/twilio-checks.ts'

export { type Check, exitCode, renderChecks } from './doctor/check.ts'
export type { ExaminedService, Surroundings } from './doctor/surroundings.ts'

/**
 * Checks every credential, address, language, voice and engine in the settings, each with its fix, and finally places a
 * call the way Twilio does. Never throws.
 */
export async function doctor(
  config: Config | ConfigError,
  around: Surroundings = thisMachine,
  options: EndToEndOptions = {},
): Promise<Check[]> {
  const node = nodeCheck(around.nodeVersion)
  if (config instanceof ConfigError) return [node, ...settingsFailures(config)]
  const [engines, service, account, control, port, discord, keeping] = await Promise.all([
    engineChecks(config, around),
    serviceChecks(config, around),
    accountChecks(config, around.twilioAccount),
    controlChecks(config, around),
    portCheck(config, around),
    discordPart(config, around),
    keepingChecks(config, around),
  ])
  // Runs last: engines started for the other checks would delay the call.
  const call = await endToEnd(config, around, options, service)
  const telephony = [...twilioChecks(config), ...account, ...control]
  return [
    node,
    settingsCheck(config),
    port,
    ...plainHttpChecks(config),
    ...engines,
    ...service,
    ...telephony,
    ...discord,
    ...keeping,
    ...call,
  ]
}

/** Checks Discord, if a bot is configured; its library is loaded only then. */
async function discordPart(config: Config, around: Surroundings): Promise<Check[]> {
  const { token, apiUrl, guilds, channels } = config.discord
  if (token === undefined) {
    if (guilds.length + channels.length === 0) return []
    return [fail('Discord token', 'none', 'set discord.token (DRAGOMAN_DISCORD_TOKEN or …_FILE)')]
  }
  if (missingOf('discord').length > 0)
    return [fail('Discord', 'its packages are not installed', howToInstall('discord'))]
  const [{ discordChecks }, { preferencesCheck }, { voiceChecks }] = await Promise.all([
    import('./doctor/discord-checks.ts'),
    import('./doctor/discord-preferences.ts'),
    import('./doctor/discord-voice.ts'),
  ])
  const rest = await around.discord({ token, apiUrl })
  const found = await discordChecks(config, rest)
  return [...found, preferencesCheck(config), ...voiceChecks(config, await around.voiceParts())]
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
