import { stsParameters } from './connection-parameters.ts'
import type { OpenSession } from './namespaces.ts'
import { Session } from './session.ts'
import { SpokenResults } from './spoken-results.ts'

/** `/sts`: transcribes what is said, translates it and speaks the translation. */
export const openSts: OpenSession = (socket, channel, log, { engines, settings, clock }) => {
  const parameters = stsParameters(socket.handshake.query, engines)
  const { languageIdSource, languageIdTarget } = parameters
  const translator = engines.translator(languageIdSource, languageIdTarget)!
  translator.prepare(languageIdSource, languageIdTarget)
  return new Session({
    channel,
    parameters,
    recognizer: engines.recognizer(languageIdSource)!,
    results: fault =>
      new SpokenResults({
        channel,
        parameters,
        translator,
        voice: engines.voice(languageIdTarget)!,
        fault,
      }),
    settings,
    holder: socket.data.holder,
    clock,
    log,
  })
}
