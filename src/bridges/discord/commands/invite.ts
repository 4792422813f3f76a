import { BridgeError, type ErrorCode } from '../../../common/errors.ts'
import type { DialOutcome } from '../../../core/model/dialer.ts'
import { repliesFor } from '../../../messages/discord/discord.ts'
import type { AnswerWords } from '../../../messages/discord/types.ts'
import { foundLanguage } from './change.ts'
import type { Command } from './command.ts'
import { type CommandContext, type CommandServices, mayChange, mayDial, mayReach } from './command-context.ts'
import { languageName } from './language-choices.ts'
import type { Answer } from './reply.ts'
import { mention } from './start.ts'

const NUMBER = /^\+[1-9]\d{6,14}$/

/** Calls a phone into the conversation. Only the user who asked sees the number. */
export async function dial(
  command: Extract<Command, { kind: 'dial' }>,
  context: CommandContext,
  world: CommandServices,
  words: AnswerWords,
): Promise<Answer> {
  const { interpreters, settings, starters, log } = world
  if (!settings.dials) return { text: words.dial.off }
  if (!mayDial(context.asker, settings)) return { text: words.dial.notYou }
  const running = interpreters.of(context.guildId)
  if (!running) return { text: words.notRunning }
  if (!mayChange(context, running, starters.get(running))) return { text: words.notYours }
  const to = command.number.replace(/[\s().\u2010-\u2015/-]/g, '').replace(/^00/, '+')
  if (!NUMBER.test(to)) return { text: words.dial.noNumber }
  const found = await foundLanguage(command.language, 'speak', context, world, words)
  if (typeof found === 'string') return { text: found }
  const { textChannelId } = running.status()
  const everybody = repliesFor(context.guildLocale)
  try {
    const call = running.dial(to, found.id)
    const later = call.outcome.then(outcome => {
      if (outcome.kind === 'answered')
        void context.say(textChannelId, everybody.dial.joined).catch((error: unknown) => {
          log.warn({ guildId: context.guildId, reason: String(error) }, 'announcement not sent')
        })
      return outcomeText(outcome, words)
    })
    const language = languageName(found.id, context.guildLocale)
    return {
      text: words.dial.calling,
      later,
      announcement: {
        channelId: textChannelId,
        text: everybody.dial.announced(context.asker.name, language),
      },
    }
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error
    return { text: error.code === 'CAPACITY' ? words.dial.capacity : words.dial.refused }
  }
}

function outcomeText(outcome: DialOutcome, { dial: say }: AnswerWords): string {
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

function failedText(code: ErrorCode, say: AnswerWords['dial']): string {
  if (code === 'CAPACITY') return say.capacity
  return code === 'DIAL_REFUSED' || code === 'DIAL_QUOTA_EXCEEDED' ? say.refused : say.callFailed
}

/** Creates a code for joining the conversation. Only the user who asked sees it, and decides who gets it. */
export async function invite(
  context: CommandContext,
  { interpreters, starters, settings }: CommandServices,
  words: AnswerWords,
): Promise<Answer> {
  const running = interpreters.of(context.guildId)
  if (!running) return { text: words.notRunning }
  if (!mayChange(context, running, starters.get(running))) return { text: words.notYours }
  try {
    const { code, minutes } = await running.invite()
    const { phoneNumbers } = settings
    return {
      text: [
        ...(phoneNumbers.length === 0 ? [] : [words.invite.byPhone(phoneNumbers.join(' / '), code)]),
        words.invite.byDiscord(code),
        words.invite.goodFor(minutes),
      ].join('\n'),
    }
  } catch (error) {
    if (error instanceof BridgeError && (error.code === 'CAPACITY' || error.retryable))
      return { text: words.invite.noCodes }
    throw error
  }
}

/**
 * Creates a private link for hearing the channel in one's own language in a browser, without being heard. Only the user
 * who asked sees it; they must be allowed to connect to the channel.
 */
export async function listen(
  context: CommandContext,
  { interpreters, listenLinks, log }: CommandServices,
  words: AnswerWords,
): Promise<Answer> {
  if (!listenLinks) return { text: words.listen.off }
  const running = interpreters.of(context.guildId)
  if (!running) return { text: words.notRunning }
  if (!mayReach(context, running.channelId))
    return { text: words.notAllowedThere(mention(running.channelId)) }
  try {
    const { url, minutes } = await listenLinks(running.status().room)
    return { text: words.listen.link(url, minutes) }
  } catch (error) {
    log.warn({ guildId: context.guildId, reason: String(error) }, 'link for listening not created')
    return { text: words.failed }
  }
}
