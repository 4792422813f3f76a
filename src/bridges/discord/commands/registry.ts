import {
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  PermissionFlagsBits,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
} from 'discord.js'
import { CommandOptions, type RawOption } from './command-options.ts'
import { type Invocation, type LanguagePurpose, type Subcommand, worded } from './subcommand.ts'
import { captions } from './subcommands/captions.ts'
import { dial } from './subcommands/dial.ts'
import { invite } from './subcommands/invite.ts'
import { language } from './subcommands/language.ts'
import { listen } from './subcommands/listen.ts'
import { output } from './subcommands/output.ts'
import { pause, resume } from './subcommands/pause.ts'
import { privacy } from './subcommands/privacy.ts'
import { start } from './subcommands/start.ts'
import { status } from './subcommands/status.ts'
import { stop } from './subcommands/stop.ts'
import { transcript } from './subcommands/transcript.ts'

/** Name of the command. */
export const COMMAND = 'interpret'

/** All subcommands, in the order in which Discord shows them. */
export const SUBCOMMANDS: readonly Subcommand[] = [
  start,
  stop,
  language,
  output,
  captions,
  status,
  privacy,
  dial,
  invite,
  listen,
  pause,
  resume,
  transcript,
]

/**
 * Definition of `/interpret` for registration (Discord: Create Global Application Command). Names stay English in the
 * API and are localized in the client. Servers only; offered to members with permission to connect to voice channels,
 * which administrators can change in the server's settings.
 */
export function commandDefinition(): RESTPostAPIChatInputApplicationCommandsJSONBody {
  return {
    type: ApplicationCommandType.ChatInput,
    ...worded(COMMAND, words => words.interpret),
    default_member_permissions: String(PermissionFlagsBits.Connect),
    contexts: [InteractionContextType.Guild],
    integration_types: [ApplicationIntegrationType.GuildInstall],
    options: SUBCOMMANDS.map(({ definition }) => definition),
  }
}

/** `/interpret …` as typed. Without an invocation, it is from an older or newer definition, or its options are invalid. */
export interface Command {
  readonly name: string
  readonly invocation: Invocation | undefined
}

/** Parses the data of `/interpret …`. Never throws. */
export function parseCommand(data: readonly RawOption[]): Command {
  const subcommand = data.length === 1 ? find(data) : undefined
  if (!subcommand) return { name: 'unknown', invocation: undefined }
  return {
    name: subcommand.definition.name,
    invocation: subcommand.parse(new CommandOptions(data[0]!.options)),
  }
}

/** Text in an option with a choice of languages. */
export interface Typing {
  readonly purpose: LanguagePurpose
  readonly text: string
}

/** Returns the text being typed in an option with a choice of languages, otherwise undefined. Never throws. */
export function parseTyping(data: readonly RawOption[]): Typing | undefined {
  const { languages = {} } = find(data) ?? {}
  const { focused } = new CommandOptions(data[0]?.options)
  if (!focused || !Object.hasOwn(languages, focused.name)) return undefined
  return { purpose: languages[focused.name]!, text: focused.text }
}

function find([option]: readonly RawOption[]): Subcommand | undefined {
  return SUBCOMMANDS.find(({ definition }) => definition.name === option?.name)
}
