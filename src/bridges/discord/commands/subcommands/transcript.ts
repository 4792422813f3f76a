import type { ReplyTexts } from '../../../../messages/en/discord.ts'
import {
  type ChannelTranscriptFormat,
  type CommandContext,
  type CommandServices,
  mayReach,
} from '../command-context.ts'
import { type Answer, mention } from '../reply.ts'
import { choiceOption, type Subcommand, subcommand } from '../subcommand.ts'

/** Maximum size of a file: Discord accepts 10 MiB from bots (bytes). */
const MOST_BYTES = 8 * 1024 * 1024
const EXTENSIONS: Readonly<Record<ChannelTranscriptFormat, string>> = { text: 'txt', srt: 'srt', vtt: 'vtt' }
const FORMATS: readonly ChannelTranscriptFormat[] = ['text', 'srt', 'vtt']

/** `/interpret transcript`. */
export const transcript: Subcommand = {
  definition: subcommand('transcript', words => words.transcript, [
    choiceOption(
      'format',
      words => words.options.format,
      FORMATS,
      (words, format) => words.formats[format],
    ),
  ]),
  parse(options) {
    const text = options.text('format') ?? 'text'
    const format = FORMATS.find(each => each === text)
    if (format === undefined) return undefined
    return { run: (context, services, words) => sendTranscript(format, context, services, words) }
  },
}

/**
 * Sends the conversation since the start as a private file in the user's language, without members who opted out. The
 * user must be allowed to connect to the channel.
 */
function sendTranscript(
  format: ChannelTranscriptFormat,
  context: CommandContext,
  { interpreters, transcripts }: CommandServices,
  words: ReplyTexts,
): Answer {
  const { transcript: say } = words
  if (!transcripts) return { text: say.off }
  const running = interpreters.of(context.guildId)
  if (!running) return { text: words.notRunning }
  const { channelId, startedAt } = running
  if (!mayReach(context, channelId)) return { text: words.notAllowedThere(mention(channelId)) }
  const { room } = running.status()
  const language = running.languageOf(context.asker.id)
  const includes = (participant: string) => running.mayShow(participant)
  const { text, count, shortened } = transcripts({
    ...{ room, sinceMs: startedAt, language, format, includes, maxBytes: MOST_BYTES },
  })
  if (count === 0) return { text: say.empty }
  return {
    text: [say.file(count), ...(shortened ? [say.shortened] : [])].join(' '),
    file: { name: `transcript-${language}.${EXTENSIONS[format]}`, text },
  }
}
