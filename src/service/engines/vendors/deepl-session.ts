import { z } from 'zod'
import type { LanguageId } from '../../../common/language.ts'
import { SocketFault } from '../wire/engine-socket.ts'
import type { LiveAddress } from '../wire/live-protocol.ts'
import type { DeepLVoiceOptions } from './settings.ts'

const replySchema = z.object({ streaming_url: z.string(), token: z.string().min(1) })

/** Path of sessions, to which the streaming address of the reply belongs. */
const PATH = '/v3/voice/realtime'
const MOST_REPLY_BYTES = 64 << 10
/** Statuses after which another attempt can succeed, in addition to 5xx. */
const PASSING: readonly number[] = [408, 425, 429]

/** Languages of a session, and its voice. */
export interface DeepLSessionRequest {
  readonly source: string
  readonly target: string
  readonly voice: 'male' | 'female'
  readonly glossaryId: string | undefined
  readonly rate: { readonly in: number; readonly out: number }
}

/**
 * A session of DeepL Voice, which outlives its connections (API reference, Voice). Each connection needs a token, which
 * is valid once: the first one comes with the session, each further one is requested with the previous one.
 */
export class DeepLSession {
  readonly #options: DeepLVoiceOptions
  readonly #request: DeepLSessionRequest
  #token: string | undefined

  constructor(options: DeepLVoiceOptions, request: DeepLSessionRequest) {
    this.#options = options
    this.#request = request
  }

  /** True if the next connection can continue it. */
  get resumable(): boolean {
    return this.#token !== undefined
  }

  /** The service has ended it, or it was ended: the next connection starts another one. */
  end(): void {
    this.#token = undefined
  }

  /**
   * Returns the address of the next connection, and whether it continues the session. Rejects with a `SocketFault`,
   * without the token or the key.
   */
  async connect(signal: AbortSignal): Promise<LiveAddress & { readonly resumed: boolean }> {
    const token = this.#token
    if (token !== undefined) {
      try {
        return {
          ...(await this.#ask(`${PATH}?token=${encodeURIComponent(token)}`, undefined, signal)),
          resumed: true,
        }
      } catch (error) {
        if (!(error instanceof SocketFault) || error.passing) throw error
        // The session is gone, for example after 30 s without audio.
        this.#token = undefined
      }
    }
    return { ...(await this.#ask(PATH, this.#settings(), signal)), resumed: false }
  }

  #settings(): object {
    const { formality } = this.#options
    const { source, target, voice, rate, glossaryId } = this.#request
    return {
      source_media_content_type: `audio/pcm;encoding=s16le;rate=${rate.in}`,
      source_language: source,
      source_language_mode: 'fixed',
      target_languages: [target],
      target_media_languages: [target],
      target_media_content_type: `audio/pcm;encoding=s16le;rate=${rate.out}`,
      target_media_voice: voice,
      message_format: 'json',
      ...(formality === 'default' ? {} : { formality }),
      ...(glossaryId === undefined ? {} : { glossary_id: glossaryId }),
    }
  }

  async #ask(path: string, body: object | undefined, signal: AbortSignal): Promise<LiveAddress> {
    const { url, apiKey, timeoutMs } = this.#options
    let reply: unknown
    try {
      const response = await fetch(url + path, {
        method: body ? 'POST' : 'GET',
        headers: {
          ...(apiKey === undefined ? {} : { authorization: `DeepL-Auth-Key ${apiKey}` }),
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      })
      if (!response.ok) {
        await response.body?.cancel()
        const { status } = response
        throw new SocketFault(`answered ${status}`, {
          passing: status >= 500 || PASSING.includes(status),
          code: status,
        })
      }
      reply = JSON.parse(await boundedText(response))
    } catch (error) {
      if (error instanceof SocketFault) throw error
      // Errors of fetch can contain the address, which has the token.
      throw new SocketFault('cannot be reached', { passing: !signal.aborted })
    }
    const { data } = replySchema.safeParse(reply)
    const address = data && URL.parse(data.streaming_url)
    if (!address || !/^wss?:$/.test(address.protocol))
      throw new SocketFault('answered without a streaming address', { passing: false })
    this.#token = data.token
    address.searchParams.set('token', data.token)
    return { url: address.href }
  }
}

/** Reads the text of a reply. Rejects if it is longer than a session can need. */
async function boundedText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of response.body ?? []) {
    bytes += piece.length
    if (bytes > MOST_REPLY_BYTES) throw new RangeError(`a reply of over ${MOST_REPLY_BYTES} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** Languages that the service understands, and speaks (API reference, Voice, "Request Session"). */
const UNDERSTOOD = [
  ...['ar', 'bg', 'bn', 'cs', 'da', 'de', 'el', 'en', 'es', 'et', 'fi', 'fr', 'ga', 'he', 'hr', 'hu', 'id'],
  ...['it', 'ja', 'ko', 'lt', 'lv', 'mt', 'nb', 'nl', 'pl', 'pt', 'ro', 'ru', 'sk', 'sl', 'sv', 'th', 'tl'],
  ...['tr', 'uk', 'vi', 'zh'],
]
const SPOKEN = [
  ...['ar', 'bg', 'cs', 'da', 'de', 'el', 'en', 'es', 'fi', 'fr', 'hu', 'id', 'it', 'ja', 'ko', 'nb', 'nl'],
  ...['pl', 'pt', 'ro', 'ru', 'sk', 'sv', 'tr', 'uk', 'vi', 'zh'],
]
/** Targets with a region; the others have none. */
const REGIONS: Readonly<Record<LanguageId, string>> = {
  'en-us': 'en-US',
  'en-gb': 'en-GB',
  'pt-br': 'pt-BR',
  'pt-pt': 'pt-PT',
  'zh-cn': 'zh-HANS',
  'zh-tw': 'zh-HANT',
}

/** Returns the code of a source language, if the service understands it. */
export function deeplSource(language: LanguageId): string | undefined {
  const code = language.split('-', 1)[0]!
  return UNDERSTOOD.includes(code) ? code : undefined
}

/** Returns the code of a target language, if the service speaks it. */
export function deeplTarget(language: LanguageId): string | undefined {
  const code = language.split('-', 1)[0]!
  return SPOKEN.includes(code) ? (REGIONS[language] ?? code) : undefined
}
