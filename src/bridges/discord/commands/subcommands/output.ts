import { catalogFor } from '../../../../messages/catalogs.ts'
import type { ReplyTexts } from '../../../../messages/en/discord.ts'
import type { OutputLanguages } from '../../contract.ts'
import { type CommandContext, type CommandServices, changeable } from '../command-context.ts'
import { joinedList, languageName } from '../language-choices.ts'
import type { Answer } from '../reply.ts'
import { languageOption, type Subcommand, subcommand } from '../subcommand.ts'
import { typedLanguage } from '../typed-language.ts'

/** `/interpret output`. */
export const output: Subcommand = {
  definition: subcommand('output', words => words.output, [
    languageOption('first', words => words.options.first, true),
    languageOption('second', words => words.options.second, false),
  ]),
  languages: { first: 'hear-or-auto', second: 'hear' },
  parse(options) {
    const first = options.text('first')
    const second = options.text('second')
    if (first === undefined) return undefined
    return { run: (context, services, words) => setOutput({ first, second }, context, services, words) }
  },
}

/** Sets the languages spoken in the channel. */
async function setOutput(
  { first, second }: { readonly first: string; readonly second: string | undefined },
  context: CommandContext,
  services: CommandServices,
  words: ReplyTexts,
): Promise<Answer> {
  const running = changeable(context, services, words)
  if (typeof running === 'string') return { text: running }
  let output: OutputLanguages = 'auto'
  if (first.toLowerCase() !== 'auto') {
    const one = await typedLanguage(first, 'hear', context, services, words)
    if (typeof one === 'string') return { text: one }
    output = [one.id]
    if (second !== undefined) {
      const two = await typedLanguage(second, 'hear', context, services, words)
      if (typeof two === 'string') return { text: two }
      if (two.id !== one.id) output = [one.id, two.id]
    }
  }
  running.setOutput(output)
  return {
    text: outputText(output, words, context.asker.locale),
    announcement: {
      channelId: running.status().textChannelId,
      text: `${context.asker.name}: ${outputText(output, catalogFor(context.guildLocale).discord.replies, context.guildLocale)}`,
    },
  }
}

function outputText(output: OutputLanguages, words: ReplyTexts, locale: string): string {
  if (output === 'auto') return words.outputAuto
  const names = output.map(each => languageName(each, locale))
  return words.outputIs(joinedList(names, locale))
}
