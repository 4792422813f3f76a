import { createServer, type Server as HttpServer, type RequestListener } from 'node:http'
import type { AddressInfo, Socket as TcpSocket } from 'node:net'
import { Server, type Socket } from 'socket.io'
import { z } from 'zod'
import { type Clock, systemClock } from '../../src/common/clock.ts'
import { isLanguageId } from '../../src/common/language.ts'
import {
  type ConnectionParameters,
  NAMESPACES,
  type Namespace,
  type ServiceErrorBody,
} from '../../src/service/contract.ts'
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
  /** Keeps the audio of sessions, for their `pcm`. Default false. */
  record?: boolean
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
    http.on('connection', socket => {
      this.#tcp.add(socket)
      socket.once('close', () => this.#tcp.delete(socket))
    })
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
    const { clock = systemClock, record = false, onFragment, onSession } = this.#options
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

const language = z.string('missing').refine(isLanguageId, 'must be <language>-<region>')

/** A parameter that is JSON text. */
function json<T extends z.ZodType>(schema: T, otherwise: string) {
  return z.string().default(otherwise).transform(parse).pipe(schema)
}

const sendAudio = json(
  z.object({
    broadcastVia: z.literal('chunk'),
    codec: z.literal('linear16').default('linear16'),
    sampleRate: z.literal(16_000),
  }),
  '{"broadcastVia":"chunk","sampleRate":16000}',
)
const receiveAudio = json(
  z.object({
    obtainVia: z.enum(['chunk', 'stream']),
    codec: z.literal('mp3'),
    sampleRate: z.number(),
    mode: z.enum(['block', 'streaming']),
  }),
  '{"obtainVia":"chunk","codec":"mp3","sampleRate":16000,"mode":"block"}',
)
const partials = z
  .string()
  .transform(text => text === 'true')
  .optional()
const hearing = { languageIdTarget: language, voiceId: z.string().optional(), receiveAudio }

/** The parameters of each namespace. */
const PARAMETERS = {
  '/stt': z.object({ languageIdSource: language, sendAudio, partials: partials.default(true) }),
  '/translator': z.object({ languageIdSource: language, languageIdTarget: language }),
  '/tts': z.object(hearing),
  '/sts': z
    .object({ languageIdSource: language, sendAudio, partials, ...hearing })
    .transform(read => ({ ...read, partials: read.partials ?? read.receiveAudio.mode === 'streaming' })),
} satisfies Record<Namespace, z.ZodType<ConnectionParameters>>

/**
 * Validates a connection's query like a strict service: returns the effective parameters, or the error that rejects
 * them.
 */
function readParameters(query: unknown, namespace: Namespace): ConnectionParameters | ServiceErrorBody {
  const read = PARAMETERS[namespace].safeParse(query)
  if (read.success) return read.data
  const [{ path, message } = { path: [], message: '' }] = read.error.issues
  const name = String(path[0])
  const problem = message === 'missing' ? 'language_missing' : 'language_malformed'
  const error = name.startsWith('language') ? problem : 'value_not_allowed'
  return { code: 'bad_parameter', error, description: `${path.join('.')}: ${message}` }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
