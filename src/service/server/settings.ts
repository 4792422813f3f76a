import { availableParallelism } from 'node:os'
import { z } from 'zod'
import { languageSchema } from '../../common/setting-fields.ts'
import { isLoopback, trustedProxiesSchema } from '../../net/client-address.ts'
import { type LimitSettings, serviceLimitsSchema } from '../../net/settings.ts'
import { simultaneousSchema } from '../engines/interpret/settings.ts'
import { engineSettingsSchema } from '../engines/settings.ts'
import { vocabularySchema } from '../engines/vocabulary/vocabulary.ts'
import { keyLimitsShape } from './keys/key-store.ts'

/** Settings of the embedded service. Everything has a default except access: set `apiKeys`, `keyFile` or `open`. */
export const serviceConfigSchema = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .default('127.0.0.1')
      .meta({ about: 'Host name or address on which the embedded service listens.' }),
    port: z
      .int()
      .min(0)
      .max(65_535)
      .default(0)
      .meta({ about: 'Port of the embedded service; 0 selects a free one.' }),
    apiKeys: z
      .array(
        z.union([
          z.string().min(1),
          z.strictObject({
            name: z.string().min(1).meta({ about: 'Name of the key, for the log.' }),
            key: z.string().min(1).meta({ about: 'The key.' }),
            ...keyLimitsShape,
          }),
        ]),
      )
      .default([])
      .meta({
        about: 'API keys, plain or with a name (for the log) and limits. The bridge always has its own key.',
      }),
    /** JSON file with more keys, which can change while the service runs: `dragoman keys`. */
    keyFile: z.string().min(1).optional(),
    /** Folder of the models that `dragoman models add` installs. */
    models: z.string().min(1).optional(),
    /** Database file in which the usage of keys and engines survives a restart; it can be shared with other services. */
    stateFile: z.string().min(1).optional(),
    open: z
      .boolean()
      .default(false)
      .meta({ about: '`true` accepts clients without a key. Allowed only on loopback.' }),
    maxSessions: z
      .int()
      .min(1)
      .default(() => Math.max(2, availableParallelism() * 2))
      .meta({ about: 'Maximum number of concurrent sessions.' }),
    admitLagMs: z.int().min(1).default(1_000).meta({
      about:
        'Reject new sessions while the results of any session are, or recently were, later than this (ms). A session is warned at twice this lag, and ends at 15 times.',
    }),
    publicUrl: z
      .url({ protocol: /^https?$/ })
      .optional()
      .meta({
        about: 'Public URL of the service. Set it when clients connect through a proxy.',
      }),
    allowedOrigins: z
      .array(
        z
          .string()
          .describe('an origin like https://app.example.com, or *')
          .refine(
            text => text === '*' || (URL.canParse(text) && new URL(text).origin === text),
            'an origin like https://app.example.com, or *',
          ),
      )
      .default([])
      .meta({
        about:
          'Origins of web pages allowed to use the service, like https://app.example.com. `*` requires keys. By default only its own pages are allowed.',
      }),
    /** Proxies trusted to set `X-Forwarded-For`, by which wrong keys are counted per client address. */
    trustProxy: trustedProxiesSchema,
    /** Idle connections, and who is exempt from limits. */
    limits: serviceLimitsSchema.prefault({}),
    phrasebook: z
      .string()
      .optional()
      .meta({ about: 'JSON file with fixed translations that take precedence over the translator.' }),
    vocabulary: vocabularySchema.prefault({}),
    simultaneous: simultaneousSchema.prefault({}),
    voices: z
      .record(languageSchema, z.string())
      .default({})
      .meta({ about: 'Default voice by language, as its id in the voice list.' }),
    engines: engineSettingsSchema.prefault({}),
  })
  .refine(({ apiKeys }) => new Set(namesOf(apiKeys)).size === namesOf(apiKeys).length, {
    path: ['apiKeys'],
    message: 'duplicate name',
  })
  .refine(config => config.open || config.keyFile !== undefined || config.apiKeys.length > 0, {
    path: ['apiKeys'],
    message: 'at least one key is required, or a keyFile, or open: true on loopback',
  })
  .refine(config => !config.open || !config.allowedOrigins.includes('*'), {
    path: ['allowedOrigins'],
    message: 'a service without keys accepts only listed origins, not *',
  })
  .refine(config => !config.open || isLoopback(config.host), {
    path: ['open'],
    message: 'a service without keys can listen on loopback only',
  })

const { stateFile: _, trustProxy: _proxy, limits: _limits, ...embeddedShape } = serviceConfigSchema.shape
/**
 * Settings of the service that the bridge embeds; the state file, the proxies and the limits are those of the bridge. Its
 * keys are checked where it is started.
 */
export const embeddedSettingsSchema = z.strictObject({
  ...embeddedShape,
  keyFile: z.string().min(1).default('dragoman.keys.json').meta({
    about:
      'File with the key digests of the embedded service. `dragoman keys` adds and revokes keys while it runs.',
  }),
  models: z.string().min(1).default('models').meta({
    about:
      'Folder of the models that `dragoman models add` installs. They are used after the engines listed in `embedded.engines` and before the installed programs.',
  }),
})

/** Returns the settings of an embedded service that it shares with the bridge: whose addresses count, and for how long. */
export function edgeOfService({
  trustProxy,
  limits: { keepAliveTimeoutMs, exemptAddresses },
}: {
  readonly trustProxy: readonly string[]
  readonly limits: Pick<LimitSettings, 'keepAliveTimeoutMs'> & { readonly exemptAddresses: readonly string[] }
}): Pick<ServiceConfig, 'trustProxy' | 'limits'> {
  return {
    trustProxy: [...trustProxy],
    limits: { keepAliveTimeoutMs, exemptAddresses: [...exemptAddresses] },
  }
}

function namesOf(keys: readonly (string | { name: string })[]): string[] {
  return keys.flatMap(key => (typeof key === 'string' ? [] : key.name))
}

/** Settings as written: everything except the keys is optional. */
export type ServiceConfig = z.input<typeof serviceConfigSchema>
/** Settings with defaults applied. */
export type ServiceSettings = z.infer<typeof serviceConfigSchema>

/**
 * Validates `config` and applies defaults. Throws a `RangeError` that names each invalid key and the allowed values.
 */
export function serviceSettings(config: ServiceConfig): ServiceSettings {
  const parsed = serviceConfigSchema.safeParse(config)
  if (!parsed.success) throw new RangeError(`service settings: ${z.prettifyError(parsed.error)}`)
  return parsed.data
}
