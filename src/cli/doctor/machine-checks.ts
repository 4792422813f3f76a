import { resolve } from 'node:path'
import { BridgeError } from '../../common/errors.ts'
import { noopLogger } from '../../common/log.ts'
import type { Config } from '../../config/load.ts'
import type { ConfigError } from '../../config/problems.ts'
import { isLoopbackOnly } from '../../net/client-address.ts'
import { StateFile } from '../../storage/database.ts'
import { traceAddress } from '../../tracing/settings.ts'
import { type Check, fail, ok, warn } from './check.ts'
import type { DoctorEnvironment } from './environment.ts'

/**
 * Checks whether recordings and transcripts can be written, and whether a collector accepts traces. Leaves no files
 * behind.
 */
export async function keepingChecks(config: Config, around: DoctorEnvironment): Promise<Check[]> {
  const { recording, transcripts, tracing } = config
  const checks = await Promise.all([
    recording.mode === 'off' ? undefined : folderCheck('recordings', 'recording', recording.folder, around),
    transcripts.store !== 'disk'
      ? undefined
      : folderCheck('transcripts', 'transcripts', transcripts.folder, around),
    tracing.url === undefined ? undefined : collectorCheck(tracing.url, around),
    config.service.url === undefined && !config.embedded.open
      ? keyFileCheck(config.embedded.keyFile, around)
      : undefined,
  ])
  return checks.filter(check => check !== undefined)
}

/** Checks whether the state file can be read, without which the bridge does not start. */
export function stateFileCheck({ stateFile }: Config): Check[] {
  const name = 'state file'
  try {
    using state = StateFile.read(stateFile, noopLogger)
    return state ? [ok(name, stateFile)] : []
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error
    return [fail(name, error.message, 'restore a backup, or move the file away to start without its state')]
  }
}

async function folderCheck(
  name: string,
  key: string,
  folder: string,
  around: DoctorEnvironment,
): Promise<Check> {
  const path = resolve(folder)
  const code = await around.unwritable(path)
  if (code === undefined) return ok(name, `${path} is writable`)
  return fail(
    name,
    `${path} is not writable: ${code}`,
    `grant write access to the user who runs the server, or set ${key}.folder`,
  )
}

/** Checks whether the user who runs the service can read the key file, if it exists; root can read everything. */
async function keyFileCheck(path: string, around: DoctorEnvironment): Promise<Check | undefined> {
  const name = 'key file'
  const access = await around.fileAccess(path)
  if (access === undefined) return undefined
  const { code, owner, folderOwner, mode } = access
  if (code !== undefined)
    return fail(
      name,
      `${path} cannot be read: ${code}`,
      'change its owner to the user who runs the server (chown)',
    )
  const rights = `uid ${owner}, mode ${mode.toString(8).padStart(4, '0')}`
  if (owner !== folderOwner && (mode & 0o044) === 0)
    return warn(
      name,
      `${path} (${rights}) is in a folder of uid ${folderOwner}`,
      `if the server runs as that user, it accepts no key of the file: chown ${folderOwner} ${path}`,
    )
  return ok(name, `${path} is readable (${rights})`)
}

/** A collector responds to a GET with an error, which is sufficient. */
async function collectorCheck(url: string, around: DoctorEnvironment): Promise<Check> {
  const name = 'traces'
  const { host } = new URL(url)
  const status = await around.statusOf(traceAddress(url), undefined)
  if (status === undefined)
    return warn(name, `no collector answers at ${host}`, 'check that it is running, and check tracing.url')
  if (status === 404)
    return warn(
      name,
      `${host} does not accept traces at this path`,
      'set tracing.url to its OTLP-over-HTTP address',
    )
  return ok(name, `a collector answers at ${host}`)
}

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
  return problems.map(({ key, source, found, allowed, meant, renamedTo }) => {
    const where = `${source}${source === key ? '' : `: ${key}`}`
    if (renamedTo !== undefined) return fail('settings', `${where} was renamed`, `write ${renamedTo}`)
    return fail(
      'settings',
      `${where}${found === undefined ? '' : `: ${found}`}`,
      `allowed: ${allowed}${meant === undefined ? '' : `\ndid you mean ${meant}?`}`,
    )
  })
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
export async function portCheck({ host, port }: Config, around: DoctorEnvironment): Promise<Check> {
  const name = 'port'
  const code = await around.listen(host, port)
  if (code === undefined) return ok(name, `${host}:${port} is free`)
  if (code !== 'EADDRINUSE') {
    const fix = code === 'EACCES' ? 'set port to 1024 or more' : 'set host to an address of this machine'
    return fail(name, `${host}:${port}: ${code}`, fix)
  }
  const here = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  if (await around.isDragoman(`http://${here.includes(':') ? `[${here}]` : here}:${port}`))
    return ok(name, `${host}:${port}: a Dragoman server is running there`)
  return fail(name, `${host}:${port} is in use by another program`, 'stop it, or set port (DRAGOMAN_PORT)')
}
