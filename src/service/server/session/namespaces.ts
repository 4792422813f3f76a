import type { IncomingMessage } from 'node:http'
import type { Namespace as IoNamespace, Server, Socket } from 'socket.io'
import { parseJson } from '../../../common/json.ts'
import type { Logger } from '../../../common/log.ts'
import { markAuthenticated } from '../../../net/request-guard.ts'
import { EVENT, type Namespace } from '../../contract.ts'
import { ServiceError, toServiceError } from '../errors.ts'
import type { KeyUsage } from '../keys/key-holder.ts'
import { shown } from '../query.ts'
import {
  type EngineConnection,
  type NamespaceOptions,
  type OpenSession,
  openSts,
  openStt,
  openTranslator,
  openTts,
} from './namespace-sessions.ts'
import type { Session } from './session.ts'
import { SocketChannel } from './socket-channel.ts'

/** Type of the Socket.IO packet that rejects a CONNECT. */
const CONNECT_ERROR = '4'

/** The event that a namespace accepts, and its session factory. */
interface Offer {
  readonly takes: string
  readonly open: OpenSession
}

const OFFERED: Readonly<Record<Namespace, Offer>> = {
  '/stt': { takes: EVENT.writeStream, open: openStt },
  '/translator': { takes: EVENT.text, open: openTranslator },
  '/tts': { takes: EVENT.text, open: openTts },
  '/sts': { takes: EVENT.writeStream, open: openSts },
}

/** Serves the namespaces of the interface at `io` and rejects all others with the reason. */
export function addNamespaces(io: Server, options: NamespaceOptions): void {
  for (const [name, offer] of Object.entries(OFFERED)) {
    const namespace = io.of(name)
    guard(namespace, options, holder => {
      holder.assertRoom()
      options.admission.assertRoom()
    })
    namespace.on('connection', socket => serve(socket, offer, options))
  }
  guard(io.of('/'), options, () => {
    throw refusal()
  })
  io.engine.on('connection', (connection: EngineConnection) =>
    connection.on('packet', ({ type, data }) => {
      if (type === 'message' && typeof data === 'string') refuseUnreadable(connection, data, options)
    }),
  )
  // This matcher never calls back, so Socket.IO creates no namespace; the rejection is sent from here.
  io.of((name, auth) => refuseUnknown(name, auth, options))
}

/** Rejects a CONNECT to an unknown namespace. */
function refuseUnknown(name: string, auth: unknown, options: NamespaceOptions): void {
  const { current } = options.guard
  if (!current) return
  const { request } = current
  reject(
    current,
    name,
    refusedConnect({ request, name, auth }, options, () => {
      throw refusal()
    })!,
  )
}

/** A CONNECT packet with `auth`: its namespace, and `auth` as JSON. */
const CONNECT_PACKET = /^0(?:(\/[^,]*),?)?(.*)$/s

/**
 * Rejects a CONNECT whose `auth` is not an object, such as the key as plain text. Socket.IO would close the connection
 * without a reason, and the client would connect again forever.
 */
function refuseUnreadable(connection: EngineConnection, data: string, options: NamespaceOptions): void {
  const [, name = '/', auth = ''] = CONNECT_PACKET.exec(data) ?? []
  if (auth === '' || isJsonObject(auth)) return
  const { request } = connection
  const place = 'auth.token (auth has to be an object: { token: key })'
  const missing = () => {
    throw new ServiceError('key_missing', `an API key is required in ${place}`)
  }
  reject(connection, name, refusedConnect({ request, name, auth: undefined, place }, options, missing)!)
}

