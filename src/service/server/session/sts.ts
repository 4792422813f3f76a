import { wishedVoice } from '../voice-wish.ts'
import { stsParameters } from './connection-parameters.ts'
import type { OpenSession } from './namespaces.ts'
import { chosenOutput } from './output-choice.ts'
import { Session } from './session.ts'
import { SpeechIntake } from './speech-intake.ts'
import { SpokenResults } from './spoken-results.ts'

/** `/sts`: transcribes speech, translates it and speaks the translation. */
export const openSts: OpenSession = (socket, channel, log, parts) => {
  const { engines, workload, settings, clock } = parts
  const parameters = stsParameters(socket.handshake.query, engines)
  const { languageIdSource, languageIdTarget, receiveAudio } = parameters
  const voice = wishedVoice(parameters, engines)
  const recognizer = engines.recognizer(languageIdSource, parameters.grammar)!
  const translator = engines.translator(languageIdSource, languageIdTarget)!
  translator.prepare(languageIdSource, languageIdTarget)
  const { holder } = socket.data
  return new Session({
    channel,
    parameters,
    intake: outlet => {
      const output = chosenOutput({ outlet, voice, receiveAudio }, socket, parts)
      const results = new SpokenResults({ outlet, parameters, translator, output, clock })
      const limits = settings
      return new SpeechIntake({ outlet, parameters, recognizer, results, limits, workload, holder, clock })
    },
    idleTimeoutMs: settings.idleTimeoutMs,
    settings,
    clock,
    log,
  })
}
