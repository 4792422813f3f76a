import type { AnswerWords } from '../../../messages/discord/answer-words.ts'
import type { ChannelInterpreter, StartFailure } from '../channel-interpreter.ts'
import type { Answer } from './answer.ts'
import { captionsPlan } from './captions-plan.ts'
import type { Command } from './command.ts'
import type { CommandWorld } from './command-services.ts'
import type { Scene } from './scene.ts'
import { faultText, mention, startFaults } from './start-faults.ts'

/** Starts interpreting a channel after checking its requirements. */
export async function start(
  command: Extract<Command, { kind: 'start' }>,
  scene: Scene,
  { interpreters, settings, guesses, starters }: CommandWorld,
  words: AnswerWords,
): Promise<Answer> {
  const { asker, guildId } = scene
  const channelId = command.channelId ?? asker.voiceChannelId
  const running = interpreters.of(guildId)
  if (running) return { text: runningText(running.channelId, channelId, words) }

  const voice = channelId === undefined ? undefined : scene.place(channelId)
  const typed = scene.place(scene.channelId)
  const { text, captions, noThread, lacks } = captionsPlan(settings.captions, typed, voice)
  const faults = startFaults(scene, { voice, text, captionsOnly: command.captionsOnly })
  if (!voice || !text || faults.length > 0) return { text: faultText(faults, words, scene.botRole) }
  if (command.roomCode !== undefined && !guesses.mayTry(asker.id)) return { text: words.tooManyCodes }

  const started = await interpreters.start({
    guildId,
    channelId: voice.id,
    textChannelId: text.id,
    startedBy: asker.id,
    output: settings.output,
    captions,
    voice: !command.captionsOnly,
    ...(command.roomCode === undefined ? {} : { roomCode: command.roomCode }),
  })
  if (!isInterpreter(started)) {
    if (started.kind === 'wrong-code') guesses.wrong(asker.id)
    return { text: failureText(started, voice.id, words) }
  }
  starters.set(started, asker.id)
  const places = [mention(voice.id), mention(started.status().textChannelId)] as const
  const lines = [command.captionsOnly ? words.startedCaptionsOnly(...places) : words.started(...places)]
  if (noThread) lines.push(words.noThreadHere)
  if (lacks.length > 0) lines.push(`${faultText(lacks, words, scene.botRole)} ${words.withoutThem}`)
  return { text: lines.join('\n') }
}

function runningText(running: string, wanted: string | undefined, words: AnswerWords): string {
  return running === wanted ? words.runningHere : words.runningElsewhere(mention(running))
}

function isInterpreter(started: ChannelInterpreter | StartFailure): started is ChannelInterpreter {
  return 'status' in started
}

/** Explains to the asking user why the start failed. */
export function failureText(failure: StartFailure, channelId: string, words: AnswerWords): string {
  const { ends } = words
  switch (failure.kind) {
    case 'already':
      return runningText(failure.channelId, channelId, words)
    case 'wrong-code':
      return words.wrongCode
    case 'full':
      return words.noCapacity
    case 'kicked':
      return ends.kicked
    case 'unreachable':
      return ends.unreachable(failure.attempts)
    case 'parent-closed':
      return ends.closing
    case 'stopped':
    case 'empty':
      return ends.other
    case 'refused':
      switch (failure.code) {
        case 'permissions':
          return ends.permissions
        case 'channel-gone':
        case 'guild-gone':
          return ends.channelGone
        case 'encryption':
          return ends.encryption
        default:
          return ends.refused(failure.code)
      }
  }
}
