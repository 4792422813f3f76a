import { ApplicationCommandOptionType } from 'discord.js'
import { BridgeError, type ErrorCode } from '../../../../common/errors.ts'
import type { DialOutcome } from '../../../../core/model/dialer.ts'
import { catalogFor } from '../../../../messages/catalogs.ts'
import type { ReplyTexts } from '../../../../messages/en/discord.ts'
import { type CommandContext, type CommandServices, changeable, mayDial } from '../command-context.ts'
import { languageName } from '../language-choices.ts'
import type { Answer } from '../reply.ts'
import { languageOption, type Subcommand, subcommand, worded } from '../subcommand.ts'
import { typedLanguage } from '../typed-language.ts'

/** `/interpret dial`. */
export const dial: Subcommand = {
  definition: subcommand('dial', words => words.dial, [
    {
      type: ApplicationCommandOptionType.String,
      ...worded('number', words => words.options.number),
      required: true,
      min_length: 3,
      max_length: 32,
    },
    languageOption('language', words => words.options.theirLanguage, true),
  ]),
  languages: { language: 'speak' },
  parse(options) {
    const [number, language] = [options.text('number'), options.text('language')]
    if (number === undefined || language === undefined) return undefined
    return {
      slow: true,
      run: (context, services, words) => callPhone({ number, language }, context, services, words),
    }
  },
}

const NUMBER = /^\+[1-9]\d{6,14}$/

/** Calls a phone into the conversation. Only the user who asked sees the number. */
async function callPhone(
  { number, language }: { readonly number: string; readonly language: string },
  context: CommandContext,
  services: CommandServices,
  words: ReplyTexts,
): Promise<Answer> {
  const { settings, log } = services
  if (!settings.dials) return { text: words.dial.off }
  if (!mayDial(context.asker, settings)) return { text: words.dial.notYou }
  const running = changeable(context, services, words)
  if (typeof running === 'string') return { text: running }
  const to = number.replace(/[\s().\u2010-\u2015/-]/g, '').replace(/^00/, '+')
  if (!NUMBER.test(to)) return { text: words.dial.noNumber }
  const found = await typedLanguage(language, 'speak', context, services, words)
  if (typeof found === 'string') return { text: found }
  const { textChannelId } = running.status()
  const everybody = catalogFor(context.guildLocale).discord.replies
  try {
    const call = running.dial(to, found.id)
    const later = call.outcome.then(outcome => {
      if (outcome.kind === 'answered')
        void context.say(textChannelId, everybody.dial.joined).catch((error: unknown) => {
          log.warn({ guildId: context.guildId, reason: String(error) }, 'announcement not sent')
        })
      return outcomeText(outcome, words)
    })
    const spoken = languageName(found.id, context.guildLocale)
    return {
      text: words.dial.calling,
      later,
      announcement: {
        channelId: textChannelId,
        text: everybody.dial.announced(context.asker.name, spoken),
      },
    }
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error
    return { text: error.code === 'CAPACITY' ? words.dial.capacity : words.dial.refused }
  }
}

function outcomeText(outcome: DialOutcome, { dial: say }: ReplyTexts): string {
  switch (outcome.kind) {
    case 'answered':
      return say.answered
    case 'busy':
      return say.busy
    case 'no-answer':
      return say.noAnswer
    case 'voicemail':
      return say.voicemail
    case 'canceled':
      return say.canceled
    case 'failed':
      return failedText(outcome.error.code, say)
  }
}

function failedText(code: ErrorCode, say: ReplyTexts['dial']): string {
  if (code === 'CAPACITY') return say.capacity
  return code === 'DIAL_REFUSED' || code === 'DIAL_QUOTA_EXCEEDED' ? say.refused : say.callFailed
}
