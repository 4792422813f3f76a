import type { KeyHolder } from '../keys/key-holder.ts'
import { wishedVoice } from '../voice-wish.ts'
import { ttsParameters } from './connection-parameters.ts'
import type { OpenSession } from './namespaces.ts'
import { chosenOutput } from './output-choice.ts'
import { Session } from './session.ts'
import { SpokenTexts } from './spoken-texts.ts'
import { TextIntake } from './text-intake.ts'

/** `/tts`: speaks text. */
export const openTts: OpenSession = (socket, channel, log, parts) => {
  const { engines, settings, clock } = parts
  const parameters = ttsParameters(socket.handshake.query, engines)
  const { receiveAudio } = parameters
  const holder = socket.data.holder as KeyHolder
  const voice = wishedVoice(parameters, engines)
  return new Session({
    channel,
    parameters,
    intake: outlet => {
      const output = chosenOutput({ outlet, voice, receiveAudio }, socket, parts)
      return new TextIntake(outlet, new SpokenTexts(outlet, parameters, output), settings, holder)
    },
    idleTimeoutMs: settings.textIdleTimeoutMs,
    settings,
    clock,
    log,
  })
}
