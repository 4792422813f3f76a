import type { Config } from '../../../config.ts'
import { signRequest } from '../../../simulator/index.ts'
import { newSid } from '../../../simulator/phone/ids.ts'
import type { Surroundings } from '../surroundings.ts'
import type { Knock } from './knock.ts'

/** What there is between Twilio and this server, found without a call. */
export interface Way {
  /** `GET /health` by the public address; a proxy may keep it to itself. */
  readonly health: Knock
  /** A signed question that changes nothing, by the public address: 204 when the signature is taken, 403 when not. Absent without a token. */
  readonly signed: Knock | undefined
  /** The same with nothing between, where the server runs on this machine. */
  readonly direct: Knock | undefined
  /** Whether it does, as the settings say. */
  readonly running: boolean
}

export interface WayOptions {
  readonly running: boolean
  /** Where the host of the public address is; absent: where its name leads. */
  readonly connectTo?: string | undefined
}

/** Goes the way to the public address. None of it is a call. */
export async function walk(
  config: Config,
  around: Surroundings,
  { running, connectTo }: WayOptions,
): Promise<Way> {
  const publicUrl = withoutSlash(config.publicUrl ?? '')
  const [token] = config.twilio.authTokens
  // The end of a call that nobody knows is answered, and nothing comes of it.
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

/** Where the server of these settings listens, seen from this machine. */
export function localAddress({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const here = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${here.includes(':') ? `[${here}]` : here}:${port}`
}

export function withoutSlash(address: string): string {
  return address.replace(/\/+$/, '')
}
