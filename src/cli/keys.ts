import { stat } from 'node:fs/promises'
import type { z } from 'zod'
import type { Config } from '../app/settings/load.ts'
import { noopLogger } from '../common/log.ts'
import { systemWallClock } from '../common/wall-clock.ts'
import { reachableUrl } from '../net/client-address.ts'
import type { healthSchema } from '../service/server/http/reply-schemas.ts'
import type { KeyEntry, KeyLimits } from '../service/server/keys/key-store.ts'
import { KeyFile } from '../service/server/keys/key-store.ts'
import { StoredKeyUsage } from '../service/server/keys/key-usage.ts'
import { revisionOf } from '../service/server/keys/key-watch.ts'
import { StateFile } from '../storage/database.ts'
import { CommandError } from './errors.ts'
import { type Terminal, tableLines } from './terminal.ts'

/** Maximum time for a running service to apply a change, and the polling interval (ms). */
const REACH_MS = 3_000
const LOOK_MS = 100

/** JSON output instead of lines, for programs. */
interface Shown {
  readonly json?: boolean
}

/** Creates a key of the embedded service and prints it. It is shown only once, because only its digest is stored. */
export async function addKey(
  config: Config,
  name: string,
  { json, ...limits }: Shown & KeyLimits,
  terminal: Terminal,
): Promise<void> {
  if (config.embedded.apiKeys.some(each => typeof each === 'object' && each.name === name))
    throw new RangeError(`a key named ${name} already exists in the settings`)
  const key = await fileOf(config).add(name, new Date(), limits)
  if (json) return terminal.line(JSON.stringify({ name, key, ...limits }))
  terminal.line(`The key of ${name} (shown only once):`)
  terminal.line(`  ${key}`)
  terminal.line(`${fileOf(config).path} stores its digest.`)
  const { uid } = await stat(fileOf(config).path)
  if (uid === 0 && process.geteuid?.() === 0)
    terminal.line(
      'Note: the file belongs to root. A service that runs as another user cannot read it: create it in the folder of that service, or change its owner.',
    )
  if (config.embedded.open) terminal.line('Note: embedded.open is true, so no key is required.')
  else terminal.line(await reach(config, 'accepts the key'))
}

/** Lists the keys of the key file with everything except the keys themselves. */
export async function listKeys(config: Config, { json }: Shown, terminal: Terminal): Promise<void> {
  const entries = (await fileOf(config).read()) ?? []
  const used = usedMinutes(config)
  if (json) {
    const shown = entries.map(({ sha256, ...entry }) => ({ ...entry, usedMinutes: used(sha256) }))
    return terminal.line(JSON.stringify(shown))
  }
  const head = ['name', 'made', 'sessions', 'minutes in 24 h', 'used']
  const rows = [head, ...entries.map(entry => rowOf(entry, used(entry.sha256)))]
  if (entries.length > 0) for (const line of tableLines(rows)) terminal.line(line)
  else terminal.line(`No keys in ${fileOf(config).path}. Create one with dragoman keys add <name>.`)
  const configured = config.embedded.apiKeys.length
  if (configured > 0) terminal.line(`Plus ${configured} in the settings (embedded.apiKeys).`)
}

/** Revokes a key and reports whether the running service has ended its sessions. */
export async function revokeKey(config: Config, name: string, terminal: Terminal): Promise<void> {
  await fileOf(config).revoke(name)
  terminal.line(`${name} is removed from ${fileOf(config).path}.`)
  terminal.line(await reach(config, 'has ended its sessions'))
}

/**
 * Checks whether the running service has applied the change; `effect` describes the result. Throws a `CommandError` if
 * the service runs without applying it.
 */
async function reach({ embedded }: Config, effect: string): Promise<string> {
  const path = embedded.keyFile
  const stamp = await new KeyFile(path).stamp()
  if (embedded.port === 0 || stamp === undefined) {
    const { uid, mode } = await stat(path)
    const rights = `uid ${uid}, mode ${(mode & 0o777).toString(8).padStart(4, '0')}`
    return `A running service that can read the file (${rights}) ${effect} within a second; its GET /health shows keyFile.`
  }
  const url = reachableUrl(embedded.host, embedded.port)
  const wanted = revisionOf(stamp)
  let seen: KeyFileHealth | undefined
  for (let left = REACH_MS; left > 0; left -= LOOK_MS) {
    seen = await keyFileAt(url)
    if (!seen) return `No service answers at ${url}; the change applies when it starts.`
    if (seen.revision === wanted) return `The service at ${url} ${effect}.`
    await new Promise(resolve => setTimeout(resolve, LOOK_MS))
  }
  throw new CommandError(
    `the service at ${url} has not applied the change: the status of its key file is ${seen?.status ?? 'unknown'}; check that it reads ${path}`,
  )
}

type KeyFileHealth = Partial<z.infer<typeof healthSchema>['keyFile']>

/** Returns the key file’s status from the service at `url`; undefined if nothing answers there. */
async function keyFileAt(url: string): Promise<KeyFileHealth | undefined> {
  try {
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(REACH_MS) })
    return ((await answer.json()) as { keyFile?: KeyFileHealth } | null)?.keyFile ?? {}
  } catch {
    return undefined
  }
}

function fileOf(config: Config): KeyFile {
  return new KeyFile(config.embedded.keyFile)
}

/** Minutes used by each key in the last 24 hours, as saved by running services (to a tenth). */
function usedMinutes({ stateFile }: Config): (sha256: string) => number {
  using state = StateFile.read(stateFile, noopLogger)
  const usage = state && new StoredKeyUsage(state).read(systemWallClock())
  return sha256 => {
    const ms = Array.from(usage?.get(sha256)?.values() ?? []).reduce((sum, each) => sum + each, 0)
    return Math.round(ms / 6_000) / 10
  }
}

function rowOf({ name, createdAt, sessions, minutesPerDay }: KeyEntry, used: number): string[] {
  const limits = [String(sessions ?? 'any'), String(minutesPerDay ?? 'any')]
  return [name, createdAt.slice(0, 10), ...limits, used.toFixed(1)]
}
