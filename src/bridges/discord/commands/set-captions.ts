import type { AnswerWords } from '../../../messages/discord/answer-words.ts'
import { answersFor, WORDS } from '../../../messages/discord/words.ts'
import { tongueOf } from '../../../messages/locale.ts'
import type { CaptionSettings } from '../channel-interpreter.ts'
import type { Answer } from './answer.ts'
import type { Command } from './command.ts'
import type { CommandWorld } from './command-services.ts'
import { missingFrom, neededFor } from './permissions.ts'
import { mayChange } from './rights.ts'
import type { Scene } from './scene.ts'
import { faultText } from './start-faults.ts'

/** Changes the style and destination of captions. */
export async function setCaptions(
  command: Extract<Command, { kind: 'captions' }>,
  scene: Scene,
  { interpreters, starters, log }: CommandWorld,
  words: AnswerWords,
): Promise<Answer> {
  const running = interpreters.of(scene.guildId)
  if (!running) return { text: words.notRunning }
  if (!mayChange(scene, running, starters.get(running))) return { text: words.notYours }
  const { captions, textChannelId } = running.status()
  const place = scene.place(textChannelId)
  const wanted = { ...captions, ...defined(command) }
  const thread = wanted.thread && (place?.kind === 'text' || place?.kind === 'thread')
  const settings: CaptionSettings = { style: wanted.style, thread }
  const needed = neededFor([
    ...(settings.style === 'off' ? [] : ['write' as const]),
    ...(settings.style === 'embed' ? ['embed' as const] : []),
    ...(thread ? ['thread' as const] : []),
  ])
  const permissions = place ? missingFrom(place.granted, needed) : []
  if (permissions.length > 0)
    return {
      text: faultText([{ kind: 'missing', channelId: textChannelId, permissions }], words, scene.botRole),
    }
  try {
    await running.setCaptions(settings)
  } catch (error) {
    log.warn({ guildId: scene.guildId, reason: String(error) }, 'captions not changed')
    return { text: words.captionsFailed }
  }
  const notes = wanted.thread && !thread ? [words.noThreadHere] : []
  return {
    text: [captionsText(settings, words, scene.asker.locale), ...notes].join('\n'),
    announcement: {
      channelId: textChannelId,
      text: `${scene.asker.name}: ${captionsText(settings, answersFor(scene.guildLocale), scene.guildLocale)}`,
    },
  }
}

function captionsText({ style, thread }: CaptionSettings, words: AnswerWords, locale: string): string {
  if (style === 'off') return words.captionsOff
  const look = words.captionsAre(WORDS[tongueOf(locale)].commands.styles[style])
  return thread ? `${look} ${words.inThread}` : look
}

function defined({ style, thread }: Extract<Command, { kind: 'captions' }>): Partial<CaptionSettings> {
  return { ...(style === undefined ? {} : { style }), ...(thread === undefined ? {} : { thread }) }
}
