import type { Socket } from 'socket.io'
import type { Clock } from '../../../common/clock.ts'
import type { Logger } from '../../../common/log.ts'
import type { TrustedProxies } from '../../../net/client-address.ts'
import type { Admission, LoadMonitor } from '../capacity.ts'
import type { EngineSet } from '../engines/engine-set.ts'
import type { ErrorCounts } from '../errors.ts'
import type { ApiKeys } from '../keys/api-keys.ts'
import type { KeyUsage } from '../keys/key-holder.ts'
import { type ServiceSettings, serviceUrl } from '../settings.ts'
import { chooseVoice } from '../voice-catalog.ts'
import type { AudioStreams } from './audio-stream.ts'
import type { ConnectGuard } from './connect-guard.ts'
import { stsParameters, sttParameters, translatorParameters, ttsParameters } from './parameters.ts'
import { SpokenResults, SpokenTexts, TranscriptResults, TranslatedTexts } from './results.ts'
import { Session } from './session.ts'
import type { SocketChannel } from './socket-channel.ts'
import { SpeechIntake } from './speech-intake.ts'
import { TextIntake } from './text-intake.ts'
import { ChunkOutput, type SpokenOutput, type SpokenOutputOptions, StreamOutput } from './voice-output.ts'

/** What all sessions of a server share. */
export interface NamespaceOptions {
  readonly keys: ApiKeys
  readonly proxies: TrustedProxies
  readonly engines: EngineSet
  readonly admission: Admission
  readonly workload: LoadMonitor
  readonly streams: AudioStreams
  readonly guard: ConnectGuard
  readonly settings: ServiceSettings
  readonly clock: Clock
  readonly log: Logger
  /** Counts the errors sent to clients. */
  readonly errors: ErrorCounts
}

/** Creates the session of a socket from its query; throws a `ServiceError` for invalid parameters. */
export type OpenSession = (
  socket: Socket,
  channel: SocketChannel,
  log: Logger,
  options: NamespaceOptions,
) => Session

const HOST = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?$/i

/**
 * Returns the address of the service as seen by the client of `socket`: the configured one, else the one it connected
 * to.
 */
function addressFor(socket: Socket, { publicUrl, host }: ServiceSettings): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '')
  const { headers, secure } = socket.handshake
  if (headers.host !== undefined && HOST.test(headers.host))
    return `${secure ? 'https' : 'http'}://${headers.host}`
  return serviceUrl(host, socket.request.socket.localPort ?? 0)
}

/** Returns the output selected by `receiveAudio.obtainVia`. */
function chosenOutput(
  chosen: Omit<SpokenOutputOptions, 'clock'>,
  socket: Socket,
  { streams, settings, clock }: NamespaceOptions,
): SpokenOutput {
  const options = { ...chosen, clock }
  if (options.receiveAudio.obtainVia === 'chunk') return new ChunkOutput(options)
  const { maxUnreadBytes } = settings
  return new StreamOutput({ ...options, streams, base: addressFor(socket, settings), maxUnreadBytes })
}

/** `/sts`: transcribes speech, translates it and speaks the translation. */
export const openSts: OpenSession = (socket, channel, log, options) => {
  const { engines, workload, settings, clock } = options
  const parameters = stsParameters(socket.handshake.query, engines)
  const { languageIdSource, languageIdTarget, receiveAudio } = parameters
  const voice = chooseVoice(parameters, engines)
  const recognizer = engines.recognizer(languageIdSource, parameters.grammar)!
  const translator = engines.translator(languageIdSource, languageIdTarget)!
  translator.prepare(languageIdSource, languageIdTarget)
  const { holder } = socket.data
  return new Session({
    channel,
    parameters,
    intake: outlet => {
      const output = chosenOutput({ outlet, voice, receiveAudio }, socket, options)
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

/** `/translator`: translates text. */
export const openTranslator: OpenSession = (socket, channel, log, { engines, settings, clock }) => {
  const parameters = translatorParameters(socket.handshake.query, engines)
  const holder = socket.data.holder as KeyUsage
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

/** `/tts`: speaks text. */
export const openTts: OpenSession = (socket, channel, log, options) => {
  const { engines, settings, clock } = options
  const parameters = ttsParameters(socket.handshake.query, engines)
  const { receiveAudio } = parameters
  const holder = socket.data.holder as KeyUsage
  const voice = chooseVoice(parameters, engines)
  return new Session({
    channel,
    parameters,
    intake: outlet => {
      const output = chosenOutput({ outlet, voice, receiveAudio }, socket, options)
      return new TextIntake(outlet, new SpokenTexts(outlet, parameters, output), settings, holder)
    },
    idleTimeoutMs: settings.textIdleTimeoutMs,
    settings,
    clock,
    log,
  })
}
