import { randomBytes } from 'node:crypto'
import { type Log, silentLog } from '../common/log.ts'
import type { Config } from '../config/load.ts'
import { ServiceProcess } from '../service/server/process/child.ts'
import type { ServiceConfig } from '../service/server/service-config.ts'

/** A translation service to use. Disposing stops it if it was started for this purpose. */
export interface ReachedService extends AsyncDisposable {
  readonly url: string
  readonly apiKey: string
}

/** Returns the configured service, or starts an embedded one on a free port with its own key, which writes to `log`. */
export async function reachedService(
  { service, embedded }: Config,
  log: Log = silentLog,
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
