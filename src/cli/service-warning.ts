import { ServiceClient } from '../service/client/service-client.ts'
import { ServiceFailure } from '../service/client/service-failure.ts'

/** The settings with the address of the translation service. */
interface ServicePlace {
  readonly url?: string | undefined
  readonly apiKey?: string | undefined
}

/**
 * Returns why the configured service does not work, in one line with the fix. Returns undefined if it works or is
 * embedded. Never rejects.
 */
export async function serviceWarning({ url, apiKey = '' }: ServicePlace): Promise<string | undefined> {
  if (url === undefined) return undefined
  try {
    await new ServiceClient({ url, apiKey }).languages()
    return undefined
  } catch (error) {
    return `WARNING: ${mishap(url, apiKey, error)} Until then, calls hear the original voices.`
  }
}

function mishap(url: string, apiKey: string, error: unknown): string {
  const failure = error instanceof ServiceFailure ? error : undefined
  const message = failure?.message ?? String(error)
  if (failure?.code === 'unreachable' || failure?.code === 'timeout')
    return `nothing answers at service.url, ${url}: start the service, or fix the address.`
  if (failure?.by !== 'service')
    return `the server at service.url, ${url}, is not a translation service (${message}): fix the address.`
  if (!/unauthorized|forbidden|key|token/i.test(message))
    return `the service at ${url} rejects requests (${message}): see its log.`
  const mend = 'set service.apiKey (DRAGOMAN_SERVICE_API_KEY, or …_FILE) to a key of that service.'
  if (apiKey === '') return `the service at ${url} requires an API key, and none is set: ${mend}`
  return `the service at ${url} rejected the API key (${message}): ${mend}`
}
