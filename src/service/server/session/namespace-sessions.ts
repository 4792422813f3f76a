import type { IncomingMessage } from 'node:http'
import type { Socket as TcpSocket } from 'node:net'
import type { Socket } from 'socket.io'
import { type Clock, setTimer } from '../../../common/clock.ts'
import type { Logger } from '../../../common/log.ts'
import { TokenBucket } from '../../../common/rate-limit.ts'
import { addressPrefix, reachableUrl, type TrustedProxies } from '../../../net/client-address.ts'
import { FairPlaces } from '../../../net/fair-places.ts'
import type { StandInNames } from '../../contract.ts'
import type { EngineSet } from '../../engines/engine-set.ts'
import { Cascade } from '../../engines/interpret/cascade.ts'
import { modeOf } from '../../engines/interpret/settings.ts'
import type { LoadMonitor, SessionSlots } from '../capacity.ts'
import { type ErrorCounts, ServiceError } from '../errors.ts'
import type { ApiKeys } from '../keys/api-keys.ts'
import type { KeyUsage } from '../keys/key-holder.ts'
import type { BoundSettings } from '../limits.ts'
import type { ServiceSettings } from '../settings.ts'
import { chooseVoice } from '../voice-catalog.ts'
import type { AudioStreams } from './audio-stream.ts'
import { InterpretedSpeech } from './interpreted-speech.ts'
import { MESSAGES, MessageLimits } from './message-limit.ts'
import {
  connectionQuery,
  type StsParameters,
  stsParameters,
  sttParameters,
  translatorParameters,
  ttsParameters,
} from './parameters.ts'
import type { RefusalLog } from './refusal-log.ts'
import { SpokenTexts, TranslatedTexts, withStandIns } from './results.ts'
import { Session } from './session.ts'
import type { SocketChannel } from './socket-channel.ts'
import { RecognizedSpeech, SpeechIntake } from './speech-intake.ts'
import { TextIntake } from './text-intake.ts'
import { ChunkOutput, type SpokenOutput, type SpokenOutputOptions, StreamOutput } from './voice-output.ts'

/** CONNECT packets per connection that are rejected or not answered yet: burst and rate. */
const CONNECTS = { burst: 5, perSecond: 0.5 }
/** Packets of any kind before the first namespace is joined. */
const MAX_PACKETS = 32
/** Bytes before the first namespace is joined: room for a long key, and little to hold per connection. */
const MAX_BYTES = 256 * 1024
/** Body of one polling request before the first namespace is joined: bounds how many packets it can hold. */
const MAX_POLLING_BYTES = 64 * 1024
/** Time for joining the first namespace (ms). */
const JOIN_MS = 10_000

/**
 * Connections that wait for a namespace, in total. In a flood of 1 500 a second, each has 1.3 s to present its key; above it,
 * the oldest one of the busiest address is closed.
 */
const MOST_WAITING = 2_000

/** The first character of a Socket.IO packet: its type. */
const CONNECT = '0'

/** The part of an Engine.IO connection that is used here. */
export interface EngineConnection {
  readonly request: IncomingMessage
  /** `socket`: its WebSocket, if it has one. */
  readonly transport: {
    readonly name: string
    readonly socket?: { terminate(): void; pause?(): void } | undefined
  }
  on(event: 'packet', listener: (packet: { type: string; data?: unknown }) => void): unknown
  once(event: 'close', listener: () => void): unknown
  send(data: string): unknown
  close(discard?: boolean): unknown
}

interface Progress {
  /** Until the first namespace is joined. */
  pending: boolean
  packets: number
  /** Pays for CONNECT packets; joining a namespace returns the token. */
  readonly connects: TokenBucket
  /** Ends the time for joining. */
  readonly late: Disposable
  /** Pays for all messages, from the first session on. */
  messages: TokenBucket | undefined
  /** A text was received, so that an attachment belongs to its message. */
  text: boolean
  /** Ends the sessions of the connection. */
  readonly sessions: Set<EndSession>
}

