import type { AnswerWords } from '../../../messages/discord/answer-words.ts'
import { answersFor } from '../../../messages/discord/words.ts'
import type { ChannelOutput } from '../channel-interpreter.ts'
import type { Answer } from './answer.ts'
import type { Command } from './command.ts'
import type { CommandWorld } from './command-services.ts'
import { languageName, listed } from './language-names.ts'
import { mayChange } from './rights.ts'
import type { Scene } from './scene.ts'
import { foundLanguage } from './set-language.ts'

/** Sets the languages spoken in the channel. */
export async function setOutput(
  command: Extract<Command, { kind: 'output' }>,
  scene: Scene,
  world: CommandWorld,
  words: AnswerWords,
): Promise<Answer> {
  const running = world.interpreters.of(scene.guildId)
  if (!running) return { text: words.notRunning }
  if (!mayChange(scene, running, world.starters.get(running))) return { text: words.notYours }
  let output: ChannelOutput = 'auto'
  if (command.first.toLowerCase() !== 'auto') {
    const first = await foundLanguage(command.first, 'hear', scene, world, words)
    if (typeof first === 'string') return { text: first }
    output = [first.id]
    if (command.second !== undefined) {
      const second = await foundLanguage(command.second, 'hear', scene, world, words)
      if (typeof second === 'string') return { text: second }
      if (second.id !== first.id) output = [first.id, second.id]
    }
  }
  running.setOutput(output)
  return {
    text: outputText(output, words, scene.asker.locale),
    announcement: {
      channelId: running.status().textChannelId,
      text: `${scene.asker.name}: ${outputText(output, answersFor(scene.guildLocale), scene.guildLocale)}`,
    },
  }
}

function outputText(output: ChannelOutput, words: AnswerWords, locale: string): string {
  if (output === 'auto') return words.outputAuto
  const names = output.map(each => languageName(each, locale))
  return words.outputIs(listed(names, locale))
}
