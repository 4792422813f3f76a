import type { ReplyTexts } from '../../../../messages/en/discord.ts'
import { type CommandContext, type CommandServices, mayReach } from '../command-context.ts'
import { type Answer, mention } from '../reply.ts'
import { type Subcommand, subcommand } from '../subcommand.ts'

/** `/interpret listen`. */
export const listen: Subcommand = {
  definition: subcommand('listen', words => words.listen),
  parse: () => ({ run: createLink }),
}

/**
 * Creates a private link for hearing the channel in one's own language in a browser, without being heard. Only the user
 * who asked sees it; they must be allowed to connect to the channel.
 */
async function createLink(
  context: CommandContext,
  { interpreters, listenLinks, log }: CommandServices,
  words: ReplyTexts,
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