type EndSession = (error: ServiceError) => void

/**
 * Limits what an Engine.IO connection can send before it has joined a namespace, the time until then, how many CONNECT
 * packets can be rejected on it at any time, and how many messages it sends to its sessions. Packets are counted as they
 * arrive: Socket.IO rejects asynchronously, so it would
 * otherwise process a payload of thousands of CONNECT packets completely before the first rejection.
 */
export class ConnectGuard {
  readonly #progress = new WeakMap<object, Progress>()
  /** By address prefix. */
  readonly #waiting = new FairPlaces<EngineConnection>()
  readonly #clock: Clock
  readonly #exceeded: () => void
  readonly #limits: MessageLimits
  #current: EngineConnection | undefined

  /** `exceeded` is called for every connection that is closed for exceeding a limit. */
  constructor(clock: Clock, exceeded: () => void) {
    this.#clock = clock
    this.#exceeded = exceeded
    this.#limits = new MessageLimits(clock)
  }

  /** The connection whose packet is being processed. Valid only synchronously, while Socket.IO reads that packet. */
  get current(): EngineConnection | undefined {
    return this.#current
  }

  /** Starts counting; call it from Engine.IO's `connection` event. `address`: that of the client. */
  watch(connection: EngineConnection, address: string): void {
    this.#waiting.add(connection, addressPrefix(address))
    const crowding = this.#waiting.size > MOST_WAITING ? this.#waiting.crowding(connection) : undefined
    if (crowding) {
      this.#waiting.remove(crowding)
      this.#close(crowding)
    }
    const connects = new TokenBucket(CONNECTS.perSecond, CONNECTS.burst, this.#clock.now())
    // Socket.IO's own timeout would wait for a client that does not poll, or does not answer the close frame.
    const late = setTimer(this.#clock, JOIN_MS, () => this.#close(connection))
    connection.once('close', () => late[Symbol.dispose]())
    const progress: Progress = {
      ...{ pending: true, packets: 0, connects, late, messages: undefined, text: false },
      sessions: new Set(),
    }
    this.#progress.set(connection, progress)
    if (connection.transport.name === 'websocket') this.watchSocket(connection, connection.request.socket)
    connection.on('packet', ({ type, data }) => {
      this.#current = connection
      const connect = type === 'message' && typeof data === 'string' && data.startsWith(CONNECT)
      const refused = connect && connects.take(this.#clock.now()) < 0
      if (refused || (progress.pending && ++progress.packets > MAX_PACKETS)) this.#close(connection)
      const attached = progress.text && type === 'message' && typeof data !== 'string'
      progress.text = type === 'message' && typeof data === 'string'
      if (!attached && progress.messages && progress.messages.take(this.#clock.now()) < 0)
        this.#flooded(connection, progress)
    })
  }

  /** Limits the messages for a session of `holder`, which `end` ends if they are too many, until disposed. */
  follow(connection: EngineConnection, holder: object, end: EndSession): Disposable {
    const progress = this.#progress.get(connection)
    if (!progress) return { [Symbol.dispose]() {} }
    if (!progress.messages) {
      const limit = this.#limits.lend(holder)
      progress.messages = limit
      connection.once('close', () => this.#limits.giveBack(holder, limit))
    }
    progress.sessions.add(end)
    return { [Symbol.dispose]: () => void progress.sessions.delete(end) }
  }

  /** Counts the bytes of `socket`, a WebSocket of `connection`, until a namespace is joined. */
  watchSocket(connection: EngineConnection, socket: TcpSocket): void {
    const progress = this.#progress.get(connection)
    if (!progress?.pending) return
    let bytes = 0
    const count = (chunk: Buffer) => {
      bytes += chunk.length
      if (!progress.pending) socket.off('data', count)
      else if (bytes > MAX_BYTES) {
        socket.off('data', count)
        this.#close(connection)
        socket.destroy()
      }
    }
    socket.on('data', count)
  }

  /** Returns the problem with a polling request of `connection` if its body exceeds the current limit, or undefined. */
  oversized(connection: EngineConnection, { method, headers }: IncomingMessage): string | undefined {
    if (method !== 'POST' || this.#progress.get(connection)?.pending === false) return undefined
    const length = headers['content-length']
    if (length !== undefined && Number(length) <= MAX_POLLING_BYTES) return undefined
    return `before a namespace is joined a body has a Content-Length of at most ${MAX_POLLING_BYTES}, got ${length ?? 'none'}`
  }

  /** Returns whether a namespace was joined on `connection`, with a key. */
  isJoined(connection: EngineConnection): boolean {
    return this.#progress.get(connection)?.pending === false
  }

  /** Forgets a closed connection. */
  forget(connection: EngineConnection): void {
    this.#waiting.remove(connection)
  }

  /** Records that a namespace was joined on `connection`. */
  joined(connection: EngineConnection): void {
    this.#waiting.remove(connection)
    const progress = this.#progress.get(connection)
    if (!progress) return
    progress.pending = false
    progress.late[Symbol.dispose]()
    progress.connects.give()
  }

  /** Every session gets the reason. Nothing more is read, because a client in a loop keeps sending. */
  #flooded(connection: EngineConnection, { sessions }: Progress): void {
    const { perSecond, burst } = MESSAGES
    connection.transport.socket?.pause?.()
    for (const end of Array.from(sessions))
      end(
        new ServiceError(
          'too_many_messages',
          `more than ${perSecond} messages a second and ${burst} at once: send audio in fragments of 20 to 100 ms`,
        ),
      )
    connection.close()
  }

  #close(connection: EngineConnection): void {
    this.#exceeded()
    connection.close(true)
    // A WebSocket whose peer does not answer the close frame stays open for 30 s, and keeps sending.
    connection.transport.socket?.terminate()
  }
}

/** The shared parts of all sessions of a server. */
export interface NamespaceOptions {
  readonly keys: ApiKeys
  readonly proxies: TrustedProxies
  readonly engines: EngineSet
  readonly admission: SessionSlots
  readonly workload: LoadMonitor
  readonly streams: AudioStreams
  readonly guard: ConnectGuard
  readonly settings: BoundSettings
  readonly clock: Clock
  readonly log: Logger
  readonly refusals: RefusalLog
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
  return reachableUrl(host, socket.request.socket.localPort ?? 0)
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

/**
 * The engines for one session of `/sts`: those from speech to speech, in order, and the three of which each does a part.
 * A requested voice decides, if only one kind has it. Throws a `ServiceError` if there are none.
 */
function stsEngines(parameters: StsParameters, { engines, settings, clock }: NamespaceOptions) {
  const {
    languageIdSource: from,
    languageIdTarget: to,
    grammar,
    voiceId,
    partials,
    receiveAudio,
  } = parameters
  const interpreters =
    grammar === undefined
      ? engines
          .speechTranslators(from, to)
          .filter(({ voices }) => voiceId === undefined || voices.some(voice => voice.voiceId === voiceId))
      : []
  const recognizer = engines.recognizer(from, grammar)
  const translator = engines.translator(from, to)
  if (!recognizer || !translator || engines.synthesizers.length === 0)
    return { interpreters, cascade: undefined }
  if (interpreters.length > 0 && !engines.hasVoice(to, voiceId)) return { interpreters, cascade: undefined }
  const voice = chooseVoice(parameters, engines)
  translator.prepare(from, to)
  // Only a result that grows can be spoken before its end.
  const grows = partials && receiveAudio.mode === 'streaming'
  const mode = grows ? modeOf(settings.simultaneous, from, to) : 'utterance'
  const { interpretation: figures } = engines.usage
  const cascade = new Cascade({ from, to, recognizer, grammar, translator, voice, mode, figures, clock })
  return { interpreters, cascade, parts: [recognizer.name, translator.name, voice.engine.name] as const }
}

/** Names of the engines that are to serve. */
function preferredOf({ interpreters: [first], parts }: ReturnType<typeof stsEngines>): StandInNames {
  if (first) return { interpretation: first.name }
  const [transcription, translation, synthesis] = parts ?? []
  return { transcription, translation, synthesis }
}

/** `/sts`: transcribes speech, translates it and speaks the translation. */
export const openSts: OpenSession = (socket, channel, log, options) => {
  const { engines, workload, settings, clock } = options
  const parameters = stsParameters(connectionQuery(socket.handshake.query), engines)
  const { receiveAudio } = parameters
  const offer = stsEngines(parameters, options)
  const { cascade } = offer
  const interpreters = cascade ? [...offer.interpreters, cascade] : offer.interpreters
  const { holder } = socket.data
  return new Session({
    channel,
    parameters,
    intake: channelOutlet => {
      const outlet = withStandIns(channelOutlet, preferredOf(offer), engines.usage)
      const output = chosenOutput({ outlet, receiveAudio }, socket, options)
      const { usage } = engines
      const work = new InterpretedSpeech({ outlet, parameters, interpreters, cascade, usage, output, log })
      return new SpeechIntake({ outlet, parameters, work, limits: settings, workload, holder, clock })
    },
    idleTimeoutMs: settings.idleTimeoutMs,
    settings,
    clock,
    log,
  })
}

/** `/stt`: transcribes speech. */
export const openStt: OpenSession = (socket, channel, log, { engines, workload, settings, clock }) => {
  const parameters = sttParameters(connectionQuery(socket.handshake.query), engines)
  const recognizer = engines.recognizer(parameters.languageIdSource, parameters.grammar)!
  const { holder } = socket.data
  return new Session({
    channel,
    parameters,
    intake: channelOutlet => {
      const outlet = withStandIns(channelOutlet, { transcription: recognizer.name }, engines.usage)
      const work = new RecognizedSpeech({ outlet, parameters, recognizer })
      return new SpeechIntake({ outlet, parameters, work, limits: settings, workload, holder, clock })
    },
    idleTimeoutMs: settings.idleTimeoutMs,
    settings,
    clock,
    log,
  })
}

/** `/translator`: translates text. */
export const openTranslator: OpenSession = (socket, channel, log, { engines, settings, clock }) => {
  const parameters = translatorParameters(connectionQuery(socket.handshake.query), engines)
  const holder = socket.data.holder as KeyUsage
  const { languageIdSource, languageIdTarget } = parameters
  const translator = engines.translator(languageIdSource, languageIdTarget)!
  translator.prepare(languageIdSource, languageIdTarget)
  return new Session({
    channel,
    parameters,
    intake: channelOutlet => {
      const outlet = withStandIns(channelOutlet, { translation: translator.name }, engines.usage)
      return new TextIntake(outlet, new TranslatedTexts(outlet, parameters, translator), settings, holder)
    },
    idleTimeoutMs: settings.textIdleTimeoutMs,
    settings,
    clock,
    log,
  })
}

/** `/tts`: speaks text. */
export const openTts: OpenSession = (socket, channel, log, options) => {
  const { engines, settings, clock } = options
  const parameters = ttsParameters(connectionQuery(socket.handshake.query), engines)
  const { receiveAudio } = parameters
  const holder = socket.data.holder as KeyUsage
  const voice = chooseVoice(parameters, engines)
  return new Session({
    channel,
    parameters,
    intake: channelOutlet => {
      const outlet = withStandIns(channelOutlet, { synthesis: voice.engine.name }, engines.usage)
      const output = chosenOutput({ outlet, receiveAudio }, socket, options)
      return new TextIntake(outlet, new SpokenTexts(outlet, parameters, voice, output), settings, holder)
    },
    idleTimeoutMs: settings.textIdleTimeoutMs,
    settings,
    clock,
    log,
  })
}
