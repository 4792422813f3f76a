import { createRequire } from 'node:module'
import { type APIApplication, type RESTAPIPartialCurrentUserGuild, Routes } from 'discord.js'
import type { Config } from '../../app/settings/load.ts'
import { inviteUrl } from '../../bridges/discord/commands/permissions.ts'
import { type CommandState, commandStates } from '../../bridges/discord/commands/registration.ts'
import { restClient, restTrouble } from '../../bridges/discord/commands/rest.ts'
import { howToInstall } from '../../common/optional-package.ts'
import { type Check, fail, ok, warn } from './check.ts'
import { channelChecks, troubleCheck } from './discord-channels.ts'

const TOKEN_MEND =
  'developer portal, your application, Bot, Reset Token; set discord.token (DRAGOMAN_DISCORD_TOKEN or …_FILE)'

/** Checks whether Discord accepts the bot and its work. Never rejects. */
export async function discordChecks(config: Config): Promise<Check[]> {
  const { token: secret = '', apiUrl } = config.discord
  const rest = restClient({ token: secret, apiUrl })
  let application: APIApplication
  try {
    application = (await rest.get(Routes.currentApplication())) as APIApplication
  } catch (error) {
    return [tokenFailure(config, error)]
  }
  const token = ok('Discord token', `accepted: application ${application.name}`)
  let guilds: readonly RESTAPIPartialCurrentUserGuild[]
  try {
    guilds = (await rest.get(Routes.userGuilds())) as readonly RESTAPIPartialCurrentUserGuild[]
  } catch (error) {
    return [token, troubleCheck('Discord guilds', restTrouble(error))]
  }
  const applicationId = application.id
  const states = await commandStates({ rest, applicationId, guilds: config.discord.guilds })
  return [
    token,
    ...guildChecks(config, guilds, applicationId),
    ...states.map(state => commandCheck(state, applicationId)),
    ...(await channelChecks(config, {
      rest,
      applicationId,
      botId: application.bot?.id ?? applicationId,
      guildIds: guilds.map(({ id }) => id),
    })),
  ]
}

function tokenFailure({ discord }: Config, error: unknown): Check {
  const name = 'Discord token'
  const trouble = restTrouble(error)
  if (trouble.kind !== 'token') return troubleCheck(name, trouble)
  // Three parts separated by dots; a common mistake is the client secret or the public key.
  const looks = /^[\w-]{18,}\.[\w-]{4,}\.[\w-]{20,}$/.test(discord.token ?? '')
  return fail(
    name,
    looks
      ? 'Discord does not recognize it'
      : 'Discord does not recognize it, and it does not look like a bot token',
    TOKEN_MEND,
  )
}

function guildChecks(
  { discord }: Config,
  guilds: readonly { readonly id: string; readonly name: string }[],
  applicationId: string,
): Check[] {
  const name = 'Discord guilds'
  const absent = discord.guilds.filter(id => !guilds.some(guild => guild.id === id))
  const missing = absent.map(id =>
    fail(`guild ${id}`, 'the bot is not a member', `invite it: ${inviteUrl(applicationId, id)}`),
  )
  if (guilds.length === 0)
    return [fail(name, 'none', `invite the bot: ${inviteUrl(applicationId)}`), ...missing]
  const shown = guilds.slice(0, 5).map(guild => guild.name)
  const more = guilds.length > shown.length ? ` and ${guilds.length - shown.length} more` : ''
  return [ok(name, `${shown.join(', ')}${more}`), ...missing]
}

function commandCheck({ place, state }: CommandState, applicationId: string): Check {
  const name = place === 'global' ? '/interpret' : `/interpret in ${place}`
  const fix = 'run dragoman discord register, or start the bridge, which registers it'
  if (state === 'same') return ok(name, 'registered')
  if (state === 'absent') return warn(name, 'not registered', fix)
  if (state === 'different') return warn(name, 'registered by another version', fix)
  if (state.kind === 'forbidden' && place !== 'global')
    return fail(name, state.text, `invite the bot with its commands: ${inviteUrl(applicationId, place)}`)
  return troubleCheck(name, state)
}

/** Checks whether end-to-end encryption, which Discord requires, is available: the copy that the voice library loads. */
export function encryptionCheck(): Check {
  const name = 'end-to-end encryption'
  try {
    const own = createRequire(import.meta.url)
    const davey = createRequire(own.resolve('@discordjs/voice'))('@snazzah/davey') as {
      readonly DAVE_PROTOCOL_VERSION: number
    }
    return ok(name, `DAVE ${davey.DAVE_PROTOCOL_VERSION}`)
  } catch {
    const fix = `${howToInstall('discord')}; in a clone, npm ci with optional packages`
    return fail(name, '@snazzah/davey cannot be loaded', fix)
  }
}
