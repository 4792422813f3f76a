import { catalogFor } from '../../../../messages/catalogs.ts'
import type { ReplyTexts } from '../../../../messages/en/discord.ts'
import type { CaptionSettings, CaptionStyle } from '../../contract.ts'
import { type CommandContext, type CommandServices, changeable } from '../command-context.ts'
import { missingFrom, neededFor } from '../permissions.ts'
import type { Answer } from '../reply.ts'
import { faultText } from '../start-faults.ts'
import { choiceOption, flagOption, type Subcommand, subcommand } from '../subcommand.ts'

/** In display order. */
const STYLES: readonly CaptionStyle[] = ['embed', 'webhook', 'plain', 'off']

/** `/interpret captions`. Absent options stay unchanged. */
export const captions: Subcommand = {
  definition: subcommand('captions', words => words.captions, [
    choiceOption(
      'style',
      words => words.options.style,
      STYLES,
      (words, style) => words.styles[style],
    ),
    flagOption('thread', words => words.options.thread),
  ]),
  parse(options) {
    const text = options.text('style')
    const style = STYLES.find(each => each === text)
    if (text !== style) return undefined
    const thread = options.flag('thread')
    return { run: (context, services, words) => setCaptions({ style, thread }, context, services, words) }
  },
}

/** Changes the style and destination of captions. */
async function setCaptions(
  requested: Partial<CaptionSettings>,
  context: CommandContext,
  services: CommandServices,
  words: ReplyTexts,
): Promise<Answer> {
  const running = changeable(context, services, words)
  if (typeof running === 'string') return { text: running }
  const { captions, textChannelId } = running.status()
  const place = context.place(textChannelId)
  const { style = captions.style, thread: threadRequested = captions.thread } = requested
  const thread = threadRequested && (place?.kind === 'text' || place?.kind === 'thread')
  const settings: CaptionSettings = { style, thread }
  const needed = neededFor([
    ...(style === 'off' ? [] : ['write' as const]),
    ...(style === 'embed' || style === 'webhook' ? [style] : []),
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
    services.log.warn({ guildId: context.guildId, reason: String(error) }, 'captions not changed')
    return { text: words.captionsFailed }
  }
  const notes = threadRequested && !thread ? [words.noThreadHere] : []
  return {
    text: [captionsText(settings, words, context.asker.locale), ...notes].join('\n'),
    announcement: {
      channelId: textChannelId,
      text: `${context.asker.name}: ${captionsText(settings, catalogFor(context.guildLocale).discord.replies, context.guildLocale)}`,
    },
  }
}

function captionsText({ style, thread }: CaptionSettings, words: ReplyTexts, locale: string): string {
  if (style === 'off') return words.captionsOff
  const look = words.captionsAre(catalogFor(locale).discord.commands.styles[style])
  return thread ? `${look} ${words.inThread}` : look
}
