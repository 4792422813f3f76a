import type { ConfigError } from '../../config/config-error.ts'
import type { Config } from '../../config.ts'
import { isLoopbackOnly } from '../../guard/trusted-proxies.ts'
import { type Check, fail, ok, warn } from './check.ts'
import type { Surroundings } from './surroundings.ts'

const OLDEST = [24, 0] as const

/** Whether this Node runs Dragoman. */
export function nodeCheck(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const fine = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
  return fine ? ok('Node', version) : fail('Node', version, `install Node 24 (at least ${OLDEST.join('.')})`)
}

/** The settings that were read. */
export function settingsCheck({ file }: Config): Check {
  return ok('settings', file ?? 'no file: defaults and environment')
}

/** What is wrong with them, one check for each fault. */
export function settingsFailures({ problems }: ConfigError): Check[] {
  return problems.map(({ key, source, found, allowed, meant }) =>
    fail(
      'settings',
      `${source}${source === key ? '' : `: ${key}`}${found === undefined ? '' : `: ${found}`}`,
      `allowed: ${allowed}${meant === undefined ? '' : `\ndid you mean ${meant}?`}`,
    ),
  )
}

/** Warns where everybody can speak plain HTTP with the bridge, past the proxy that speaks TLS for `publicUrl`. */
export function plainHttpChecks({ host, port, publicUrl, trustProxy }: Config): Check[] {
  const inside = /^(?:localhost|127\.|::1$|\[::1\])/.test(host)
  const elsewhere = trustProxy.length > 0 && !isLoopbackOnly(trustProxy)
  if (inside || elsewhere || !publicUrl?.startsWith('https:')) return []
  return [
    warn(
      'plain HTTP',
      `${host}:${port} is open to everybody who reaches this machine, beside the proxy that speaks TLS`,
      'set host: 127.0.0.1 where the proxy is on this machine;\nwhere it is elsewhere, let only it reach the port, and name it in trustProxy',
    ),
  ]
}

/** Whether the bridge server could listen, or already does. */
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
    return ok(name, `${host}:${port}: a Dragoman is running there`)
  return fail(name, `${host}:${port} is in use by something else`, 'stop it, or set port (DRAGOMAN_PORT)')
}
