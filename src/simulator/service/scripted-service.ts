import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type RequestListener,
} from 'node:http'
import type { AddressInfo, Socket as TcpSocket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Server, type Socket } from 'socket.io'
import { type Clock, systemClock } from '../../common/clock.ts'
import { isLanguageId } from '../../common/language.ts'
import {
  type ConnectionParameters,
  NAMESPACES,
  type Namespace,
  type ReceiveAudio,
  type SendAudio,
  type ServiceErrorBody,
} from '../../service/contract.ts'
import { type Answering, Mp3Maker, type TextAnswering, texts, tones } from './scripted-answers.ts'
import { ScriptedSession } from './scripted-session.ts'
import { type DropHow, type Faults, type ServiceShape, SessionFaults } from './service-shape.ts'

/** Options of the scripted service. */
export interface ScriptedServiceOptions {
  /** Port on loopback. Default 0: a free one, kept across `stop` and `start`. */
  port?: number
  /** Key expected in `auth.token`. Default `simulated-key`. */
  apiKey?: string
  /** Answers to audio. Default `tones()`. */
  answer?: Answering
  /** Answers to text, on `/translator` and `/tts`. Default `texts`. */
  answerText?: TextAnswering
  /** Choices that the interface leaves open. Default: as in `docs/service/protocol.md`. */
  shape?: ServiceShape
  /** Initial faults. Default none. */
  faults?: Faults
  /** Data recorded by sessions: only counts (for load tests), the order of events too (default), or the audio as well. */
  record?: 'counts' | 'events' | 'audio'
  clock?: Clock
  /** Answers HTTP requests: lists, batch, streamed audio. Default: 404 for every request. */
  http?: RequestListener
  /** Called for every new session, before anything is sent to it. */
  onSession?: (session: ScriptedSession) => void
  /** Called for every accepted fragment, before it is acknowledged. */
  onFragment?: (session: ScriptedSession, pcm: Int16Array) => void
}

/**
 * A scripted translation service: the real protocol on all namespaces, scripted answers, and every fault at the moment
 * the test wants it. The caller of `listen` closes it.
 */
export class ScriptedService implements AsyncDisposable {
  readonly apiKey: string
  /** Active faults; sessions read them live. */
  readonly faults: Faults
  /** Every session since `listen`, oldest first, including ended ones; kept across `stop` and `start`. */
  readonly sessions: ScriptedSession[] = []
  /** Bodies of rejected connections: wrong key or wrong parameters. */
  readonly refused: unknown[] = []

  readonly #options: ScriptedServiceOptions
  readonly #maker: Mp3Maker
  readonly #next: Faults[] = []
  readonly #waiting: { count: number; settle: (session: ScriptedSession) => void }[] = []
  readonly #tcp = new Set<TcpSocket>()
  #running: { http: HttpServer; io: Server } | undefined
  #port: number

  private constructor(options: ScriptedServiceOptions, maker: Mp3Maker) {
    this.#options = options
    this.#maker = maker
    this.#port = options.port ?? 0
    this.apiKey = options.apiKey ?? 'simulated-key'
    this.faults = { ...options.faults }
  }

  /** Listens on loopback. Rejects if the port is in use. */
  static async listen(options: ScriptedServiceOptions = {}): Promise<ScriptedService> {
    const service = new ScriptedService(options, await Mp3Maker.create())
    await service.start()
    return service
  }

  /** `http://127.0.0.1:<port>`, without namespace. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** The newest session, ended or not. */
  get session(): ScriptedSession | undefined {
    return this.sessions.at(-1)
  }

  /** Queues faults for the next session only; called twice, for the next two. */
  next(faults: Faults): void {
    this.#next.push({ ...faults })
  }

  /** Removes every fault of the service and the queued ones; sessions keep their own. */
  heal(): void {
    for (const name of Object.keys(this.faults) as (keyof Faults)[]) delete this.faults[name]
    this.#next.length = 0
  }

