import { Routes } from 'discord.js'
import type { Config } from '../app/settings/load.ts'
import { inviteUrl, wantedPermissions } from '../bridges/discord/commands/permissions.ts'
import {
  type RegistrationOptions,
  type RegistrationResult,
  registerCommand,
  unregisterCommand,
} from '../bridges/discord/commands/registration.ts'
import { restClient, restTrouble } from '../bridges/discord/commands/rest.ts'
import { noopLogger } from '../common/log.ts'
import { CommandError } from './errors.ts'
import type { Terminal } from './terminal.ts'

export interface DiscordCommandOptions {
  readonly json?: boolean | undefined
}

/** Prints the invite link for a guild, with the permissions that the bot uses. */
export async function showInvite(
  config: Config,
  options: DiscordCommandOptions & { readonly applicationId?: string; readonly guild?: string },
  terminal: Terminal,
): Promise<void> {
  const applicationId = options.applicationId ?? (await applicationIdOf(config))
  const wanted = { webhooks: config.discord.captions.style === 'webhook' }
  const url = inviteUrl(applicationId, options.guild, wanted)
  const permissions = wantedPermissions(wanted)
  if (options.json) {
    terminal.line(JSON.stringify({ applicationId, permissions, url }))
    return
  }
  terminal.line(url)
  terminal.line(`  permissions: ${permissions.join(', ')}`)
}

/** Registers the command where the registration is missing or outdated. */
export async function register(
  config: Config,
  options: DiscordCommandOptions & { readonly guilds: readonly string[] },
  terminal: Terminal,
): Promise<void> {
  const guilds = options.guilds.length > 0 ? options.guilds : config.discord.guilds
  report(await registerCommand(await registrationOptions(config, guilds)), options, terminal)
}

/** Removes the command globally, from every guild of the bot and from the named guilds. */
export async function unregister(
  config: Config,
  options: DiscordCommandOptions & { readonly guilds: readonly string[] },
  terminal: Terminal,
): Promise<void> {
  const registration = await registrationOptions(config, [])
  const own = await answered(registration.rest.get(Routes.userGuilds()) as Promise<readonly { id: string }[]>)
  const guilds = [...new Set([...options.guilds, ...config.discord.guilds, ...own.map(({ id }) => id)])]
  report(await unregisterCommand({ ...registration, guilds }), options, terminal)
}

async function registrationOptions(config: Config, guilds: readonly string[]): Promise<RegistrationOptions> {
  const rest = restClient({ token: tokenOf(config), apiUrl: config.discord.apiUrl })
  return { rest, applicationId: await applicationIdOf(config), guilds, log: noopLogger }
}

async function applicationIdOf(config: Config): Promise<string> {
  const rest = restClient({ token: tokenOf(config), apiUrl: config.discord.apiUrl })
  const { id } = await answered(rest.get(Routes.currentApplication()) as Promise<{ id: string }>)
  return id
}

function tokenOf({ discord }: Config): string {
  if (discord.token !== undefined) return discord.token
  throw new CommandError('the bot token is missing: set discord.token (DRAGOMAN_DISCORD_TOKEN or …_FILE)')
}

async function answered<T>(request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (error) {
    throw new CommandError(restTrouble(error).text, { cause: error })
  }
}

function report(
  results: readonly RegistrationResult[],
  { json }: DiscordCommandOptions,
  terminal: Terminal,
): void {
  if (json) terminal.line(JSON.stringify(results))
  else if (results.length === 0) terminal.line('There was nothing to remove.')
  else for (const each of results) terminal.line(lineOf(each))
  const failed = results.filter(({ result }) => typeof result === 'object')
  if (failed.length > 0) throw new CommandError(`failed in ${failed.map(({ place }) => place).join(', ')}`)
}

function lineOf({ place, result }: RegistrationResult): string {
  const where = place === 'global' ? 'everywhere' : `guild ${place}`
  return `${where}: ${typeof result === 'object' ? result.text : result}`
}
