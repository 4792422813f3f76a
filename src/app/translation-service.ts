import type { Logger } from '../common/log.ts'
import { ServiceProcess } from '../service/server/process/service-process.ts'
import { edgeOfService, type ServiceConfig } from '../service/server/settings.ts'
import type { AppSettings } from './settings/app-settings.ts'

type EmbeddedSettings = 'embedded' | 'stateFile' | 'trustProxy' | 'limits'

export interface TranslationServiceOptions {
  readonly settings: Pick<AppSettings, 'service' | EmbeddedSettings>
  /** Translations come from elsewhere, so no service is embedded. */
  readonly translatorGiven: boolean
  readonly log: Logger
}

/**
 * The translation service that bridges and announcements use: the configured one, or an embedded one in a process of
 * its own. The creator starts it and disposes of it.
 */
export class TranslationService implements AsyncDisposable {
  readonly apiKey: string
  readonly #options: TranslationServiceOptions
  #process: ServiceProcess | undefined

  constructor(options: TranslationServiceOptions) {
    this.apiKey = options.settings.service.apiKey ?? randomKey()
    this.#options = options
  }

  /** Returns the current address; empty until an embedded service has started. */
  readonly url = (): string => this.#options.settings.service.url ?? this.#process?.url ?? ''

  /** The process of the embedded service, once it has started. */
  get process(): ServiceProcess | undefined {
    return this.#process
  }

  /** False while the embedded service is unavailable. */
  get running(): boolean {
    return this.#process?.running !== false
  }

  /**
   * Starts the embedded service, if there is one. Rejects with `BridgeError` `CONFIG` for invalid settings, with
   * `SERVICE_UNREACHABLE` if the process cannot start.
   */
  async start(): Promise<void> {
    const { settings, translatorGiven, log } = this.#options
    if (translatorGiven || settings.service.url !== undefined) return
    this.#process = await ServiceProcess.start(embeddedConfig(settings, this.apiKey), { log })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process?.close()
  }
}

/** The embedded service accepts the bridge and clients with a key. */
function embeddedConfig(
  { embedded, stateFile, trustProxy, limits }: Pick<AppSettings, EmbeddedSettings>,
  key: string,
): ServiceConfig {
  const config = structuredClone(embedded ?? {}) as ServiceConfig
  const apiKeys = [...(config.apiKeys ?? []), { name: 'bridge', key }]
  return { ...config, stateFile, open: false, apiKeys, ...edgeOfService({ trustProxy, limits }) }
}

function randomKey(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64url')
}
