import { ENGINE_KINDS, type EngineEntry, engineNamed } from '../../service/engines/settings.ts'
import type { Environment } from './environment.ts'
import type { CheckedConfig } from './schema.ts'

type Engines = CheckedConfig['embedded']['engines']

/**
 * Completes the engines that have no key with the provider's usual variable of `env`. A key or key file of the settings
 * always takes precedence. Engines without an address are local, and unchanged.
 */
export function withProviderKeys(engines: Engines, env: Environment): Engines {
  const keyed = <T extends EngineEntry>(kind: (typeof ENGINE_KINDS)[number], entry: T): T => {
    const { engine, url, apiKey, apiKeyFile } = entry
    if (url === undefined || apiKey !== undefined || apiKeyFile !== undefined) return entry
    const { key } = engineNamed(kind, engine)
    // A key is only ever sent to its own provider, never to another server of the same interface.
    if (!key?.hosts.test(URL.parse(url)?.hostname ?? '')) return entry
    const value = env[key.variable]
    return value ? { ...entry, apiKey: value } : entry
  }
  const lists = ENGINE_KINDS.map(kind => [kind, engines[kind].map(entry => keyed<EngineEntry>(kind, entry))])
  return { ...engines, ...Object.fromEntries(lists) }
}
