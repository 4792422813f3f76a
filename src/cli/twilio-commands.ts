import { type Command, Option } from 'commander'
import type { Config } from '../config/load.ts'
import type { Terminal } from './terminal.ts'
import { bindNumber, unbindNumber } from './twilio-numbers.ts'

/** `dragoman twilio …`: the setup at Twilio. `load` reads the settings of `--config`. */
export function addTwilioCommands(
  program: Command,
  terminal: Terminal,
  load: (file: string | undefined) => Config,
): void {
  const twilio = program.command('twilio').description('set up phone numbers at Twilio')
  const file = () =>
    new Option('--file <file>', 'file with the previous state of numbers').default('dragoman.numbers.json')
  const account = () =>
    new Option('--account-sid <sid>', 'account that owns the number (default: that of twilio.outbound)')
  const settings = () =>
    new Option('--config <file>', 'settings file').default(undefined, 'dragoman.yaml, if it exists')

  twilio
    .command('bind')
    .description('route the calls of a number to this bridge, and store its previous target')
    .argument('<number>', 'like +15551234567')
    .option('--url <url>', 'public address of this server (default: publicUrl of the settings)')
    .addOption(account())
    .addOption(file())
    .addOption(settings())
    .option('--json', 'print the result as JSON')
    .action((number: string, { config, ...options }) =>
      bindNumber(load(config), number, { ...options }, terminal),
    )

  twilio
    .command('unbind')
    .description('restore the target that a number had before it was bound')
    .argument('<number>', 'like +15551234567')
    .option('--force', 'even if the target has been changed since')
    .addOption(account())
    .addOption(file())
    .addOption(settings())
    .option('--json', 'print the result as JSON')
    .action((number: string, { config, ...options }) =>
      unbindNumber(load(config), number, { ...options }, terminal),
    )
}
