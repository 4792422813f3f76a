import type { App } from '../app/app.ts'
import { BridgeError } from '../common/errors.ts'
import { errorFields, type Logger } from '../common/log.ts'
import { ServiceClientError } from '../service/client/errors.ts'

/** A user error that the user can fix. Printed without a stack. */
export class CommandError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = 'CommandError'
  }
}

/** Formats a known failure as its message, and anything else with its stack, because it is a bug. */
export function failure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const listening = listenFailure(error.message)
  if (listening) return listening
  if (error instanceof BridgeError || error instanceof CommandError || error instanceof RangeError)
    return error.message
  if (error instanceof ServiceClientError && error.keyRefused)
    return `the translation service refused the key (${error.message}): check service.apiKey`
  if ('code' in error) {
    const code = String(error.code)
    const file = fileFailure(code, (error as NodeJS.ErrnoException).path)
    if (file) return file
    return error.message.startsWith(code) ? error.message : `${code}: ${error.message}`
  }
  return error.stack ?? error.message
}

/** Explains why a file cannot be read or written. */
function fileFailure(code: string, path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  switch (code) {
    case 'ENOENT':
      return `ENOENT: ${path} does not exist`
    case 'EISDIR':
      return `EISDIR: ${path} is a folder, not a file`
    case 'EACCES':
    case 'EPERM':
      return `${code}: permission denied for ${path}`
    case 'EROFS':
      return `EROFS: ${path} is on a read-only file system`
    case 'ENOSPC':
      return `ENOSPC: no space left on the disk of ${path}`
    default:
      return undefined
  }
}

/**
 * Explains why a server cannot listen, from Node’s message: `listen EADDRINUSE: address already in use 127.0.0.1:8080`.
 */
function listenFailure(message: string): string | undefined {
  const [, code, place = ''] = /\blisten (EADDRINUSE|EADDRNOTAVAIL|EACCES): .*?(\S+)$/.exec(message) ?? []
  const colon = place.lastIndexOf(':')
  const [host, port] = [place.slice(0, Math.max(0, colon)), place.slice(colon + 1)]
  switch (code) {
    case 'EADDRINUSE':
      return `EADDRINUSE: port ${port} of ${host} is in use: stop the program that listens there, or choose another port with --port`
    case 'EADDRNOTAVAIL':
      return `EADDRNOTAVAIL: ${host || place} is not a local address; change host`
    case 'EACCES':
      return `EACCES: port ${port} requires privileges: choose a port above 1023 with --port`
    default:
      return undefined
  }
}

/** Exit code for an internal software error, from sysexits.h. */
const SOFTWARE = 70
/** Time for handing over calls when the state of the process is unknown (ms). */
const LEAVE_MS = 5_000

/**
 * After an uncaught exception the state of the process is undefined: calls are handed over and the process exits, so
 * that a supervisor restarts it. A second exception exits at once.
 */
export function leaveOnFailure(app: Pick<App, 'drain' | 'leave'>, log: Logger): void {
  let again = false
  process.on('uncaughtException', error => {
    const end = () => process.exit(SOFTWARE)
    // Never left to Node, which would print everything attached to the error.
    if (again) return end()
    again = true
    log.error(errorFields(error), 'unexpected failure: handing over calls, exiting')
    setTimeout(end, LEAVE_MS)
    app.drain.hurry()
    void app.leave().then(end, end)
  })
}

/** Keeps calls running when the reader of the output goes away, such as a closed terminal. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}
