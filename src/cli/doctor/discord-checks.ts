import {
  type APIApplication,
  ApplicationFlags,
  type REST,
  type RESTAPIPartialCurrentUserGuild,
  Routes,
} from 'discord.js'
import { inviteUrl } from '../../bridges/discord/commands/permissions.ts'
import { type CommandState, commandStates } from '../../bridges/discord/commands/registration.ts'
import { restTrouble } from '../../bridges/discord/commands/rest.ts'
import type { Config } from '../../config/load.ts'
import { type Check, fail, ok, warn } from './check.ts'
import { channelChecks, troubleCheck } from './discord-channels.ts'

const TOKEN_MEND =
  'developer portal, your application, Bot, Reset Token; set discord.token (DRAGOMAN_DISCORD_TOKEN or …_FILE)'
/** Remaining logins for the day: below this number, a bot that keeps restarting will be locked out. */
const FEW_LOGINS = 50
const PRIVILEGED = [
  [ApplicationFlags.GatewayPresence, 'Presence'],
  [ApplicationFlags.GatewayPresenceLimited, 'Presence'],
  [ApplicationFlags.GatewayGuildMembers, 'Server Members'],
  [ApplicationFlags.GatewayGuildMembersLimited, 'Server Members'],
  [ApplicationFlags.GatewayMessageContent, 'Message Content'],
  [ApplicationFlags.GatewayMessageContentLimited, 'Message Content'],
] as const

/** Checks whether Discord accepts the bot and its work; `rest` has its token. Never rejects. */
export async function discordChecks(config: Config, rest: REST): Promise<Check[]> {
  let application: APIApplication
  try {
    application = (await rest.get(Routes.currentApplication())) as APIApplication
  } catch (error) {
    return [tokenFailure(config, error)]
  }
  const token = ok('Discord token', `accepted: application ${application.name}`)
  const intents = intentsCheck(application)
  const logins = await loginsCheck(rest)
  let guilds: readonly RESTAPIPartialCurrentUserGuild[]
  try {
    guilds = (await rest.get(Routes.userGuilds())) as readonly RESTAPIPartialCurrentUserGuild[]
  } catch (error) {
    return [token, intents, logins, troubleCheck('Discord guilds', restTrouble(error))]
  }
  const applicationId = application.id
  const states = await commandStates({ rest, applicationId, guilds: config.discord.guilds })
  return [
    token,
    intents,
    logins,
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

/** The intents used need no activation; other activated ones have no effect. */
function intentsCheck({ flags }: Pick<APIApplication, 'flags'>): Check {
  const on = new Set(PRIVILEGED.filter(([flag]) => ((flags ?? 0) & flag) !== 0).map(([, label]) => label))
  const more = on.size === 0 ? '' : `; enabled but not used: ${[...on].join(', ')}`
  return ok('Discord intents', `Guilds, GuildVoiceStates: none is privileged${more}`)
}

async function loginsCheck(rest: REST): Promise<Check> {
  const name = 'Discord logins'
  try {
    const { session_start_limit: limit } = (await rest.get(Routes.gatewayBot())) as {
      session_start_limit: { total: number; remaining: number; reset_after: number }
    }
    const left = `${limit.remaining} of ${limit.total} left`
    if (limit.remaining >= FEW_LOGINS) return ok(name, left)
    const hours = Math.ceil(limit.reset_after / 3_600_000)
    return warn(name, `${left}, for ${hours} h`, 'check the log of the bot for the cause of its restarts')
  } catch (error) {
    return troubleCheck(name, restTrouble(error))
  }
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