  /** Resolves to the session of this number (from 1) as soon as it exists. */
  sessionOf(number: number): Promise<ScriptedSession> {
    const session = this.sessions[number - 1]
    if (session) return Promise.resolve(session)
    return new Promise(settle => this.#waiting.push({ count: number, settle }))
  }

  /** Ends every open connection. */
  dropAll(how: DropHow = 'cut'): void {
    for (const session of this.sessions) if (session.connected) session.drop(how)
  }

  /** Keeps every open connection open and never answers it again. */
  hangAll(): void {
    for (const session of this.sessions) if (session.connected) session.hang()
  }

  /** Disappears like a killed process: connections cut, port closed. Idempotent; `start` resumes it. */
  async stop(): Promise<void> {
    const running = this.#running
    if (!running) return
    this.#running = undefined
    for (const socket of this.#tcp) socket.destroy()
    await running.io.close()
  }

  /** Listens again on the same port. No effect while it is running. */
  async start(): Promise<void> {
    if (this.#running) return
    const http = createServer(
      this.#options.http ?? ((_request, response) => void response.writeHead(404).end()),
    )
    const io = new Server(http, { transports: ['websocket'], perMessageDeflate: false, serveClient: false })
    this.#running = { http, io }
    this.#faultUpgrades(http)
    for (const namespace of NAMESPACES) {
      io.of(namespace).use((socket, next) => next(this.#checkKey(socket)))
      io.of(namespace).on('connection', socket => this.#admit(socket, namespace))
    }
    await new Promise<void>((settle, fail) => {
      http.once('error', fail)
      http.listen(this.#port, '127.0.0.1', settle)
    })
    this.#port = (http.address() as AddressInfo).port
  }

  /** Idempotent. */
  close(): Promise<void> {
    return this.stop()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #faultUpgrades(http: HttpServer): void {
    const upgrade = http.listeners('upgrade')
    http.removeAllListeners('upgrade')
    http.on('connection', socket => {
      this.#tcp.add(socket)
      socket.once('close', () => this.#tcp.delete(socket))
    })
    http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => {})
      if (this.faults.hang) return
      if (this.faults.refuse)
        return void socket.end(`HTTP/1.1 ${this.faults.refuse} Refused\r\nConnection: close\r\n\r\n`)
      for (const listener of upgrade) listener.call(http, request, socket, head)
    })
  }

  #checkKey(socket: Socket): (Error & { data?: unknown }) | undefined {
    const refuseKey =
      this.#next[0] && 'refuseKey' in this.#next[0] ? this.#next.shift()?.refuseKey : this.faults.refuseKey
    const { token } = socket.handshake.auth
    if (refuseKey === undefined && token === this.apiKey) return undefined
    const error = token === undefined ? 'key_missing' : 'key_wrong'
    const body: ServiceErrorBody = { code: 'unauthorized', error, description: 'the API key is not valid' }
    const data = refuseKey === undefined || refuseKey === true ? body : refuseKey
    this.refused.push(data)
    return Object.assign(new Error('unauthorized'), { data })
  }

  #admit(socket: Socket, namespace: Namespace): void {
    const parameters = readParameters(socket.handshake.query, namespace)
    if ('code' in parameters) {
      this.refused.push(parameters)
      socket.emit('error', parameters)
      return void socket.disconnect(true)
    }
    const { clock = systemClock, record = 'events', onFragment, onSession } = this.#options
    const { answer = tones(), answerText = texts } = this.#options
    const session = new ScriptedSession(socket, {
      number: this.sessions.length + 1,
      namespace,
      parameters,
      faults: new SessionFaults(this.#next.shift() ?? {}, this.faults),
      shape: this.#options.shape ?? {},
      clock,
      record,
      onFragment: pcm => {
        onFragment?.(session, pcm)
        heard(pcm)
      },
      onText: text => answerText(session, text, this.#maker),
    })
    const heard = answer(session, this.#maker)
    this.sessions.push(session)
    onSession?.(session)
    session.begin()
    for (const waiting of this.#waiting) if (waiting.count === this.sessions.length) waiting.settle(session)
  }
}

type Query = Readonly<Record<string, string | string[] | undefined>>
type Reading = ConnectionParameters | ServiceErrorBody

/**
 * Validates a connection's query like a strict service: returns the effective parameters, or the error that rejects
 * them.
 */
function readParameters(query: Query, namespace: Namespace): Reading {
  if (namespace === '/tts') return readHearing(query, {}, undefined)
  const from = query.languageIdSource
  if (from === undefined) return wrong('language_missing', 'languageIdSource is missing')
  if (typeof from !== 'string' || !isLanguageId(from)) return malformed('languageIdSource')
  if (namespace === '/translator') return readTarget(query, { languageIdSource: from })
  const send = parse(query.sendAudio ?? '{"broadcastVia":"chunk","sampleRate":16000}')
  if (!isSendAudio(send)) return wrong('value_not_allowed', 'sendAudio must be chunk, linear16, 16000')
  const given = query.partials === undefined ? undefined : query.partials === 'true'
  const parameters = { languageIdSource: from, sendAudio: { ...send, codec: 'linear16' as const } }
  if (namespace === '/stt') return { ...parameters, partials: given ?? true }
  return readHearing(query, parameters, given)
}

function readTarget(query: Query, parameters: ConnectionParameters): Reading {
  const to = query.languageIdTarget
  if (to === undefined) return wrong('language_missing', 'languageIdTarget is missing')
  if (typeof to !== 'string' || !isLanguageId(to)) return malformed('languageIdTarget')
  return { ...parameters, languageIdTarget: to }
}

/** Requested language and audio; `partials` apply only to namespaces with speech input. */
function readHearing(query: Query, parameters: ConnectionParameters, partials: boolean | undefined): Reading {
  const target = readTarget(query, parameters)
  if ('code' in target) return target
  const receive = parse(query.receiveAudio ?? BLOCK)
  if (!isReceiveAudio(receive))
    return wrong(
      'value_not_allowed',
      'receiveAudio must be chunk or stream, mp3, a sample rate, and block or streaming',
    )
  const voice = typeof query.voiceId === 'string' ? { voiceId: query.voiceId } : {}
  const all = { ...target, ...voice, receiveAudio: receive }
  return parameters.sendAudio ? { ...all, partials: partials ?? receive.mode === 'streaming' } : all
}

const BLOCK = '{"obtainVia":"chunk","codec":"mp3","sampleRate":16000,"mode":"block"}'

function wrong(error: string, description: string): ServiceErrorBody {
  return { code: 'bad_parameter', error, description }
}

function malformed(parameter: string): ServiceErrorBody {
  return wrong('language_malformed', `${parameter} must be <language>-<region>`)
}

function parse(text: string | string[]): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(String(text))
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

function isSendAudio(value: object | undefined): value is SendAudio {
  if (!value || !('broadcastVia' in value) || !('sampleRate' in value)) return false
  const codec = 'codec' in value ? value.codec : 'linear16'
  return value.broadcastVia === 'chunk' && codec === 'linear16' && value.sampleRate === 16_000
}

function isReceiveAudio(value: object | undefined): value is ReceiveAudio {
  if (!value || !('obtainVia' in value && 'codec' in value && 'sampleRate' in value && 'mode' in value))
    return false
  const { obtainVia, codec, sampleRate, mode } = value
  const known = mode === 'block' || mode === 'streaming'
  const via = obtainVia === 'chunk' || obtainVia === 'stream'
  return via && codec === 'mp3' && typeof sampleRate === 'number' && known
}
