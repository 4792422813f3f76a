import { commandMessagesFor, repliesFor } from '../../../messages/discord/discord.ts'
import type { AnswerWords } from '../../../messages/discord/types.ts'
import type { ChannelSpeaker, ChannelStatus } from '../channel-interpreter.ts'
import { type CommandContext, type CommandServices, mayChange } from './command-context.ts'
import { languageName, listed } from './language-choices.ts'
import type { Answer } from './reply.ts'
import { mention } from './start.ts'

/** Maximum number of people shown. */
const MOST_SPEAKERS = 25

/** Describes the running interpreter and its speakers. */
export function status(
  context: CommandContext,
  { interpreters, wallClock }: CommandServices,
  words: AnswerWords,
): Answer {
  const running = interpreters.of(context.guildId)
  return { text: running ? statusText(running.status(), context, words, wallClock()) : words.notRunning }
}

/** `now`: ms since 1970. */
function statusText(status: ChannelStatus, context: CommandContext, words: AnswerWords, now: number): string {
  const { locale } = context.asker
  const { status: say } = words
  const names = (languages: readonly string[]) =>
    languages.length === 0
      ? say.nothing
      : listed(
          languages.map(each => languageName(each, locale)),
          locale,
        )
  const { output, captions, encrypted, speakers, unavailable } = status
  const shown = speakers.slice(0, MOST_SPEAKERS)
  const styles = commandMessagesFor(locale).styles
  return [
    say[status.state](mention(status.channelId)),
    // Discord formats the time for each reader (Discord: Message Formatting, Timestamps).
    say.since(`<t:${Math.floor((now - status.sinceMs) / 1000)}:R>`),
    ...(unavailable ? [say.unavailable] : []),
    ...(encrypted === undefined ? [] : [encrypted ? say.encrypted : say.notEncrypted]),
    say.output(output === 'auto' ? say.auto : names(output)),
    say.spoken(names(status.spoken)),
    say.written(names(status.written)),
    captions.style === 'off'
      ? styles.off
      : say.captions(styles[captions.style], mention(status.textChannelId)),
    ...(shown.length === 0 ? [say.nobody] : [say.speakers]),
    ...shown.map(speaker => speakerLine(speaker, context, words)),
    ...(shown.length < speakers.length ? [say.more(speakers.length - shown.length)] : []),
  ].join('\n')
}

function speakerLine(
  { userId, consents, excludedBy, language, languageFrom }: ChannelSpeaker,
  context: CommandContext,
  { status: say }: AnswerWords,
): string {
  const name = context.nameOf(userId)
  if (!consents) {
    const why = { 'opted-out': say.optedOut, 'not-opted-in': say.notOptedIn, 'no-role': say.noRole }
    return `- ${name}: ${why[excludedBy ?? 'opted-out']}`
  }
  return `- ${name}: ${languageName(language, context.asker.locale)} (${say.from[languageFrom]})`
}

/** Stops interpreting in this guild. */
export async function stop(
  context: CommandContext,
  { interpreters, starters }: CommandServices,
  words: AnswerWords,
): Promise<Answer> {
  const running = interpreters.of(context.guildId)
  if (!running) return { text: words.notRunning }
  if (!mayChange(context, running, starters.get(running))) return { text: words.notYours }
  const { textChannelId } = running.status()
  await running.stop(context.asker.id)
  const channel = mention(running.channelId)
  return {
    text: words.stopped(channel),
    announcement: {
      channelId: textChannelId,
      text: `${context.asker.name}: ${repliesFor(context.guildLocale).stopped(channel)}`,
    },
  }
}

/** Pauses interpreting in this guild, or continues it. The notice in the channel's chat tells everyone. */
export function setPaused(
  kind: 'pause' | 'resume',
  context: CommandContext,
  { interpreters, starters }: CommandServices,
  words: AnswerWords,
): Answer {
  const running = interpreters.of(context.guildId)
  if (!running) return { text: words.notRunning }
  const { pause: say } = words
  // Anyone there may stop the listening, and only they may start it again.
  if (!mayChange(context, running, starters.get(running))) return { text: words.notYours }
  if (kind === 'pause') return { text: running.pause(context.asker.name) ? say.paused : say.already }
  return { text: running.resume() ? say.resumed : say.notPaused }
}
