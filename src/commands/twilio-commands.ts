import { type Command, Option } from 'commander'
import type { Config } from '../config.ts'
import { bindNumber, unbindNumber } from './numbers.ts'
import type { Terminal } from './terminal.ts'

/** `dragoman twilio …`: what is set up at Twilio. `load` reads the settings of `--config`. */
export function addTwilioCommands(
  program: Command,
  terminal: Terminal,
  load: (file: string | undefined) => Config,
): void {
  const twilio = program.command('twilio').description('telephone numbers at Twilio')
  const file = () =>
    new Option('--file <file>', 'keeps what numbers were before').default('dragoman.numbers.json')
  const account = () =>
    new Option('--account-sid <sid>', 'whose number it is (default: that of twilio.outbound)')
  const settings = () =>
    new Option('--config <file>', 'settings file').default(undefined, 'dragoman.yaml, if there is one')

  twilio
    .command('bind')
    .description("points a number's calls at this bridge, and remembers where they went before")
    .argument('<number>', 'like +15551234567')
    .option('--url <url>', 'where Twilio reaches this server (default: publicUrl of the settings)')
    .addOption(account())
    .addOption(file())
    .addOption(settings())
    .option('--json', 'print the result as JSON')
    .action((number: string, { config, ...options }) =>
      bindNumber(load(config), number, { ...options }, terminal),
    )

  twilio
    .command('unbind')
    .description('puts back what a number did before it was bound')
    .argument('<number>', 'like +15551234567')
    .option('--force', 'also if somebody has changed it since')
    .addOption(account())
    .addOption(file())
    .addOption(settings())
    .option('--json', 'print the result as JSON')
    .action((number: string, { config, ...options }) =>
      unbindNumber(load(config), number, { ...options }, terminal),
    )
}
