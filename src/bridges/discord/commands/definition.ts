import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandOption,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  ChannelType,
  InteractionContextType,
  type LocalizationMap,
  PermissionFlagsBits,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
} from 'discord.js'
import { WORDS } from '../../../messages/discord/discord.ts'
import type { CommandWords, Word } from '../../../messages/discord/types.ts'
import { DISCORD_LOCALES, type UiLanguage } from '../../../messages/locale.ts'
import type { CaptionStyle } from '../channel-interpreter.ts'
import type { TranscriptFormat } from './command-context.ts'

const STYLES: readonly CaptionStyle[] = ['embed', 'webhook', 'plain', 'off']
const FORMATS: readonly TranscriptFormat[] = ['text', 'srt', 'vtt']

/**
 * Definition of `/interpret` for registration (Discord: Create Global Application Command). Names stay English in the
 * API and are localized in the client. Servers only; offered to members with permission to connect to voice channels,
 * which administrators can change in the server's settings.
 */
export function commandDefinition(): RESTPostAPIChatInputApplicationCommandsJSONBody {
  return {
    type: ApplicationCommandType.ChatInput,
    ...worded('interpret', words => words.interpret),
    default_member_permissions: String(PermissionFlagsBits.Connect),
    contexts: [InteractionContextType.Guild],
    integration_types: [ApplicationIntegrationType.GuildInstall],
    options: [
      sub('start', words => words.start, [
        {
          type: ApplicationCommandOptionType.Channel,
          ...worded('channel', words => words.options.channel),
          channel_types: [ChannelType.GuildVoice, ChannelType.GuildStageVoice],
        },
        flag('captions-only', words => words.options.captionsOnly),
        {
          type: ApplicationCommandOptionType.String,
          ...worded('room-code', words => words.options.roomCode),
          min_length: 6,
          max_length: 12,
        },
      ]),
      sub('stop', words => words.stop),
      sub('language', words => words.language, [
        typed('language', words => words.options.language, true),
        { type: ApplicationCommandOptionType.User, ...worded('user', words => words.options.user) },
        flag('remember', words => words.options.remember),
      ]),
      sub('output', words => words.output, [
        typed('first', words => words.options.first, true),
        typed('second', words => words.options.second, false),
      ]),
      sub('captions', words => words.captions, [
        {
          type: ApplicationCommandOptionType.String,
          ...worded('style', words => words.options.style),
          choices: STYLES.map(value => ({
            value,
            name: WORDS.en.commands.styles[value],
            name_localizations: inEach(words => words.styles[value]),
          })),
        },
        flag('thread', words => words.options.thread),
      ]),
      sub('status', words => words.status),
      {
        type: ApplicationCommandOptionType.SubcommandGroup,
        ...worded('privacy', words => words.privacy),
        options: [
          sub('info', words => words.info),
          sub('opt-out', words => words.optOut),
          sub('opt-in', words => words.optIn),
          sub('forget', words => words.forget),
        ],
      },
      sub('dial', words => words.dial, [
        {
          type: ApplicationCommandOptionType.String,
          ...worded('number', words => words.options.number),
          required: true,
          min_length: 3,
          max_length: 32,
        },
        typed('language', words => words.options.theirLanguage, true),
      ]),
      sub('invite', words => words.invite),
      sub('listen', words => words.listen),
      sub('pause', words => words.pause),
      sub('resume', words => words.resume),
      sub('transcript', words => words.transcript, [
        {
          type: ApplicationCommandOptionType.String,
          ...worded('format', words => words.options.format),
          choices: FORMATS.map(value => ({
            value,
            name: WORDS.en.commands.formats[value],
            name_localizations: inEach(words => words.formats[value]),
          })),
        },
      ]),
    ],
  }
}

/** Selects a word in one language. */
type Find = (words: CommandWords) => Word

function sub(name: string, find: Find, options: APIApplicationCommandBasicOption[] = []) {
  return {
    type: ApplicationCommandOptionType.Subcommand,
    ...worded(name, find),
    options,
  } as const satisfies APIApplicationCommandOption
}

function flag(name: string, find: Find) {
  return { type: ApplicationCommandOptionType.Boolean, ...worded(name, find) } as const
}

/** A text option with autocompletion. */
function typed(name: string, find: Find, required: boolean) {
  return {
    type: ApplicationCommandOptionType.String,
    ...worded(name, find),
    required,
    max_length: 100,
    autocomplete: true,
  } as const
}

/** `name` is the API name, independent of localized names. */
function worded(name: string, find: Find) {
  return {
    name,
    description: find(WORDS.en.commands)[1],
    name_localizations: inEach(words => find(words)[0]),
    description_localizations: inEach(words => find(words)[1]),
  }
}

function inEach(find: (words: CommandWords) => string): LocalizationMap {
  const map: LocalizationMap = {}
  for (const [language, locales] of Object.entries(DISCORD_LOCALES))
    for (const locale of locales) map[locale] = find(WORDS[language as UiLanguage].commands)
  return map
}
