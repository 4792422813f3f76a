import { commandMessagesFor, repliesFor } from '../../../messages/discord/discord.ts'
import type { AnswerWords } from '../../../messages/discord/types.ts'
import { escaped } from '../captions/caption-format.ts'
import type { CaptionSettings, OutputLanguages } from '../channel-interpreter.ts'
import type { Command } from './command.ts'
import { type CommandContext, type CommandServices, mayChange, moderates } from './command-context.ts'
import {
  languageChoices,
  languageMeant,
  languageName,
  listed,
  type OfferedLanguage,
} from './language-choices.ts'
import { missingFrom, neededFor } from './permissions.ts'
import type { Answer } from './reply.ts'
import { faultText } from './start.ts'

/** Changes the style and destination of captions. */
export async function setCaptions(
  command: Extract<Command, { kind: 'captions' }>,
  context: CommandContext,
  { interpreters, starters, log }: CommandServices,
  words: AnswerWords,
): Promise<Answer> {
  const running = interpreters.of(context.guildId)
  if (!running) return { text: words.notRunning }
  if (!mayChange(context, running, starters.get(running))) return { text: words.notYours }
  const { captions, textChannelId } = running.status()
  const place = context.place(textChannelId)
  const wanted = { ...captions, ...defined(command) }
  const thread = wanted.thread && (place?.kind === 'text' || place?.kind === 'thread')
  const settings: CaptionSettings = { style: wanted.style, thread }
  const needed = neededFor([
    ...(settings.style === 'off' ? [] : ['write' as const]),
    ...(settings.style === 'embed' || settings.style === 'webhook' ? [settings.style] : []),
    ...(thread ? ['thread' as const] : []),
  ])
  const permissions = place ? missingFrom(place.granted, needed) : []
  if (permissions.length > 0)
    return {
      text: faultText([{ kind: 'missing', channelId: textChannelId, permissions }], words, context.botRole),
    }
  try {
    await running.setCaptions(settings)
  } catch (error) {
    log.warn({ guildId: context.guildId, reason: String(error) }, 'captions not changed')
    return { text: words.captionsFailed }
  }
  const notes = wanted.thread && !thread ? [words.noThreadHere] : []
  return {
    text: [captionsText(settings, words, context.asker.locale), ...notes].join('\n'),
    announcement: {
      channelId: textChannelId,
      text: `${context.asker.name}: ${captionsText(settings, repliesFor(context.guildLocale), context.guildLocale)}`,
    },
  }
}

function captionsText({ style, thread }: CaptionSettings, words: AnswerWords, locale: string): string {
  if (style === 'off') return words.captionsOff
  const look = words.captionsAre(commandMessagesFor(locale).styles[style])
  return thread ? `${look} ${words.inThread}` : look
}

function defined({ style, thread }: Extract<Command, { kind: 'captions' }>): Partial<CaptionSettings> {
  return { ...(style === undefined ? {} : { style }), ...(thread === undefined ? {} : { thread }) }
}

/** Maximum wait for the service's languages (ms). */
const PATIENCE_MS = 6_000
const MOST_SUGGESTIONS = 5

/** Returns a language that the service offers, or a reply that explains the problem. */
export async function foundLanguage(
  text: string,
  purpose: 'speak' | 'hear',
  { asker: { locale } }: CommandContext,
  { languages }: CommandServices,
  words: AnswerWords,
): Promise<OfferedLanguage | string> {
  const offered = await languages.get(PATIENCE_MS)
  if (!offered) return words.languagesUnavailable
  const meant = languageMeant(text, offered, locale)
  if (meant && (purpose === 'speak' || meant.spoken)) return meant
  const found = { locale, purpose, words: commandMessagesFor(locale) }
  const near = [text, text.slice(0, 3), ''].map(each => languageChoices(each, offered, found))
  const names = (near.find(each => each.length > 0) ?? [])
    .slice(0, MOST_SUGGESTIONS)
    .map(({ value }) => `${languageName(value, locale)} (${value})`)
  const problem = meant ? words.noVoice(languageName(meant.id, locale)) : words.unknownLanguage(escaped(text))
  return names.length === 0 ? problem : `${problem} ${words.perhaps(names.join(', '))}`
}

/** Sets the language that a user speaks and reads, from their next utterance on. */
export async function setLanguage(
  command: Extract<Command, { kind: 'language' }>,
  context: CommandContext,
  world: CommandServices,
  words: AnswerWords,
): Promise<Answer> {
  const { asker, guildId } = context
  const running = world.interpreters.of(guildId)
  const other = command.userId !== undefined && command.userId !== asker.id ? command.userId : undefined
  if (other !== undefined && !moderates(asker)) return { text: words.moderatorsOnly }
  if (other !== undefined && !running) return { text: words.notRunning }
  const found = await foundLanguage(command.language, 'speak', context, world, words)
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
        text: `${asker.name}: ${repliesFor(context.guildLocale).languageOf(context.nameOf(other), theirs)}`,
      },
    }
  }
  world.preferences.setLanguage(asker.id, found.id, command.remember)
  running?.setLanguage(asker.id, found.id)
  notes.push(command.remember ? words.remembered : words.keptUntilRestart)
  if (world.preferences.optedOut(asker.id)) notes.push(words.stillOptedOut)
  return { text: [words.languageIs(name), ...notes].join('\n') }
}

/** Sets the languages spoken in the channel. */
export async function setOutput(
  command: Extract<Command, { kind: 'output' }>,
  context: CommandContext,
  world: CommandServices,
  words: AnswerWords,
): Promise<Answer> {
  const running = world.interpreters.of(context.guildId)
  if (!running) return { text: words.notRunning }
  if (!mayChange(context, running, world.starters.get(running))) return { text: words.notYours }
  let output: OutputLanguages = 'auto'
  if (command.first.toLowerCase() !== 'auto') {
    const first = await foundLanguage(command.first, 'hear', context, world, words)
    if (typeof first === 'string') return { text: first }
    output = [first.id]
    if (command.second !== undefined) {
      const second = await foundLanguage(command.second, 'hear', context, world, words)
      if (typeof second === 'string') return { text: second }
      if (second.id !== first.id) output = [first.id, second.id]
    }
  }
  running.setOutput(output)
  return {
    text: outputText(output, words, context.asker.locale),
    announcement: {
      channelId: running.status().textChannelId,
      text: `${context.asker.name}: ${outputText(output, repliesFor(context.guildLocale), context.guildLocale)}`,
    },
  }
}

function outputText(output: OutputLanguages, words: AnswerWords, locale: string): string {
  if (output === 'auto') return words.outputAuto
  const names = output.map(each => languageName(each, locale))
  return words.outputIs(listed(names, locale))
}
