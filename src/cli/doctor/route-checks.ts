import { signRequest } from '../../../simulator/index.ts'
import { newSid } from '../../../simulator/twilio/phone/wire.ts'
import type { Config } from '../../app/settings/load.ts'
import { reachableUrl } from '../../net/client-address.ts'
import { type Check, fail, ok, warn } from './check.ts'
import { type ProbeResult, probeHttp, saysDragoman } from './requests.ts'

/** The route between Twilio and this server, checked without a call. */
export interface WebhookRoute {
  /** `GET /health` at the public address; a proxy may block it. */
  readonly health: ProbeResult
  /**
   * A signed request without effect, through the public address: 204 if the signature is accepted, 403 if not. Absent
   * without a token.
   */
  readonly signed: ProbeResult | undefined
  /** The same request sent directly, if the server runs on this machine. */
  readonly direct: ProbeResult | undefined
  /** True if the server of these settings runs. */
  readonly running: boolean
}

export interface WayOptions {
  readonly running: boolean
  /** Connects here instead of resolving the public address. */
  readonly connectTo?: string | undefined
}

/** Checks the route to the public address. Places no call. */
export async function checkRoute(config: Config, { running, connectTo }: WayOptions): Promise<WebhookRoute> {
  const publicUrl = withoutSlash(config.publicUrl ?? '')
  const [token] = config.twilio.authToken
  // The end of an unknown call is acknowledged and has no effect.
  const form = { CallSid: newSid('CA'), AccountSid: newSid('AC'), CallStatus: 'completed' }
  const url = `${publicUrl}/twilio/status`
  const asked = token === undefined ? undefined : { url, form, signature: signRequest(token, url, form) }
  const [health, signed, direct] = await Promise.all([
    probeHttp({ url: `${publicUrl}/health`, connectTo }),
    asked && probeHttp({ ...asked, connectTo }),
    asked && running
      ? probeHttp({ ...asked, url: `${reachableUrl(config.host, config.port)}/twilio/status` })
      : undefined,
  ])
  return { health, signed, direct, running }
}

export function withoutSlash(address: string): string {
  return address.replace(/\/+$/, '')
}

type Answer = Extract<ProbeResult, { kind: 'answer' }>

/** Twilio rejects expired certificates; automatic renewal happens earlier than this. */
const FEW_DAYS = 7

/** Checks DNS, certificate and proxy: the public address must reach this server. */
export function reachedCheck(way: WebhookRoute, config: Config): Check {
  const name = 'public address answers'
  const { health, signed } = way
  if (leadsHere(way)) {
    const days = health.kind === 'answer' ? health.certificateDays : undefined
    if (days !== undefined && days < FEW_DAYS)
      return warn(name, `a Dragoman server; its certificate is only valid for ${days} days`, 'renew it')
    return ok(
      name,
      days === undefined ? 'a Dragoman' : `a Dragoman server; certificate valid for ${days} days`,
    )
  }
  const probe = signed ?? health
  const { found, fix } = probe.kind === 'answer' ? elsewhere(probe, way, config) : nowhere(probe, config)
  // A wrong name or certificate is a fault even if the server is not running; anything else can result from that.
  const certain = way.running || probe.kind === 'no-name' || probe.kind === 'bad-tls'
  if (certain) return fail(name, found, fix)
  return warn(name, found, `expected while the server is not running; otherwise ${fix}`)
}

/** True if a Dragoman server answers at the public address. */
export function leadsHere({ health, signed }: WebhookRoute): boolean {
  return saysDragoman(health) || (signed?.kind === 'answer' && signed.status === 204)
}

/**
 * Checks whether the running server accepts Twilio’s signatures for the public address. Only if a Dragoman server
 * answers there.
 */
export function signatureCheck(
  { signed, direct }: WebhookRoute,
  { publicUrl = '' }: Config,
): Check | undefined {
  const name = 'Twilio signature'
  if (signed === undefined) return undefined
  const status = signed.kind === 'answer' ? signed.status : 0
  if (status === 204) return ok(name, `accepted at ${publicUrl}`)
  if (direct?.kind === 'answer' && direct.status === 204)
    return fail(
      name,
      `the server accepts it, but not through the public address (${status || signed.kind})`,
      `configure the proxy to forward ${path(publicUrl)}/twilio/ with path, query and body unchanged: deploy/nginx, deploy/caddy`,
    )
  if (status === 403)
    return fail(
      name,
      `rejected at ${publicUrl}: the running server has another publicUrl or auth token than these settings`,
      'restart the server with these settings; publicUrl must be exactly the start of the number’s webhook',
    )
  return fail(
    name,
    `${publicUrl}/twilio/status was answered with ${status || signed.kind}`,
    `configure the proxy to forward all of ${path(publicUrl)}/twilio/: deploy/nginx, deploy/caddy`,
  )
}

