import { type Command, Option } from 'commander'
import { assertInstalled } from '../common/optional-package.ts'
import type { Config } from '../config/load.ts'
import type { Terminal } from './terminal.ts'

/** `dragoman discord …`: the setup at Discord. `load` reads the settings of `--config`. */
export function addDiscordCommands(
  program: Command,
  terminal: Terminal,
  load: (file: string | undefined) => Config,
): void {
  const discord = program.command('discord').description('set up the bot at Discord')
  const settings = () =>
    new Option('--config <file>', 'settings file').default(undefined, 'dragoman.yaml, if it exists')
  const guild = () =>
    new Option('--guild <id...>', 'only this server (default: discord.guilds, or everywhere)').default(
      [],
      'none',
    )
  // discord.js takes half a second to load, so other commands do not load it.
  const commands = () => {
    assertInstalled('discord')
    return import('./discord.ts')
  }

  discord
    .command('invite')
    .description('print the invite link of the bot, with only the permissions that it uses')
    .option('--application-id <id>', 'application ID (default: that of discord.token)')
    .option('--guild <id>', 'server to invite the bot to')
    .addOption(settings())
    .option('--json', 'print the result as JSON')
    .action(async ({ config, ...options }) => (await commands()).showInvite(load(config), options, terminal))

  discord
    .command('register')
    .description(
      'register /interpret where the registration is missing or outdated; `serve` does this at startup',
    )
    .addOption(guild())
    .addOption(settings())
    .option('--json', 'print the result as JSON')
    .action(async ({ config, guild: guilds, ...options }) =>
      (await commands()).register(load(config), { guilds, ...options }, terminal),
    )

  discord
    .command('unregister')
    .description('remove /interpret everywhere, and from every server of the bot')
    .addOption(guild())
    .addOption(settings())
    .option('--json', 'print the result as JSON')
    .action(async ({ config, guild: guilds, ...options }) =>
      (await commands()).unregister(load(config), { guilds, ...options }, terminal),
    )
}
