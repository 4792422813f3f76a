import { sttParameters } from './connection-parameters.ts'
import type { OpenSession } from './namespaces.ts'
import { Session } from './session.ts'
import { TranscriptResults } from './transcript-results.ts'

/** `/stt`: transcribes what is said. */
export const openStt: OpenSession = (socket, channel, log, { engines, settings, clock }) => {
  const parameters = sttParameters(socket.handshake.query, engines)
  return new Session({
    channel,
    parameters,
    recognizer: engines.recognizer(parameters.languageIdSource)!,
    results: () => new TranscriptResults(channel, parameters),
    settings,
    holder: socket.data.holder,
    clock,
    log,
  })
}
