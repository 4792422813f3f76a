import { type Command, InvalidArgumentError, Option } from 'commander'
import { loadConfig } from '../app/settings/load.ts'
import { languageId } from '../common/language.ts'
import { assertInstalled } from '../common/optional-package.ts'
import { version } from '../common/version.ts'
import { bindNumber, NUMBERS_FILE, type NumberCarrier, unbindNumber } from './carrier-numbers.ts'
import { CommandError } from './errors.ts'
import type { Terminal } from './terminal.ts'

/** Names the settings file. */
export const configFile = () =>
  new Option('--config <file>', 'settings file').default(undefined, 'dragoman.yaml, if it exists')

/** `dragoman init`: the first settings file. */
export function addInitCommand(program: Command, terminal: Terminal): void {
  program
    .command('init')
    .description('ask for channels, languages and engines, write a settings file, and check it')
    .option('--config <file>', 'settings file to write', 'dragoman.yaml')
    .option('--speaks <language>', 'your language', languageOption)
    .option('--hears <language>', 'language of the people you talk to', languageOption)
    .addOption(
      new Option('--engines <kind>', 'where speech is recognized and translated').choices([
        'offline',
        'openai',
        'service',
      ]),
    )
    .option('--service-url <url>', 'address of a translation service')
    .option('--number <number>', 'Twilio number, like +15551234567')
    .option('--public-url <url>', 'https:// address at which Twilio reaches this server')
    .option('--discord', 'start a Discord bot')
    .option('--yes', 'accept the defaults instead of asking')
    .option('--force', 'overwrite an existing file')
    .option('--no-doctor', 'do not check the settings')
    .action(async options => {
      const { init } = await import('./init/init.ts')
      await init(options, terminal)
    })
}

/** `dragoman fleet`: the nodes of a service. */
export function addFleetCommand(program: Command, terminal: Terminal): void {
  program
    .command('fleet')
    .description('show the nodes of a fleet, their load, and the homes of the open rooms')
    .option('--server <url>', 'address of a node', 'http://localhost:8080')
    .option('--key <key>', 'API key (default: the first of control.keys)')
    .option('--json', 'print the result as JSON')
    .action(async options => {
      const key = options.key ?? loadConfig().control.keys[0]?.key
      if (key === undefined) throw new CommandError('an API key is required: pass --key, or set control.keys')
      const { showFleet } = await import('./fleet.ts')
      await showFleet({ ...options, key }, terminal)
    })
}

/** `dragoman engines …`: the engines of the embedded service. */
export function addEnginesCommands(program: Command, terminal: Terminal): void {
  const engines = program.command('engines').description('list and test the engines of the embedded service')
  const live = () => new Option('--live', 'contact engines that are not on this machine; this can cost money')

  engines
    .command('list')
    .description('list the engines in order of preference, without contacting servers')
    .addOption(configFile())
    .option('--json', 'print the result as JSON')
    .action(async ({ config, ...options }) =>
      (await import('./engines/inventory.ts')).listEngines(loadConfig({ file: config }), options, terminal),
    )

  engines
    .command('test')
    .description('send one sentence through each engine and show the result with the time of each step')
    .argument('[name]', 'engine, as listed; of one kind only: transcription/openai')
    .option('--text <text>', 'sentence in the source language; with --file, its transcript')
    .option('--file <file>', 'WAV file to use instead of the bundled recording')
    .option('--from <language>', 'language of --text or --file (default: as configured)', languageOption)
    .option('--to <language>', 'target language (default: as configured)', languageOption)
    .addOption(live())
    .addOption(configFile())
    .option('--json', 'print the result as JSON')
    .action(async (name: string | undefined, { config, ...options }) => {
      const { testEngines } = await import('./engines/test-report.ts')
      process.exitCode = await testEngines(loadConfig({ file: config }), { name, ...options }, terminal)
    })

  engines
    .command('models')
    .description('show the local models: present, missing, and where to get them')
    .addOption(configFile())
    .option('--json', 'print the result as JSON')
    .action(async ({ config, ...options }) =>
      (await import('./engines/inventory.ts')).showModels(loadConfig({ file: config }), options, terminal),
    )
}

