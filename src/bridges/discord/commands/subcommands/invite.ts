import { BridgeError } from '../../../../common/errors.ts'
import type { ReplyTexts } from '../../../../messages/en/discord.ts'
import { type CommandContext, type CommandServices, changeable } from '../command-context.ts'
import type { Answer } from '../reply.ts'
import { type Subcommand, subcommand } from '../subcommand.ts'

/** `/interpret invite`. */
export const invite: Subcommand = {
  definition: subcommand('invite', words => words.invite),
  parse: () => ({ run: issueCode }),
}

/** Creates a code for joining the conversation. Only the user who asked sees it, and decides who gets it. */
async function issueCode(
  context: CommandContext,
  services: CommandServices,
  words: ReplyTexts,
): Promise<Answer> {
  const running = changeable(context, services, words)
  if (typeof running === 'string') return { text: running }
  try {
    const { code, minutes } = await running.invite()
    const { phoneNumbers } = services.settings
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
