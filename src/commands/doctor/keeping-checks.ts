import { resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { traceAddress } from '../../tracing/tracing-settings.ts'
import { type Check, fail, ok, warn } from './check.ts'
import type { Surroundings } from './surroundings.ts'

/** Whether what is to be kept can be written, and whether somebody takes traces. Nothing is left behind. */
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
  if (code === undefined) return ok(name, `can be written into ${path}`)
  return fail(
    name,
    `nothing can be written into ${path}: ${code}`,
    `let the user who runs the server write there, or set ${key}.folder`,
  )
}

/** Whether the key file, if there is one, can be read by the user who runs the service; root reads everything. */
async function keyFileCheck(path: string, around: Surroundings): Promise<Check | undefined> {
  const name = 'key file'
  const access = await around.fileAccess(path)
  if (access === undefined) return undefined
  const { code, owner, folderOwner, mode } = access
  if (code !== undefined)
    return fail(name, `${path} cannot be read: ${code}`, 'give it to the user who runs the server (chown)')
  const rights = `uid ${owner}, mode ${mode.toString(8).padStart(4, '0')}`
  if (owner !== folderOwner && (mode & 0o044) === 0)
    return warn(
      name,
      `${path} (${rights}) is in a folder of uid ${folderOwner}`,
      `if the server runs as that user it accepts no key of the file: chown ${folderOwner} ${path}`,
    )
  return ok(name, `${path} can be read (${rights})`)
}

/** A collector answers a GET with an error of its own, which is answer enough. */
async function collectorCheck(url: string, around: Surroundings): Promise<Check> {
  const name = 'traces'
  const { host } = new URL(url)
  const status = await around.statusOf(traceAddress(url), undefined)
  if (status === undefined)
    return warn(name, `no collector answers at ${host}`, 'is it running, and is tracing.url right?')
  if (status === 404)
    return warn(name, `${host} takes no traces there`, 'set tracing.url to where it takes OTLP over HTTP')
  return ok(name, `a collector answers at ${host}`)
}
