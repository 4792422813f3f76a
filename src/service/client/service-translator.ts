import { type Clock, systemClock } from '../../common/clock.ts'
import type {
  Connection,
  ConnectionSink,
  TranslationRequest,
  Translator,
} from '../../core/translation/translator.ts'
import type { ReceiveAudio } from '../contract.ts'
import { baseUrl } from './base-url.ts'
import { RESULT_PLACES, type ResultPlaces } from './result-reader.ts'
import { ServiceConnection } from './service-connection.ts'
import { sessionQuery } from './session-parameters.ts'

/** Address of the service, and options of its sessions. */
export interface ServiceTranslatorOptions {
  /** Base address of the service, `http://` or `https://`; a function if it can change (an embedded service). */
  readonly url: string | (() => string)
  readonly apiKey: string
  /** `streaming` (default): translated speech in pieces as it is made. `block`: one result per utterance. */
  readonly mode?: ReceiveAudio['mode']
  /** Timeouts (ms) for the handshake, and from there to `start`. Default 3 s each. */
  readonly deadlines?: { readonly connectMs?: number; readonly startMs?: number }
  readonly clock?: Clock
  /** Paths of text and mp3 in `result`, for servers that use other names. */
  readonly places?: Partial<ResultPlaces>
  /**
   * Lifetime of a session at the service (ms): sessions are replaced in a pause before it ends. Default: as announced
   * by `connected`.
   */
  readonly sessionMs?: number
  /** Default 2 MB: more than two minutes of mp3 in one message. */
  readonly maxMessageBytes?: number
}

/** Adapts any server of the translation-service interface to the relay's translator. */
export class ServiceTranslator implements Translator {
  readonly #options: ServiceTranslatorOptions
  readonly #connections = new Set<Connection>()
  #closed = false

  constructor(options: ServiceTranslatorOptions) {
    if (typeof options.url === 'string') baseUrl(options.url)
    this.#options = options
  }

  open({ from, to, want, voice }: TranslationRequest, sink: ConnectionSink): Connection {
    if (this.#closed) throw new RangeError('this translator is closed')
    const { url, apiKey, mode = 'streaming', deadlines = {}, places } = this.#options
    const { clock = systemClock, maxMessageBytes = 2_000_000, sessionMs } = this.#options
    const { connectMs = 3_000, startMs = 3_000 } = deadlines
    const heard = { languageIdSource: from, partials: true }
    const connection = new ServiceConnection(
      {
        url: `${baseUrl(typeof url === 'string' ? url : url())}${want === 'speech' ? '/sts' : '/stt'}`,
        apiKey,
        query:
          want === 'speech'
            ? sessionQuery('/sts', {
                ...heard,
                languageIdTarget: to,
                receiveAudio: { mode },
                ...(voice === undefined ? {} : { voiceId: voice }),
              })
            : sessionQuery('/stt', heard),
        connectMs,
        startMs,
        clock,
        places: { ...RESULT_PLACES, ...places },
        voice: want === 'speech' ? mode : 'none',
        maxMessageBytes,
        lifeMs: sessionMs,
      },
      sink,
      ended => this.#connections.delete(ended),
    )
    this.#connections.add(connection)
    return connection
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const connection of this.#connections) connection.close()
  }
}
