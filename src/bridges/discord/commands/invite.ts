import { BridgeError } from '../../../common/errors.ts'
import type { AnswerWords } from '../../../messages/discord/answer-words.ts'
import type { Answer } from './answer.ts'
import type { CommandWorld } from './command-services.ts'
import { mayChange } from './rights.ts'
import type { Scene } from './scene.ts'

/** Creates a code for joining the conversation. Only the user who asked sees it, and decides who gets it. */
export function invite(
  scene: Scene,
  { interpreters, starters, settings }: CommandWorld,
  words: AnswerWords,
): Answer {
  const running = interpreters.of(scene.guildId)
  if (!running) return { text: words.notRunning }
  if (!mayChange(scene, running, starters.get(running))) return { text: words.notYours }
  try {
    const { code, minutes } = running.invite()
    const { phoneNumbers } = settings
    return {
      text: [
        ...(phoneNumbers.length === 0 ? [] : [words.invite.byPhone(phoneNumbers.join(' / '), code)]),
        words.invite.byDiscord(code),
        words.invite.goodFor(minutes),
      ].join('\n'),
    }
  } catch (error) {
    if (error instanceof BridgeError && error.code === 'CAPACITY') return { text: words.invite.noCodes }
    throw error
  }
}
