import type { Namespace as IoNamespace, Server, Socket } from 'socket.io'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import { EVENT, NAMESPACES } from '../contract.ts'
import type { Admission } from './admission.ts'
import type { ApiKeys } from './api-keys.ts'
import type { EngineSet } from './engines/engine-set.ts'
import type { KeyHolder } from './key-holder.ts'
import type { ServiceSettings } from './service-config.ts'
import { ServiceError, told } from './service-error.ts'
import type { Session } from './session.ts'
import { SocketChannel } from './socket-channel.ts'
import { openSts } from './sts.ts'
import { openStt } from './stt.ts'

export interface NamespaceParts {
  readonly keys: ApiKeys
  readonly engines: EngineSet
  readonly admission: Admission
  readonly settings: ServiceSettings
  readonly clock: Clock
  readonly log: Log
}

/** Makes the session of a socket, from its query; throws a `ServiceError` for wrong parameters. */
export type OpenSession = (socket: Socket, channel: SocketChannel, log: Log, parts: NamespaceParts) => Session

/** The namespaces that are offered, and who serves them. */
const OFFERED: Readonly<Record<string, OpenSession>> = { '/stt': openStt, '/sts': openSts }

/** Serves the offered namespaces of `io` and refuses all others, each with the reason. */
export function addNamespaces(io: Server, parts: NamespaceParts): void {
  for (const [name, open] of Object.entries(OFFERED)) {
    const namespace = io.of(name)
    guard(namespace, parts, holder => {
      holder.assertRoom()
      parts.admission.assertRoom()
    })
    namespace.on('connection', socket => serve(socket, open, parts))
  }
  const refuse = (name: string) => () => {
    throw refusal(name)
  }
  guard(io.of('/'), parts, refuse('/'))
  io.of((_name, _auth, next) => next(null, true)).use((socket, next) => {
    guarded(socket, parts, refuse(socket.nsp.name), next)
  })
}

function guard(namespace: IoNamespace, parts: NamespaceParts, admit: (holder: KeyHolder) => void): void {
  namespace.use((socket, next) => guarded(socket, parts, admit, next))
}

/** Checks the key, then whatever `admit` checks. What it throws reaches the client as `connect_error`. */
function guarded(
  socket: Socket,
  parts: NamespaceParts,
  admit: (holder: KeyHolder) => void,
  next: (error?: Error) => void,
): void {
  try {
    const auth = socket.handshake.auth as { token?: unknown } | undefined
    const holder = parts.keys.holderOf(auth?.token, 'auth.token', socket.handshake.address)
    socket.data.holder = holder
    admit(holder)
  } catch (error) {
    const refused = told(error)
    // Somebody who goes on and on trying does not fill the log.
    const level = refused.specific === 'too_many_attempts' ? 'debug' : 'warn'
    const namespace = socket.nsp.name.slice(0, 32)
    parts.log[level]({ namespace, error: refused.specific }, 'connection refused')
    next(refused)
    return
  }
  next()
}

function refusal(name: string): ServiceError {
  const offered = Object.keys(OFFERED).join(', ')
  const known = NAMESPACES.some(each => each === name)
  return known
    ? new ServiceError('namespace_not_offered', `${name} is not offered by this service, offered: ${offered}`)
    : new ServiceError('namespace_unknown', `there is no such namespace, offered: ${offered}`)
}

/** One connected socket. Handlers are set before anything is awaited, so that no event is lost. */
function serve(socket: Socket, open: OpenSession, parts: NamespaceParts): void {
  const channel = new SocketChannel(socket)
  const holder = socket.data.holder as KeyHolder
  const log = tagged(parts.log, { session: socket.id, namespace: socket.nsp.name, key: holder.name })
  let session: Session
  const places: Disposable[] = []
  try {
    places.push(parts.admission.take())
    places.push(holder.enter(error => turnAway(channel, error, log)))
    session = open(socket, channel, log, parts)
  } catch (error) {
    leave(places)
    turnAway(channel, told(error), log)
    return
  }
  socket.on(EVENT.writeStream, (fragment: unknown, ...rest: unknown[]) => {
    answer(rest, session.take(fragment))
  })
  socket.onAny((event: string, ...rest: unknown[]) => {
    if (event === EVENT.writeStream) return
    session.refuse(new ServiceError('event_not_taken', `${socket.nsp.name} takes ${EVENT.writeStream} only`))
    answer(rest, false)
  })
  socket.on('disconnect', reason => {
    void session.close(reason).finally(() => leave(places))
  })
  void session.open()
}

function leave(places: readonly Disposable[]): void {
  for (const place of places) place[Symbol.dispose]()
}

function turnAway(channel: SocketChannel, error: ServiceError, log: Log): void {
  log.warn({ error: error.specific, reason: error.message }, 'turned away')
  channel.emit(EVENT.error, error.data)
  channel.end()
}

/** Calls the client's acknowledgment, if it asked for one. */
function answer(rest: readonly unknown[], taken: boolean): void {
  const ack = rest.at(-1)
  if (typeof ack === 'function') ack(taken)
}

/** A log that adds `fields` to every line. */
function tagged(log: Log, fields: object): Log {
  return {
    debug: (more, message) => log.debug({ ...fields, ...more }, message),
    info: (more, message) => log.info({ ...fields, ...more }, message),
    warn: (more, message) => log.warn({ ...fields, ...more }, message),
    error: (more, message) => log.error({ ...fields, ...more }, message),
  }
}
