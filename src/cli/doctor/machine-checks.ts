import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, resolve } from 'node:path'
import type { Config } from '../../app/settings/load.ts'
import type { ConfigError } from '../../app/settings/problems.ts'
import { traceAddress } from '../../app/tracing/settings.ts'
import { BridgeError } from '../../common/errors.ts'
import { noopLogger } from '../../common/log.ts'
import { isLoopback, isLoopbackOnly, reachableUrl } from '../../net/client-address.ts'
import { StateFile } from '../../storage/database.ts'
import { type Check, fail, ok, warn } from './check.ts'
import { isDragoman, statusOf } from './requests.ts'

/** Checks whether recordings, transcripts and keys can be kept, and whether a collector accepts traces. */
export async function keepingChecks({ recording, transcripts, tracing, service, embedded }: Config) {
  const checks = await Promise.all([
    recording.mode === 'off' ? undefined : folderCheck('recordings', 'recording', recording.folder),
    transcripts.store === 'disk' ? folderCheck('transcripts', 'transcripts', transcripts.folder) : undefined,
    tracing.url === undefined ? undefined : collectorCheck(tracing.url),
    service.url === undefined && !embedded.open ? keyFileCheck(embedded.keyFile) : undefined,
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

async function folderCheck(name: string, key: string, folder: string): Promise<Check> {
  const path = resolve(folder)
  const code = await unwritable(path)
  if (code === undefined) return ok(name, `${path} is writable`)
  return fail(
    name,
    `${path} is not writable: ${code}`,
    `grant write access to the user who runs the server, or set ${key}.folder`,
  )
}

/** Returns why a folder, or the closest one above it that exists, cannot be written to; undefined if it can. */
async function unwritable(folder: string): Promise<string | undefined> {
  try {
    if (!(await stat(folder)).isDirectory()) return 'ENOTDIR'
    await access(folder, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const code = codeOf(error)
    return code === 'ENOENT' && folder !== dirname(folder) ? await unwritable(dirname(folder)) : code
  }
}

/** Checks whether the user who runs the service can read the key file, if it exists; root can read everything. */
async function keyFileCheck(path: string): Promise<Check | undefined> {
  const name = 'key file'
  try {
    const [file, folder] = await Promise.all([stat(path), stat(dirname(resolve(path)))])
    await access(path, constants.R_OK)
    const rights = `uid ${file.uid}, mode ${(file.mode & 0o777).toString(8).padStart(4, '0')}`
    if (file.uid !== folder.uid && (file.mode & 0o044) === 0)
      return warn(
        name,
        `${path} (${rights}) is in a folder of uid ${folder.uid}`,
        `if the server runs as that user, it accepts no key of the file: chown ${folder.uid} ${path}`,
      )
    return ok(name, `${path} is readable (${rights})`)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') return undefined
    const fix = 'change its owner to the user who runs the server (chown)'
    return fail(name, `${path} cannot be read: ${code}`, fix)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}

/** A collector responds to a GET with an error, which is sufficient. */
async function collectorCheck(url: string): Promise<Check> {
  const name = 'traces'
  const { host } = new URL(url)
  const status = await statusOf(traceAddress(url))
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

const OLDEST_NODE = 24

/** Checks whether this Node version (`24.21.0`) runs Dragoman. */
export function nodeCheck(version = process.versions.node): Check {
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return ok('Node', version)
  return fail('Node', version, `install Node ${OLDEST_NODE} or newer`)
}

/** Reports the settings file that was read. */
export function settingsCheck({ file }: Config): Check {
  return ok('settings', file ?? 'no file: defaults and environment')
}

/** Reports invalid settings, one check for each problem. */
export function settingsFailures({ problems }: ConfigError): Check[] {
  return problems.map(({ key, source, found, allowed, meant }) => {
    const where = `${source}${source === key ? '' : `: ${key}`}`
    return fail(
      'settings',
      `${where}${found === undefined ? '' : `: ${found}`}`,
      `allowed: ${allowed}${meant === undefined ? '' : `\ndid you mean ${meant}?`}`,
    )
  })
}

/** Warns if everyone can reach the bridge over plain HTTP, bypassing the TLS proxy of `publicUrl`. */
export function plainHttpChecks({ host, port, publicUrl, trustProxy }: Config): Check[] {
  const elsewhere = trustProxy.length > 0 && !isLoopbackOnly(trustProxy)
  if (isLoopback(host) || elsewhere || !publicUrl?.startsWith('https:')) return []
  return [
    warn(
      'plain HTTP',
      `${host}:${port} is open to everyone who can reach this machine, bypassing the TLS proxy`,
      'set host: 127.0.0.1 if the proxy is on this machine;\notherwise, open the port only to the proxy, and name it in trustProxy',
    ),
  ]
}

/** Checks whether the bridge server can listen, or already does. */
export async function portCheck({ host, port }: Config): Promise<Check> {
  const name = 'port'
  const code = await listeningFault(host, port)
  if (code === undefined) return ok(name, `${host}:${port} is free`)
  if (code !== 'EADDRINUSE') {
    const fix = code === 'EACCES' ? 'set port to 1024 or more' : 'set host to an address of this machine'
    return fail(name, `${host}:${port}: ${code}`, fix)
  }
  if (await isDragoman(reachableUrl(host, port)))
    return ok(name, `${host}:${port}: a Dragoman server is running there`)
  return fail(name, `${host}:${port} is in use by another program`, 'stop it, or set port (DRAGOMAN_PORT)')
}

/** Returns the error code of listening there; undefined on success. */
function listeningFault(host: string, port: number): Promise<string | undefined> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', error => resolve(codeOf(error)))
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
}
