import { resolve } from 'node:path'
import type { Config } from '../../config/load.ts'
import { traceAddress } from '../../tracing/settings.ts'
import { type Check, fail, ok, warn } from './check.ts'
import type { Surroundings } from './environment.ts'

/**
 * Checks whether recordings and transcripts can be written, and whether a collector accepts traces. Leaves no files
 * behind.
 */
export async function keepingChecks(config: Config, around: Surroundings): Promise<Check[]> {
  const { recording, transcripts, tracing } = config
  const checks = await Promise.all([
    recording.when === 'off' ? undefined : folderCheck('recordings', 'recording', recording.folder, around),
    transcripts.keep !== 'disk'
      ? undefined
      : folderCheck('transcripts', 'transcripts', transcripts.folder, around),
    tracing.url === undefined ? undefined : collectorCheck(tracing.url, around),
    config.service.url === undefined && !config.embedded.open
      ? keyFileCheck(config.embedded.keyFile, around)
      : undefined,
  ])
  return checks.filter(check => check !== undefined)
}

async function folderCheck(name: string, key: string, folder: string, around: Surroundings): Promise<Check> {
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
async function keyFileCheck(path: string, around: Surroundings): Promise<Check | undefined> {
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
async function collectorCheck(url: string, around: Surroundings): Promise<Check> {
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
