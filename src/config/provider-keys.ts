import type { Environment } from './environment.ts'
import type { CheckedConfig } from './schema.ts'

/**
 * The variables in which providers' own tools expect an API key, by the host of the service. A key is only ever sent to
 * its own provider, never to another server of the same interface.
 */
const VARIABLES: readonly (readonly [host: RegExp, variable: string])[] = [
  [/^api\.openai\.com$/, 'OPENAI_API_KEY'],
  [/\.soniox\.com$/, 'SONIOX_API_KEY'],
  [/^api\.deepgram\.com$/, 'DEEPGRAM_API_KEY'],
  [/\.assemblyai\.com$/, 'ASSEMBLYAI_API_KEY'],
  [/^api(-free)?\.deepl\.com$/, 'DEEPL_API_KEY'],
  [/^generativelanguage\.googleapis\.com$/, 'GEMINI_API_KEY'],
  [/\.api\.cognitive\.microsoft\.com$|\.cognitiveservices\.azure\.com$/, 'AZURE_SPEECH_KEY'],
  [/^api\.cartesia\.ai$/, 'CARTESIA_API_KEY'],
  [/^api\.elevenlabs\.io$/, 'ELEVENLABS_API_KEY'],
]

type Engines = CheckedConfig['embedded']['engines']
interface Keyed {
  readonly url?: string
  readonly apiKey?: string | undefined
  readonly apiKeyFile?: string | undefined
}

const KINDS = ['transcription', 'translation', 'synthesis', 'interpretation'] as const

/**
 * Completes the engines that have no key with the provider's usual variable of `env`. A key or key file of the settings
 * always takes precedence. Engines without an address are local, and unchanged.
 */
export function withProviderKeys(engines: Engines, env: Environment): Engines {
  const keyed = <T extends object>(engine: T): T => {
    const { url, apiKey, apiKeyFile } = engine as Keyed
    if (url === undefined || apiKey !== undefined || apiKeyFile !== undefined) return engine
    const host = URL.parse(url)?.hostname ?? ''
    const [, variable] = VARIABLES.find(([pattern]) => pattern.test(host)) ?? []
    const key = variable === undefined ? undefined : env[variable]
    return key ? { ...engine, apiKey: key } : engine
  }
  return { ...engines, ...Object.fromEntries(KINDS.map(kind => [kind, engines[kind].map(keyed)])) }
}
