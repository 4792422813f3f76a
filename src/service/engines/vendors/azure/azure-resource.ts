import type { Clock } from '../../../../common/clock.ts'
import { SocketFault } from '../../wire/engine-socket.ts'
import { socketUrl } from '../../wire/live-settings.ts'

/** Addresses of a speech resource. */
export interface AzureAddresses {
  /** Endpoint that exchanges the key for a token. */
  readonly token: string
  /** Recognition, for the SDK. */
  readonly recognition: string
  /** Synthesis: base address and path. */
  readonly synthesis: { readonly url: string; readonly path: string }
}

/** The endpoint that the portal shows for a resource without a custom domain. */
const REGIONAL = /^([a-z0-9]+)\.api\.cognitive\.microsoft\.com$/

/**
 * Returns the addresses of the resource whose endpoint is `url`: hosts of the region, or paths of the resource's own
 * domain (guides "Regions", "Speech service with private endpoints").
 */
export function azureAddresses(url: string): AzureAddresses {
  const token = `${url}/sts/v1.0/issueToken`
  const [, region] = REGIONAL.exec(URL.parse(url)?.hostname ?? '') ?? []
  if (region === undefined)
    return {
      token,
      recognition: socketUrl(url, '/stt/speech/universal/v2'),
      synthesis: { url, path: '/tts/cognitiveservices/v1' },
    }
  const host = (service: string) => `${region}.${service}.speech.microsoft.com`
  return {
    token,
    recognition: `wss://${host('stt')}/stt/speech/universal/v2`,
    synthesis: { url: `https://${host('tts')}`, path: '/cognitiveservices/v1' },
  }
}

/** Tokens are valid for 10 minutes (guide "Authenticate requests"). */
const VALID_MS = 8 * 60_000
const PASSING_STATUS: readonly number[] = [408, 429]

/**
 * Short-lived tokens of a resource. The SDK sends credentials in the address, which proxies log: so it never gets the
 * key itself.
 */
export class AzureTokens {
  readonly #address: string
  readonly #apiKey: string
  readonly #clock: Clock
  #known: { readonly token: string; readonly until: number } | undefined

  constructor(address: string, apiKey: string, clock: Clock) {
    this.#address = address
    this.#apiKey = apiKey
    this.#clock = clock
  }

  /** Returns a token that is valid for at least two more minutes. Rejects with a `SocketFault`. */
  async get(signal: AbortSignal): Promise<string> {
    const known = this.#known
    if (known && known.until > this.#clock.now()) return known.token
    const until = this.#clock.now() + VALID_MS
    let response: Response
    try {
      const headers = { 'ocp-apim-subscription-key': this.#apiKey }
      response = await fetch(this.#address, { method: 'POST', headers, redirect: 'manual', signal })
      if (response.ok) {
        const token = (await response.text()).trim()
        this.#known = { token, until }
        return token
      }
      await response.body?.cancel()
    } catch (cause) {
      throw new SocketFault('cannot be reached', { passing: true, cause })
    }
    const { status } = response
    const passing = status >= 500 || PASSING_STATUS.includes(status)
    throw new SocketFault(`answered ${status}`, { passing, code: status })
  }

  /** The token was rejected: the next one is requested again. */
  forget(): void {
    this.#known = undefined
  }
}
