import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { SECURITY_HEADERS } from '../../../net/security-headers.ts'
import { ServiceError } from '../service-error.ts'

/** Error code of Node's HTTP parser for a head or body that is not received in time. */
const TOO_LATE = 'ERR_HTTP_REQUEST_TIMEOUT'

/** Responses that are not completely sent yet, by connection; several with pipelined requests. */
const underWay = new WeakMap<Socket, Set<ServerResponse>>()

/** Tracks the responses of `server` for `answerMalformed`. */
export function watchAnswers(server: Server): void {
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const answers = underWay.get(socket) ?? new Set()
    underWay.set(socket, answers.add(response))
    response.once('close', () => answers.delete(response))
  })
}

/**
 * Answers bytes that are not a valid request (not HTTP, an unterminated head, an incomplete body) with an error of the
 * table, and closes the connection. If a response has already started on the connection, it is only closed: a second
 * response would be read as part of the first.
 */
export function answerMalformed(error: Error & { code?: string }, socket: Socket): void {
  const begun = Array.from(underWay.get(socket) ?? []).some(answer => answer.headersSent)
  if (!socket.writable || begun) {
    socket.destroy()
    return
  }
  const late = error.code === TOO_LATE
  const failure = late
    ? new ServiceError('upload_too_slow', 'the request was not received completely in time')
    : error instanceof ServiceError
      ? error
      : new ServiceError('request_malformed', error.message)
  const body = JSON.stringify(failure.data)
  const headers = { ...SECURITY_HEADERS, ...retryAfter(failure) }
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(
    `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}\r\n${more.join('')}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

function retryAfter({ retryAfterMs }: ServiceError): Record<string, string> {
  return retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }
}
