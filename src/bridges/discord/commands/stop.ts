import type { AnswerWords } from '../../../messages/discord/answer-words.ts'
import { answersFor } from '../../../messages/discord/words.ts'
import type { Answer } from './answer.ts'
import type { CommandWorld } from './command-services.ts'
import { mayChange } from './rights.ts'
import type { Scene } from './scene.ts'
import { mention } from './start-faults.ts'

/** Stops interpreting in this guild. */
export async function stop(
  scene: Scene,
  { interpreters, starters }: CommandWorld,
  words: AnswerWords,
): Promise<Answer> {
  const running = interpreters.of(scene.guildId)
  if (!running) return { text: words.notRunning }
  if (!mayChange(scene, running, starters.get(running))) return { text: words.notYours }
  const { textChannelId } = running.status()
  await running.stop(scene.asker.id)
  const channel = mention(running.channelId)
  return {
    text: words.stopped(channel),
    announcement: {
      channelId: textChannelId,
      text: `${scene.asker.name}: ${answersFor(scene.guildLocale).stopped(channel)}`,
    },
  }
}
