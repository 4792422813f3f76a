import type { ConfigError } from '../../config/config-error.ts'
import type { Config } from '../../config/load.ts'
import { isLoopbackOnly } from '../../net/trusted-proxies.ts'
import { type Check, fail, ok, warn } from './check.ts'
import type { Surroundings } from './environment.ts'

const OLDEST = [24, 0] as const

/** Checks whether this Node version runs Dragoman. */
export function nodeCheck(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const fine = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
  return fine ? ok('Node', version) : fail('Node', version, `install Node 24 (at least ${OLDEST.join('.')})`)
}

/** Reports the settings file that was read. */
export function settingsCheck({ file }: Config): Check {
  return ok('settings', file ?? 'no file: defaults and environment')
}

/** Reports invalid settings, one check for each problem. */
export function settingsFailures({ problems }: ConfigError): Check[] {
  return problems.map(({ key, source, found, allowed, meant }) =>
    fail(
      'settings',
      `${source}${source === key ? '' : `: ${key}`}${found === undefined ? '' : `: ${found}`}`,
      `allowed: ${allowed}${meant === undefined ? '' : `\ndid you mean ${meant}?`}`,
    ),
  )
}

/** Warns if everyone can reach the bridge over plain HTTP, bypassing the TLS proxy of `publicUrl`. */
export function plainHttpChecks({ host, port, publicUrl, trustProxy }: Config): Check[] {
  const inside = /^(?:localhost|127\.|::1$|\[::1\])/.test(host)
  const elsewhere = trustProxy.length > 0 && !isLoopbackOnly(trustProxy)
  if (inside || elsewhere || !publicUrl?.startsWith('https:')) return []
  return [
    warn(
      'plain HTTP',
      `${host}:${port} is open to everyone who can reach this machine, bypassing the TLS proxy`,
      'set host: 127.0.0.1 if the proxy is on this machine;\notherwise, open the port only to the proxy, and name it in trustProxy',
    ),
  ]
}

/** Checks whether the bridge server can listen, or already does. */
export async function portCheck({ host, port }: Config, around: Surroundings): Promise<Check> {
  const name = 'port'
  const code = await around.listen(host, port)
  if (code === undefined) return ok(name, `${host}:${port} is free`)
  if (code !== 'EADDRINUSE') {
    const mend = code === 'EACCES' ? 'set port to 1024 or more' : 'set host to an address of this machine'
    return fail(name, `${host}:${port}: ${code}`, mend)
  }
  const here = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  if (await around.isDragoman(`http://${here.includes(':') ? `[${here}]` : here}:${port}`))
    return ok(name, `${host}:${port}: a Dragoman server is running there`)
  return fail(name, `${host}:${port} is in use by another program`, 'stop it, or set port (DRAGOMAN_PORT)')
}
