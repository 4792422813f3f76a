import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandSubcommandGroupOption,
  type APIApplicationCommandSubcommandOption,
  ApplicationCommandOptionType,
  type LocalizationMap,
} from 'discord.js'
import { CATALOGS, UI_LANGUAGES } from '../../../messages/catalogs.ts'
import type { CommandTexts, ReplyTexts } from '../../../messages/en/discord.ts'
import type { CommandContext, CommandServices } from './command-context.ts'
import type { CommandOptions } from './command-options.ts'
import type { Answer } from './reply.ts'

/** A subcommand of `/interpret`, or a group of them. `registry.ts` lists all. */
export interface Subcommand {
  /** For the registration. */
  readonly definition: APIApplicationCommandSubcommandOption | APIApplicationCommandSubcommandGroupOption
  /** Options with a choice of languages while the user types: languages to speak, to hear, or `auto` as well. */
  readonly languages?: Readonly<Record<string, LanguagePurpose>>
  /** Returns undefined if options are missing or invalid: they come from an older or newer definition. Never throws. */
  parse(options: CommandOptions): Invocation | undefined
}

export type LanguagePurpose = 'speak' | 'hear' | 'hear-or-auto'

/** A subcommand with its options. */
export interface Invocation {
  /** It takes long, so that Discord is notified of a delayed reply immediately. */
  readonly slow?: boolean
  /** It is never rate limited. */
  readonly unlimited?: boolean
  /** Rejects only because of errors on our side. */
  run(context: CommandContext, services: CommandServices, words: ReplyTexts): Answer | Promise<Answer>
}

/** Selects a name and its description in one language. */
export type FindText = (texts: CommandTexts) => readonly [name: string, description: string]

/** Definition of a subcommand. */
export function subcommand(name: string, find: FindText, options: APIApplicationCommandBasicOption[] = []) {
  return { type: ApplicationCommandOptionType.Subcommand, ...worded(name, find), options } as const
}

/** Definition of an option that is true or false. */
export function flagOption(name: string, find: FindText) {
  return { type: ApplicationCommandOptionType.Boolean, ...worded(name, find) } as const
}

/** Definition of a language as text, with choices while the user types. */
export function languageOption(name: string, find: FindText, required: boolean) {
  return {
    type: ApplicationCommandOptionType.String,
    ...worded(name, find),
    required,
    max_length: 100,
    autocomplete: true,
  } as const
}

/** Definition of an option with these values. */
export function choiceOption<Value extends string>(
  name: string,
  find: FindText,
  values: readonly Value[],
  nameOf: (words: CommandTexts, value: Value) => string,
) {
  return {
    type: ApplicationCommandOptionType.String,
    ...worded(name, find),
    choices: values.map(value => ({
      value,
      name: nameOf(CATALOGS.en.discord.commands, value),
      name_localizations: inEach(words => nameOf(words, value)),
    })),
  } as const
}

/** Name and description in all languages. `name` is the API name, independent of localized names. */
export function worded(name: string, find: FindText) {
  return {
    name,
    description: find(CATALOGS.en.discord.commands)[1],
    name_localizations: inEach(words => find(words)[0]),
    description_localizations: inEach(words => find(words)[1]),
  }
}

function inEach(find: (words: CommandTexts) => string): LocalizationMap {
  const map: LocalizationMap = {}
  for (const language of UI_LANGUAGES) {
    const { discordLocales, discord } = CATALOGS[language]
    for (const locale of discordLocales) map[locale] = find(discord.commands)
  }
  return map
}
