import { BridgeError } from '../core/errors.ts'
import { CommandError } from './command-error.ts'

/** A known failure in its own words; anything else with its stack, since that is a bug. */
export function failure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const listening = listenFailure(error.message)
  if (listening) return listening
  if (error instanceof BridgeError || error instanceof CommandError || error instanceof RangeError)
    return error.message
  if ('code' in error) {
    const code = String(error.code)
    const file = fileFailure(code, (error as NodeJS.ErrnoException).path)
    if (file) return file
    return error.message.startsWith(code) ? error.message : `${code}: ${error.message}`
  }
  return error.stack ?? error.message
}

/** Why a file cannot be read or written. */
function fileFailure(code: string, path: string | undefined): string | undefined {
  if (path === undefined) return undefined
  switch (code) {
    case 'ENOENT':
      return `ENOENT: there is no file ${path}`
    case 'EISDIR':
      return `EISDIR: ${path} is a folder, not a file`
    case 'EACCES':
    case 'EPERM':
      return `${code}: no permission for ${path}`
    case 'EROFS':
      return `EROFS: ${path} is on a read-only file system`
    case 'ENOSPC':
      return `ENOSPC: no space left on the disk of ${path}`
    default:
      return undefined
  }
}

/** What to do when a server cannot listen, by Node's words: `listen EADDRINUSE: address already in use 127.0.0.1:8080`. */
function listenFailure(message: string): string | undefined {
  const [, code, place = ''] = /\blisten (EADDRINUSE|EADDRNOTAVAIL|EACCES): .*?(\S+)$/.exec(message) ?? []
  const colon = place.lastIndexOf(':')
  const [host, port] = [place.slice(0, Math.max(0, colon)), place.slice(colon + 1)]
  switch (code) {
    case 'EADDRINUSE':
      return `EADDRINUSE: port ${port} of ${host} is taken: end what listens there, or choose another with --port`
    case 'EADDRNOTAVAIL':
      return `EADDRNOTAVAIL: ${host || place} is no address of this machine: choose another host`
    case 'EACCES':
      return `EACCES: port ${port} is only for the system: choose one from 1024 with --port`
    default:
      return undefined
  }
}
