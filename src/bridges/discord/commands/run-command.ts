import { answersFor } from '../../../messages/discord/words.ts'
import type { Answer } from './answer.ts'
import type { Command } from './command.ts'
import type { CommandWorld } from './command-services.ts'
import { dial } from './dial.ts'
import { invite } from './invite.ts'
import { privacy } from './privacy.ts'
import type { Scene } from './scene.ts'
import { setCaptions } from './set-captions.ts'
import { setLanguage } from './set-language.ts'
import { setOutput } from './set-output.ts'
import { start } from './start.ts'
import { status } from './status.ts'
import { stop } from './stop.ts'

/** Executes a command. Rejects only because of errors on our side. */
export async function runCommand(command: Command, scene: Scene, world: CommandWorld): Promise<Answer> {
  const words = answersFor(scene.asker.locale)
  switch (command.kind) {
    case 'start':
      return start(command, scene, world, words)
    case 'stop':
      return stop(scene, world, words)
    case 'language':
      return setLanguage(command, scene, world, words)
    case 'output':
      return setOutput(command, scene, world, words)
    case 'captions':
      return setCaptions(command, scene, world, words)
    case 'status':
      return status(scene, world, words)
    case 'privacy':
      return privacy(command.wish, scene, world, words)
    case 'dial':
      return dial(command, scene, world, words)
    case 'invite':
      return invite(scene, world, words)
    case 'unknown':
      return { text: words.unknownCommand }
    default:
      return command satisfies never
  }
}