interface Trouble {
  readonly found: string
  readonly fix: string
}

/** A server other than Dragoman answers. */
function elsewhere({ status, location }: Answer, way: WebhookRoute, config: Config): Trouble {
  const { publicUrl = '' } = config
  const here = reachableUrl(config.host, config.port)
  if (status >= 300 && status < 400)
    return {
      found: `answered with ${status}, a redirect${location === undefined ? '' : ` to ${origin(location)}`}`,
      fix: 'set publicUrl to the redirect target: Twilio signs the address that it was given',
    }
  if (status === 401 || status === 407)
    return {
      found: `answered with ${status}: the proxy requires a password`,
      fix: `exempt ${path(publicUrl)}/twilio/ from it: Twilio’s requests are signed`,
    }
  if (status === 502 || status === 503 || status === 504)
    return {
      found: `answered with ${status}: the proxy cannot reach the server`,
      fix: way.running
        ? `configure it to forward requests to ${here}, where the server listens`
        : `start the server (dragoman serve), and configure the proxy to forward requests to ${here}`,
    }
  if (status === 403)
    return {
      found: 'answered with 403: rejected by the proxy, or by a server with other settings',
      fix: `allow ${path(publicUrl)}/twilio/; if it is a Dragoman server, restart it with these settings`,
    }
  return {
    found: `not a Dragoman server (answered with ${status})`,
    fix: `check the target of the proxy or tunnel: ${publicUrl}/twilio/… must be forwarded to ${here}/twilio/…`,
  }
}

/** There is no response that Twilio would accept. */
function nowhere(probe: Exclude<ProbeResult, Answer>, { publicUrl = '' }: Config): Trouble {
  const { hostname, host } = new URL(publicUrl)
  switch (probe.kind) {
    case 'no-name':
      return {
        found: `the host ${hostname} does not exist`,
        fix: `create a DNS record for ${hostname} that points to this server, or fix publicUrl`,
      }
    case 'no-connection':
      return {
        found: `nothing listens at ${host} (${probe.code})`,
        fix: 'start the proxy or tunnel in front of the server, and open its port',
      }
    case 'silent':
      return {
        found: `${host} does not respond`,
        fix: 'open its port in the firewall; if it is reachable from elsewhere, use --connect-to <address of the proxy>, because this network cannot connect to its own public address',
      }
    case 'bad-tls':
      return certificate(probe.code, hostname)
    default:
      return probe satisfies never
  }
}

const UNKNOWN_CA: Trouble = {
  found: 'its certificate is not signed by a public CA',
  fix: 'get a certificate from a public CA, such as Let’s Encrypt: Caddy does this automatically',
}
const INCOMPLETE: Trouble = {
  found: 'the chain of its certificate is incomplete',
  fix: 'configure the full chain (fullchain.pem) of a public CA in the proxy',
}
/** Codes of OpenSSL for invalid certificates. */
const CERTIFICATE_TROUBLES: Readonly<Record<string, Trouble>> = {
  CERT_HAS_EXPIRED: {
    found: 'its certificate has expired',
    fix: 'renew it; Caddy and certbot renew automatically',
  },
  CERT_NOT_YET_VALID: { found: 'its certificate is not valid yet', fix: 'check the clock of this machine' },
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_CA,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_CA,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: INCOMPLETE,
  UNABLE_TO_GET_ISSUER_CERT: INCOMPLETE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: INCOMPLETE,
}

/** Explains a certificate error by the codes of OpenSSL and Node. */
function certificate(code: string, hostname: string): Trouble {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'HOSTNAME_MISMATCH')
    return {
      found: `its certificate is for another name than ${hostname}`,
      fix: `get one for ${hostname}, or set publicUrl to a name that it covers`,
    }
  return (
    CERTIFICATE_TROUBLES[code] ?? {
      found: `its TLS is not compatible with Twilio (${code})`,
      fix: 'terminate TLS in a proxy that listens on port 443 in front of the server: deploy/nginx, deploy/caddy',
    }
  )
}

/** Returns the path of the public address, without a trailing slash. */
function path(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/+$/, '')
}

/** Returns the target of a redirect, without its possibly private path. */
function origin(location: string): string {
  return URL.parse(location)?.origin ?? 'its own path'
}
