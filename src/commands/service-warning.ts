import { ServiceClient } from '../service/client/service-client.ts'
import { ServiceFailure } from '../service/client/service-failure.ts'

/** The part of the settings that says where the translation service is. */
interface ServicePlace {
  readonly url?: string | undefined
  readonly apiKey?: string | undefined
}

/**
 * Why the configured service would not serve now, in one line with what to do about it; undefined when it would, or when
 * it is the embedded one. Never rejects.
 */
export async function serviceWarning({ url, apiKey = '' }: ServicePlace): Promise<string | undefined> {
  if (url === undefined) return undefined
  try {
    await new ServiceClient({ url, apiKey }).languages()
    return undefined
  } catch (error) {
    return `WARNING: ${mishap(url, apiKey, error)} Until then calls hear the original voices.`
  }
}

function mishap(url: string, apiKey: string, error: unknown): string {
  const failure = error instanceof ServiceFailure ? error : undefined
  const message = failure?.message ?? String(error)
  if (failure?.code === 'unreachable' || failure?.code === 'timeout')
    return `nothing answers at service.url, ${url}: start the service there, or mend the address.`
  if (failure?.by !== 'service')
    return `what answers at service.url, ${url}, is no translation service (${message}): mend the address.`
  if (!/unauthorized|forbidden|key|token/i.test(message))
    return `the service at ${url} refuses (${message}): see its log.`
  const mend = 'set service.apiKey (DRAGOMAN_SERVICE_API_KEY, or …_FILE) to a key of that service.'
  if (apiKey === '') return `the service at ${url} wants an API key, and none is set: ${mend}`
  return `the service at ${url} refuses the API key (${message}): ${mend}`
}
