import { sttParameters } from './connection-parameters.ts'
import type { OpenSession } from './namespaces.ts'
import { Session } from './session.ts'
import { SpeechIntake } from './speech-intake.ts'
import { TranscriptResults } from './transcript-results.ts'

/** `/stt`: transcribes speech. */
export const openStt: OpenSession = (socket, channel, log, { engines, workload, settings, clock }) => {
  const parameters = sttParameters(socket.handshake.query, engines)
  const recognizer = engines.recognizer(parameters.languageIdSource, parameters.grammar)!
  const { holder } = socket.data
  return new Session({
    channel,
    parameters,
    intake: outlet => {
      const results = new TranscriptResults(outlet, parameters)
      const limits = settings
      return new SpeechIntake({ outlet, parameters, recognizer, results, limits, workload, holder, clock })
    },
    idleTimeoutMs: settings.idleTimeoutMs,
    settings,
    clock,
    log,
  })
}
