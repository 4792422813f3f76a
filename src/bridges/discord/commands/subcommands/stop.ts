import { catalogFor } from '../../../../messages/catalogs.ts'
import type { ReplyTexts } from '../../../../messages/en/discord.ts'
import { type CommandContext, type CommandServices, changeable } from '../command-context.ts'
import { type Answer, mention } from '../reply.ts'
import { type Subcommand, subcommand } from '../subcommand.ts'

/** `/interpret stop`. */
export const stop: Subcommand = {
  definition: subcommand('stop', words => words.stop),
  parse: () => ({ slow: true, run: stopInterpreting }),
}

/** Stops interpreting in this guild. */
async function stopInterpreting(
  context: CommandContext,
  services: CommandServices,
  words: ReplyTexts,
): Promise<Answer> {
  const running = changeable(context, services, words)
  if (typeof running === 'string') return { text: running }
  const { textChannelId } = running.status()
  await running.stop(context.asker.id)
  const channel = mention(running.channelId)
  return {
    text: words.stopped(channel),
    announcement: {
      channelId: textChannelId,
      text: `${context.asker.name}: ${catalogFor(context.guildLocale).discord.replies.stopped(channel)}`,
    },
  }
}
