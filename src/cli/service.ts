import { randomBytes } from 'node:crypto'
import type { Config } from '../app/settings/load.ts'
import { type Logger, noopLogger } from '../common/log.ts'
import { ServiceClient } from '../service/client/service-client.ts'
import { KeyFile, newKey } from '../service/server/keys/key-store.ts'
import { ServiceProcess } from '../service/server/process/service-process.ts'
import { edgeOfService, type ServiceConfig } from '../service/server/settings.ts'
import type { Terminal } from './terminal.ts'

/** A translation service to use. Disposing stops it if it was started for this purpose. */
export interface ReachedService extends AsyncDisposable {
  readonly url: string
  readonly apiKey: string
}

/** Returns the configured service, or starts an embedded one on a free port with its own key, which writes to `log`. */
export async function reachedService(
  { service, embedded }: Config,
  log: Logger = noopLogger,
): Promise<ReachedService> {
  if (service.url !== undefined)
    return { url: service.url, apiKey: service.apiKey ?? '', [Symbol.asyncDispose]: async () => {} }
  const apiKey = randomBytes(18).toString('base64url')
  const { keyFile: _, ...settings } = structuredClone(embedded) as ServiceConfig
  const process = await ServiceProcess.start(
    { ...settings, open: false, host: '127.0.0.1', port: 0, apiKeys: [apiKey] },
    { log },
  )
  return { url: process.url, apiKey, [Symbol.asyncDispose]: () => process.close() }
}

/** Runs only the embedded translation service; resolves when it listens. */
export async function service(config: Config, terminal: Terminal, log: Logger): Promise<ServiceProcess> {
  const { embedded, stateFile } = config
  const settings = { ...(structuredClone(embedded) as ServiceConfig), stateFile, ...edgeOfService(config) }
  // A key for this run queries the languages. If no other key exists, it is printed, because the service would be
  // unusable otherwise.
  const apiKey = newKey()
  const apiKeys = [...(settings.apiKeys ?? []), { name: 'this run', key: apiKey }]
  const process = await ServiceProcess.start({ ...settings, apiKeys }, { log })
  const filed = settings.open ? [] : await new KeyFile(config.embedded.keyFile).read().catch(() => undefined)
  const alone = apiKeys.length === 1 && !filed?.length && !settings.open
  terminal.line(`Translation service at ${process.url}`)
  if (alone) {
    terminal.line(`  key for this run     ${apiKey}`)
    terminal.line('  permanent keys       dragoman keys add <name>')
  }
  const languages = await new ServiceClient({ url: process.url, apiKey }).languages()
  const ids = (wanted: (entry: (typeof languages)[number]) => boolean) =>
    languages
      .filter(wanted)
      .map(({ languageId }) => languageId)
      .join(' ') || 'none'
  terminal.line(`  speech from          ${ids(entry => entry.transcription)}`)
  terminal.line(`  voices for           ${ids(entry => entry.synthesis).slice(0, 200)}`)
  terminal.line('Press Ctrl-C to stop.')
  return process
}
