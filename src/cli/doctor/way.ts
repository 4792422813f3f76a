import type { Config } from '../../config/load.ts'
import { signRequest } from '../../simulator/index.ts'
import { newSid } from '../../simulator/twilio/phone/ids.ts'
import type { Surroundings } from './environment.ts'
import type { Knock } from './http-probe.ts'

/** The route between Twilio and this server, checked without a call. */
export interface Way {
  /** `GET /health` at the public address; a proxy may block it. */
  readonly health: Knock
  /**
   * A signed request without effect, through the public address: 204 if the signature is accepted, 403 if not. Absent
   * without a token.
   */
  readonly signed: Knock | undefined
  /** The same request sent directly, if the server runs on this machine. */
  readonly direct: Knock | undefined
  /** Whether the server of these settings runs. */
  readonly running: boolean
}

export interface WayOptions {
  readonly running: boolean
  /** Connects here instead of resolving the public address. */
  readonly connectTo?: string | undefined
}

/** Checks the route to the public address. Places no call. */
export async function walk(
  config: Config,
  around: Surroundings,
  { running, connectTo }: WayOptions,
): Promise<Way> {
  const publicUrl = withoutSlash(config.publicUrl ?? '')
  const [token] = config.twilio.authTokens
  // The end of an unknown call is acknowledged and has no effect.
  const form = { CallSid: newSid('CA'), AccountSid: newSid('AC'), CallStatus: 'completed' }
  const url = `${publicUrl}/twilio/status`
  const asked = token === undefined ? undefined : { url, form, signature: signRequest(token, url, form) }
  const [health, signed, direct] = await Promise.all([
    around.knock({ url: `${publicUrl}/health`, connectTo }),
    asked && around.knock({ ...asked, connectTo }),
    asked && running ? around.knock({ ...asked, url: `${localAddress(config)}/twilio/status` }) : undefined,
  ])
  return { health, signed, direct, running }
}

/** Returns the address of the server of these settings on this machine. */
export function localAddress({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const here = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${here.includes(':') ? `[${here}]` : here}:${port}`
}

export function withoutSlash(address: string): string {
  return address.replace(/\/+$/, '')
}
