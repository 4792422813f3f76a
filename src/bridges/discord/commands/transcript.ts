import type { AnswerWords } from '../../../messages/discord/types.ts'
import type { Command } from './command.ts'
import {
  type CommandContext,
  type CommandServices,
  mayReach,
  type TranscriptFormat,
} from './command-context.ts'
import type { Answer } from './reply.ts'
import { mention } from './start.ts'

/** Maximum size of a file: Discord accepts 10 MiB from bots (bytes). */
const MOST_BYTES = 8 * 1024 * 1024
const EXTENSIONS: Readonly<Record<TranscriptFormat, string>> = { text: 'txt', srt: 'srt', vtt: 'vtt' }

/**
 * Sends the conversation since the start as a private file in the user's language, without members who opted out. The
 * user must be allowed to connect to the channel.
 */
export function transcript(
  { format }: Extract<Command, { kind: 'transcript' }>,
  context: CommandContext,
  { interpreters, transcripts }: CommandServices,
  words: AnswerWords,
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