function isJsonObject(text: string): boolean {
  const value = parseJson(text)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Sends a `connect_error`. */
function reject(connection: EngineConnection, name: string, { message, data }: ServiceError): void {
  const namespace = name === '/' ? '' : `${name},`
  connection.send(`${CONNECT_ERROR}${namespace}${JSON.stringify({ message, data })}`)
}

function guard(namespace: IoNamespace, options: NamespaceOptions, admit: (holder: KeyUsage) => void): void {
  namespace.use((socket, next) => {
    const { request, handshake, nsp } = socket
    const error = refusedConnect({ request, name: nsp.name, auth: handshake.auth }, options, holder => {
      socket.data.holder = holder
      admit(holder)
    })
    next(error)
  })
}

interface ConnectPacket {
  readonly request: IncomingMessage
  readonly name: string
  readonly auth: unknown
  /** Place of the key. */
  readonly place?: string
}

/** Checks the key, then runs `admit`. Returns the error they throw, which reaches the client as `connect_error`. */
function refusedConnect(
  { request, name, auth, place = 'auth.token' }: ConnectPacket,
  options: NamespaceOptions,
  admit: (holder: KeyUsage) => void,
): ServiceError | undefined {
  const caller = options.proxies.addressOf(request.socket.remoteAddress ?? '', request.headers)
  try {
    const token = (auth as { token?: unknown } | undefined)?.token
    const holder = options.keys.holderOf(token, place, caller)
    markAuthenticated(request)
    admit(holder)
    return undefined
  } catch (error) {
    const refused = toServiceError(error)
    options.errors.count(refused.specific)
    // The requested name is arbitrary text from the client.
    const namespace = Object.hasOwn(OFFERED, name) ? name : 'another'
    options.refusals.note(caller, refused.specific, { namespace })
    return refused
  }
}

function refusal(): ServiceError {
  const offered = Object.keys(OFFERED).join(', ')
  return new ServiceError('namespace_unknown', `unknown namespace, available: ${offered}`)
}

/** Serves one connected socket. Handlers are set before anything is awaited, so that no event is lost. */
function serve(socket: Socket, { takes, open }: Offer, options: NamespaceOptions): void {
  options.guard.joined(socket.conn)
  const channel = new SocketChannel(socket, options.errors)
  channel.start()
  const holder = socket.data.holder as KeyUsage
  const log = tagged(options.log, { session: socket.id, namespace: socket.nsp.name, key: holder.name })
  let session: Session
  const places: Disposable[] = []
  try {
    places.push(options.admission.take())
    places.push(holder.enter(error => turnAway(channel, error, log)))
    session = open(socket, channel, log, options)
  } catch (error) {
    leave(places)
    turnAway(channel, toServiceError(error), log)
    return
  }
  places.push(options.guard.follow(socket.conn, holder, error => session.fault(error)))
  socket.onAny((event: unknown, ...sent: unknown[]) => {
    // For an event without a name, the acknowledgment is the first argument.
    const nameless = typeof event === 'function'
    const ack = nameless ? event : typeof sent.at(-1) === 'function' ? sent.pop() : undefined
    const taken = received(session, takes, nameless ? undefined : event, sent)
    if (typeof ack === 'function') ack(taken)
  })
  // A client's own event of that name arrives here as well, but never carries an Error.
  socket.on('error', (error: unknown) => {
    if (error instanceof Error)
      session.fault(new ServiceError('packet_malformed', `a packet cannot be read: ${error.message}`))
  })
  socket.on('disconnect', reason => {
    void session.close(reason).finally(() => leave(places))
  })
  void session.open()
}

function leave(places: readonly Disposable[]): void {
  for (const place of places) place[Symbol.dispose]()
}

function turnAway(channel: SocketChannel, error: ServiceError, log: Logger): void {
  // The client is sent its own mistake; the log omits it, as it can contain anything.
  log.warn(
    { error: error.specific, ...(error.status >= 500 ? { reason: error.message } : {}) },
    'client rejected',
  )
  channel.emit(EVENT.error, error.data)
  channel.end()
}

/** Passes an event to the session. Returns false if it was rejected and the client was notified. */
function received(session: Session, takes: string, event: unknown, payloads: readonly unknown[]): boolean {
  if (event === takes && payloads.length <= 1) return session.take(payloads[0])
  session.refuse(
    event === takes
      ? new ServiceError(
          'too_many_payloads',
          `${takes} was sent with ${payloads.length} payloads, expected one`,
        )
      : new ServiceError('event_not_taken', `the event is ${shown(event)}, allowed: ${takes}`),
  )
  return false
}

/** Returns a log that adds `fields` to every line. */
function tagged(log: Logger, fields: object): Logger {
  return {
    debug: (more, message) => log.debug({ ...fields, ...more }, message),
    info: (more, message) => log.info({ ...fields, ...more }, message),
    warn: (more, message) => log.warn({ ...fields, ...more }, message),
    error: (more, message) => log.error({ ...fields, ...more }, message),
  }
}
