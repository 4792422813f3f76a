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
    return error.message.startsWith(code) ? error.message : `${code}: ${error.message}`
  }
  return error.stack ?? error.message
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