/** `dragoman models …`: models for the embedded service. */
export function addModelsCommands(program: Command, terminal: Terminal): void {
  const models = program
    .command('models')
    .description('install models that recognize, translate and speak on this machine')
  const json = () => new Option('--json', 'print the result as JSON')
  const commands = () => import('./models/commands.ts')

  models
    .command('add')
    .description('download and install what the languages of your calls need')
    .argument('<what...>', 'languages like en or es-mx, or names of models')
    .option('--yes', 'install without a question')
    .option(
      '--trust-on-first-use',
      'accept files whose digest is not in the catalog, and store what was seen',
    )
    .addOption(configFile())
    .action(async (what: string[], { config, ...options }) =>
      (await commands()).addModels(loadConfig({ file: config }), what, options, terminal),
    )

  models
    .command('list')
    .description('list the installed models')
    .option('--all', 'also those that can be installed')
    .addOption(configFile())
    .addOption(json())
    .action(async ({ config, ...options }) =>
      (await commands()).listModels(loadConfig({ file: config }), options, terminal),
    )

  models
    .command('check')
    .description('verify the digests of all files and load each model')
    .addOption(configFile())
    .addOption(json())
    .action(async ({ config, ...options }) => {
      const out = await commands()
      process.exitCode = await out.checkModels(loadConfig({ file: config }), options, terminal, { version })
    })

  models
    .command('remove')
    .description('remove languages or models, also while the service runs')
    .argument('<what...>', 'languages or names of models, as listed')
    .addOption(configFile())
    .action(async (what: string[], { config }) =>
      (await commands()).removeModels(loadConfig({ file: config }), what, terminal),
    )
}

/** Parses `text` as a language, or throws commander’s error that names the option. */
export function languageOption(text: string): string {
  try {
    return languageId(text)
  } catch {
    throw new InvalidArgumentError('Expected <language>-<region>, like en-us.')
  }
}

/** `dragoman discord …`: the setup at Discord. */
export function addDiscordCommands(program: Command, terminal: Terminal): void {
  const discord = program.command('discord').description('set up the bot at Discord')
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
    .addOption(configFile())
    .option('--json', 'print the result as JSON')
    .action(async ({ config, ...options }) =>
      (await commands()).showInvite(loadConfig({ file: config }), options, terminal),
    )

  discord
    .command('register')
    .description(
      'register /interpret where the registration is missing or outdated; `serve` does this at startup',
    )
    .addOption(guild())
    .addOption(configFile())
    .option('--json', 'print the result as JSON')
    .action(async ({ config, guild: guilds, ...options }) =>
      (await commands()).register(loadConfig({ file: config }), { guilds, ...options }, terminal),
    )

  discord
    .command('unregister')
    .description('remove /interpret everywhere, and from every server of the bot')
    .addOption(guild())
    .addOption(configFile())
    .option('--json', 'print the result as JSON')
    .action(async ({ config, guild: guilds, ...options }) =>
      (await commands()).unregister(loadConfig({ file: config }), { guilds, ...options }, terminal),
    )
}

/** `dragoman twilio …` and `dragoman signalwire …`: the setup of numbers. */
export function addNumberCommands(program: Command, terminal: Terminal): void {
  for (const [carrier, title] of [
    ['twilio', 'Twilio'],
    ['signalwire', 'SignalWire'],
  ] as const)
    addCommandsOf(carrier, program.command(carrier).description(`set up phone numbers at ${title}`), terminal)
}

function addCommandsOf(carrier: NumberCarrier, parent: Command, terminal: Terminal): void {
  const file = () =>
    new Option('--file <file>', 'file with the previous state of numbers').default(NUMBERS_FILE)
  const accounts = () =>
    carrier === 'twilio'
      ? [new Option('--account-sid <sid>', 'account that owns the number (default: that of twilio.outbound)')]
      : []
  const api = () => new Option('--api-url <url>', 'other address of the REST API, for tests')

  const bind = parent
    .command('bind')
    .description('route the calls of a number to this bridge, and store its previous target')
    .argument('<number>', 'like +15551234567')
    .option('--url <url>', 'public address of this server (default: publicUrl of the settings)')
    .addOption(api())
    .addOption(file())
    .addOption(configFile())
    .option('--json', 'print the result as JSON')
    .action((number: string, options) =>
      bindNumber(loadConfig({ file: options.config }), number, { ...options, carrier }, terminal),
    )

  const unbind = parent
    .command('unbind')
    .description('restore the target that a number had before it was bound')
    .argument('<number>', 'like +15551234567')
    .option('--force', 'even if the target has been changed since')
    .addOption(api())
    .addOption(file())
    .addOption(configFile())
    .option('--json', 'print the result as JSON')
    .action((number: string, options) =>
      unbindNumber(loadConfig({ file: options.config }), number, { ...options, carrier }, terminal),
    )

  for (const option of accounts()) for (const command of [bind, unbind]) command.addOption(option)
}
