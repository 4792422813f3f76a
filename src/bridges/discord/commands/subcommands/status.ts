import { catalogFor } from '../../../../messages/catalogs.ts'
import type { ReplyTexts } from '../../../../messages/en/discord.ts'
import type { ChannelSpeaker, ChannelStatus } from '../../contract.ts'
import type { CommandContext, CommandServices } from '../command-context.ts'
import { joinedList, languageName } from '../language-choices.ts'
import { type Answer, mention } from '../reply.ts'
import { type Subcommand, subcommand } from '../subcommand.ts'

/** `/interpret status`. */
export const status: Subcommand = {
  definition: subcommand('status', words => words.status),
  parse: () => ({ run: describe }),
}

/** Maximum number of people shown. */
const MOST_SPEAKERS = 25

/** Describes the running interpreter and its speakers. */
function describe(
  context: CommandContext,
  { interpreters, wallClock }: CommandServices,
  words: ReplyTexts,
): Answer {
  const running = interpreters.of(context.guildId)
  return { text: running ? statusText(running.status(), context, words, wallClock()) : words.notRunning }
}

/** `now`: ms since 1970. */
function statusText(status: ChannelStatus, context: CommandContext, words: ReplyTexts, now: number): string {
  const { locale } = context.asker
  const { status: say } = words
  const names = (languages: readonly string[]) =>
    languages.length === 0
      ? say.nothing
      : joinedList(
          languages.map(each => languageName(each, locale)),
          locale,
        )
  const { output, captions, encrypted, speakers, unavailable } = status
  const shown = speakers.slice(0, MOST_SPEAKERS)
  const styles = catalogFor(locale).discord.commands.styles
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
  { status: say }: ReplyTexts,
): string {
  const name = context.nameOf(userId)
  if (!consents) {
    const why = { 'opted-out': say.optedOut, 'not-opted-in': say.notOptedIn, 'no-role': say.noRole }
    return `- ${name}: ${why[excludedBy ?? 'opted-out']}`
  }
  return `- ${name}: ${languageName(language, context.asker.locale)} (${say.from[languageFrom]})`
}
