import type { Config } from '../../../config.ts'
import { type Check, fail, ok, warn } from '../check.ts'
import type { Knock } from './knock.ts'
import { localAddress, type Way } from './way.ts'

type Answer = Extract<Knock, { kind: 'answer' }>

/** Twilio takes no certificate that has expired, and whoever renews it should have done so by then. */
const FEW_DAYS = 7

/** Names, certificates, proxies: whether the public address leads here. */
export function reachedCheck(way: Way, config: Config): Check {
  const name = 'public address answers'
  const { health, signed } = way
  if (leadsHere(way)) {
    const days = health.kind === 'answer' ? health.certificateDays : undefined
    if (days !== undefined && days < FEW_DAYS)
      return warn(name, `a Dragoman; its certificate is good for ${days} days only`, 'renew it')
    return ok(name, days === undefined ? 'a Dragoman' : `a Dragoman; certificate good for ${days} days`)
  }
  const knock = signed ?? health
  const { found, mend } = knock.kind === 'answer' ? elsewhere(knock, way, config) : nowhere(knock, config)
  // A name or a certificate is wrong whether the server runs or not; all else may come with it.
  const certain = way.running || knock.kind === 'no-name' || knock.kind === 'bad-tls'
  if (certain) return fail(name, found, mend)
  return warn(name, found, `fine while the server is not running; else ${mend}`)
}

/** Whether what answers at the public address is a Dragoman. */
export function leadsHere({ health, signed }: Way): boolean {
  return isDragoman(health) || (signed?.kind === 'answer' && signed.status === 204)
}

/** Whether the server that runs takes what Twilio signs for the public address. Only where that leads to one. */
export function signatureCheck({ signed, direct }: Way, { publicUrl = '' }: Config): Check | undefined {
  const name = 'Twilio signature'
  if (signed === undefined) return undefined
  const status = signed.kind === 'answer' ? signed.status : 0
  if (status === 204) return ok(name, `taken at ${publicUrl}`)
  if (direct?.kind === 'answer' && direct.status === 204)
    return fail(
      name,
      `the server takes it, but not by way of the public address (${status || signed.kind})`,
      `have the proxy pass on ${path(publicUrl)}/twilio/ with path, query and body as they come, to all of it: deploy/nginx, deploy/caddy`,
    )
  if (status === 403)
    return fail(
      name,
      `refused at ${publicUrl}: the server that runs has another publicUrl or auth token than these settings`,
      'start the server again with these settings; publicUrl must be what the number’s webhook begins with, letter by letter',
    )
  return fail(
    name,
    `${publicUrl}/twilio/status was answered with ${status || signed.kind}`,
    `have the proxy pass on all of ${path(publicUrl)}/twilio/: deploy/nginx, deploy/caddy`,
  )
}

interface Trouble {
  readonly found: string
  readonly mend: string
}

/** Somebody answers who is not a Dragoman. */
function elsewhere({ status, location }: Answer, way: Way, config: Config): Trouble {
  const { publicUrl = '' } = config
  const here = localAddress(config)
  if (status >= 300 && status < 400)
    return {
      found: `answered with ${status}, a redirect${location === undefined ? '' : ` to ${origin(location)}`}`,
      mend: 'set publicUrl to the address it redirects to: what Twilio signs is the address it was given',
    }
  if (status === 401 || status === 407)
    return {
      found: `answered with ${status}: somebody asks for a password`,
      mend: `let ${path(publicUrl)}/twilio/ pass without one: Twilio signs instead`,
    }
  if (status === 502 || status === 503 || status === 504)
    return {
      found: `answered with ${status}: the proxy reaches no server`,
      mend: way.running
        ? `have it pass requests on to ${here}, where the server is`
        : `start the server (dragoman serve), and have the proxy pass requests on to ${here}`,
    }
  if (status === 403)
    return {
      found: 'answered with 403: forbidden by the proxy, or by a server with other settings',
      mend: `let ${path(publicUrl)}/twilio/ pass; if it is a Dragoman, start it again with these settings`,
    }
  return {
    found: `no Dragoman (answered with ${status})`,
    mend: `check where the proxy or tunnel leads: ${publicUrl}/twilio/… must come out at ${here}/twilio/…`,
  }
}

/** Nobody answers, or not in a way that Twilio takes. */
function nowhere(knock: Exclude<Knock, Answer>, { publicUrl = '' }: Config): Trouble {
  const { hostname, host } = new URL(publicUrl)
  switch (knock.kind) {
    case 'no-name':
      return {
        found: `there is no host ${hostname}`,
        mend: `make a DNS record for ${hostname} that leads here, or mend publicUrl`,
      }
    case 'no-connection':
      return {
        found: `nothing listens at ${host} (${knock.code})`,
        mend: 'start the proxy or tunnel that stands before the server, and open its port',
      }
    case 'silent':
      return {
        found: `${host} does not answer`,
        mend: 'open its port in the firewall; if others do reach it, this network does not lead back to itself: --connect-to <address of the proxy>',
      }
    case 'bad-tls':
      return certificate(knock.code, hostname)
    default:
      return knock satisfies never
  }
}

/** What is wrong with the certificate, by the codes of OpenSSL and Node. */
function certificate(code: string, hostname: string): Trouble {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return { found: 'its certificate has expired', mend: 'renew it; Caddy and certbot do so by themselves' }
    case 'CERT_NOT_YET_VALID':
      return { found: 'its certificate is not valid yet', mend: 'check the clock of this machine' }
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
    case 'HOSTNAME_MISMATCH':
      return {
        found: `its certificate is for another name than ${hostname}`,
        mend: `get one for ${hostname}, or set publicUrl to a name it has`,
      }
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return {
        found: `its certificate is signed by nobody whom Twilio knows (${code})`,
        mend: 'get one of a public authority, such as Let’s Encrypt: Caddy does so by itself',
      }
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return {
        found: `the chain of its certificate is incomplete (${code})`,
        mend: 'give the proxy the whole chain (fullchain.pem), of a public authority',
      }
    default:
      return {
        found: `it does not speak TLS as Twilio does (${code})`,
        mend: 'TLS ends at a proxy before the server, which listens on port 443: deploy/nginx, deploy/caddy',
      }
  }
}

function isDragoman(knock: Knock): boolean {
  if (knock.kind !== 'answer' || knock.status !== 200) return false
  try {
    const said = JSON.parse(knock.body) as { status?: unknown; name?: unknown } | null
    return said?.status === 'ok' && said.name === 'dragoman'
  } catch {
    return false
  }
}

/** The path of the public address, without the slash at its end. */
function path(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/+$/, '')
}

/** Where a redirect leads, without what may be private in its path. */
function origin(location: string): string {
  return URL.parse(location)?.origin ?? 'a path of its own'
}
