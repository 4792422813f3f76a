import { z } from 'zod'
import { CARRIERS } from '../../bridges/phone/carriers.ts'
import { BridgeError } from '../../common/errors.ts'
import type { SettingsInput } from '../../common/setting-fields.ts'
import type { CarrierSections } from '../carriers.ts'
import { listeningHost } from './cross-checks.ts'
import { settingsSchema } from './schema.ts'

/**
 * Configuration of the app: the settings of `dragoman.yaml`, all of them optional. `loadConfig` reads them from the file
 * and the environment; programs can also create them directly. Then, unlike with `loadConfig`, no files are kept that
 * are not named (`stateFile`, `embedded.keyFile`): without a `stateFile`, state ends with the process; and calls have no maximum
 * duration.
 */
export type AppConfig = SettingsInput<typeof settingsSchema>

/** The sections that the app completes. The others are completed by the parts that use them. */
const completeSchema = settingsSchema
  .pick({
    port: true,
    limits: true,
    drain: true,
    languages: true,
    relay: true,
    keypad: true,
    recording: true,
    control: true,
    dashboard: true,
    metrics: true,
    tracing: true,
    webhooks: true,
    transcripts: true,
  })
  .strip()
type Complete = z.infer<typeof completeSchema>

/** The configuration with the defaults of these sections. */
export interface AppSettings
  extends Omit<AppConfig, keyof Complete | keyof CarrierSections>,
    Complete,
    CarrierSections {
  readonly host: string
  readonly trustProxy: NonNullable<AppConfig['trustProxy']>
  readonly service: NonNullable<AppConfig['service']>
  readonly calls: NonNullable<AppConfig['calls']>
}

/** Checks these sections and adds defaults. Throws `BridgeError` `CONFIG` for an invalid value. */
export function appSettings(config: AppConfig): AppSettings {
  const complete = completeSchema.safeParse(config)
  if (!complete.success) throw new BridgeError('CONFIG', z.prettifyError(complete.error))
  const { trustProxy = [], service = {}, calls = {}, twilio = {} } = config
  const carriers = Object.fromEntries(CARRIERS.map(({ name }) => [name, config[name] ?? {}]))
  return {
    ...config,
    ...complete.data,
    ...(carriers as CarrierSections),
    host: listeningHost(config),
    trustProxy,
    service,
    calls,
    twilio,
  }
}
