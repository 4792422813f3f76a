import type { ReplyTexts } from '../../../../messages/en/discord.ts'
import type { ChannelInterpreter } from '../../contract.ts'
import { type CommandContext, type CommandServices, changeable } from '../command-context.ts'
import type { Answer } from '../reply.ts'
import { type Invocation, type Subcommand, subcommand } from '../subcommand.ts'

/** `/interpret pause`. The notice in the channel's chat tells everyone. */
export const pause: Subcommand = {
  definition: subcommand('pause', words => words.pause),
  parse: () => ({
    unlimited: true,
    run: onRunning((running, { asker }, { pause: say }) =>
      running.pause(asker.name) ? say.paused : say.already,
    ),
  }),
}

/** `/interpret resume`. */
export const resume: Subcommand = {
  definition: subcommand('resume', words => words.resume),
  parse: () => ({
    run: onRunning((running, _context, { pause: say }) => (running.resume() ? say.resumed : say.notPaused)),
  }),
}

/** Anyone there may stop the listening, and only they may start it again. */
function onRunning(
  act: (running: ChannelInterpreter, context: CommandContext, words: ReplyTexts) => string,
): Invocation['run'] {
  return (context: CommandContext, services: CommandServices, words: ReplyTexts): Answer => {
    const running = changeable(context, services, words)
    return { text: typeof running === 'string' ? running : act(running, context, words) }
  }
}
