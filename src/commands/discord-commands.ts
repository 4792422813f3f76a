import { type Command, Option } from 'commander'
import type { Config } from '../config.ts'
import { assertInstalled } from '../core/optional-part.ts'
import type { Terminal } from './terminal.ts'

/** `dragoman discord …`: what is set up at Discord. `load` reads the settings of `--config`. */
export function addDiscordCommands(
  program: Command,
  terminal: Terminal,
  load: (file: string | undefined) => Config,
): void {
  const discord = program.command('discord').description('the bot at Discord')
  const settings = () =>
    new Option('--config <file>', 'settings file').default(undefined, 'dragoman.yaml, if there is one')
  const guild = () =>
    new Option('--guild <id...>', 'only there (default: discord.guilds, or everywhere)').default([], 'none')
  // discord.js takes half a second to load, which other commands need not wait for.
  const commands = () => {
    assertInstalled('discord')
    return import('./discord.ts')
  }

  discord
    .command('invite')
    .description('the address by which a server invites the bot, with just the permissions it uses')
    .option('--application-id <id>', 'the application (default: that of discord.token)')
    .option('--guild <id>', 'the server')
    .addOption(settings())
    .option('--json', 'print the result as JSON')
    .action(async ({ config, ...options }) => (await commands()).showInvite(load(config), options, terminal))

  discord
    .command('register')
    .description('registers /interpret where it is not registered as it should be; `serve` does so at start')
    .addOption(guild())
    .addOption(settings())
    .option('--json', 'print the result as JSON')
    .action(async ({ config, guild: guilds, ...options }) =>
      (await commands()).register(load(config), { guilds, ...options }, terminal),
    )

  discord
    .command('unregister')
    .description('takes /interpret away, everywhere and in every server of the bot')
    .addOption(guild())
    .addOption(settings())
    .option('--json', 'print the result as JSON')
    .action(async ({ config, guild: guilds, ...options }) =>
      (await commands()).unregister(load(config), { guilds, ...options }, terminal),
    )
}
