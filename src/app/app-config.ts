import type { DeepReadonly } from '../common/setting-fields.ts'
import type { ConfigInput } from '../config/schema.ts'
import type { LanguageSettings } from '../core/calls/settings.ts'
import type { CarrierConfig } from './carriers.ts'

type Input = DeepReadonly<ConfigInput>

/**
 * Configuration of the app: the settings of `dragoman.yaml`. `loadConfig` fills it from the file and the environment;
 * programs can also create it directly. Absent sections have their defaults, except that nothing is stored in files that
 * are not named, and calls have no maximum duration.
 */
export interface AppConfig extends Omit<Input, keyof CarrierConfig>, CarrierConfig {
  readonly host: string
  readonly port: number
  readonly service: NonNullable<Input['service']>
  readonly languages: LanguageSettings
}
