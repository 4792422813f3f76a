import type { KeyHolder } from '../keys/key-holder.ts'
import { translatorParameters } from './connection-parameters.ts'
import type { OpenSession } from './namespaces.ts'
import { Session } from './session.ts'
import { TextIntake } from './text-intake.ts'
import { TranslatedTexts } from './translated-texts.ts'

/** `/translator`: translates text. */
export const openTranslator: OpenSession = (socket, channel, log, { engines, settings, clock }) => {
  const parameters = translatorParameters(socket.handshake.query, engines)
  const holder = socket.data.holder as KeyHolder
  const { languageIdSource, languageIdTarget } = parameters
  const translator = engines.translator(languageIdSource, languageIdTarget)!
  translator.prepare(languageIdSource, languageIdTarget)
  return new Session({
    channel,
    parameters,
    intake: outlet =>
      new TextIntake(outlet, new TranslatedTexts(outlet, parameters, translator), settings, holder),
    idleTimeoutMs: settings.textIdleTimeoutMs,
    settings,
    clock,
    log,
  })
}
