import { ApplicationCommandOptionType } from 'discord.js'
import { catalogFor } from '../../../../messages/catalogs.ts'
import type { ReplyTexts } from '../../../../messages/en/discord.ts'
import { type CommandContext, type CommandServices, moderates } from '../command-context.ts'
import { languageName } from '../language-choices.ts'
import type { Answer } from '../reply.ts'
import { flagOption, languageOption, type Subcommand, subcommand, worded } from '../subcommand.ts'
import { typedLanguage } from '../typed-language.ts'

/** `/interpret language`. */
export const language: Subcommand = {
  definition: subcommand('language', words => words.language, [
    languageOption('language', words => words.options.language, true),
    { type: ApplicationCommandOptionType.User, ...worded('user', words => words.options.user) },
    flagOption('remember', words => words.options.remember),
  ]),
  languages: { language: 'speak' },
  parse(options) {
    const language = options.text('language')
    if (language === undefined) return undefined
    const request = { language, userId: options.id('user'), remember: options.flag('remember') ?? false }
    return { run: (context, services, words) => setLanguage(request, context, services, words) }
  },
}

interface LanguageRequest {
  readonly language: string
  /** Absent: the user who asked. */
  readonly userId: string | undefined
  readonly remember: boolean
}

/** Sets the language that a user speaks and reads, from their next utterance on. */
async function setLanguage(
  { language, userId, remember }: LanguageRequest,
  context: CommandContext,
  services: CommandServices,
  words: ReplyTexts,
): Promise<Answer> {
  const { asker, guildId } = context
  const running = services.interpreters.of(guildId)
  const other = userId !== asker.id ? userId : undefined
  if (other !== undefined && !moderates(asker)) return { text: words.moderatorsOnly }
  if (other !== undefined && !running) return { text: words.notRunning }
  const found = await typedLanguage(language, 'speak', context, services, words)
  if (typeof found === 'string') return { text: found }
  const name = languageName(found.id, asker.locale)
  const notes = found.heard ? [] : [words.notUnderstood(name)]
  if (other !== undefined && running) {
    running.setLanguage(other, found.id)
    const theirs = languageName(found.id, context.guildLocale)
    return {
      text: [words.languageOf(context.nameOf(other), name), ...notes].join('\n'),
      announcement: {
        channelId: running.status().textChannelId,
        text: `${asker.name}: ${catalogFor(context.guildLocale).discord.replies.languageOf(context.nameOf(other), theirs)}`,
      },
    }
  }
  services.preferences.setLanguage(asker.id, found.id, remember)
  running?.setLanguage(asker.id, found.id)
  notes.push(remember ? words.remembered : words.keptUntilRestart)
  if (services.preferences.optedOut(asker.id)) notes.push(words.stillOptedOut)
  return { text: [words.languageIs(name), ...notes].join('\n') }
}
