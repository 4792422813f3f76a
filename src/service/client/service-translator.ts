import { type Clock, systemClock } from '../../core/clock.ts'
import type { Connection, ConnectionSink, TranslationRequest, Translator } from '../../core/translator.ts'
import { SAMPLE_RATE } from '../../transcode/pcm.ts'
import type { ReceiveAudio, SendAudio } from '../contract.ts'
import { RESULT_PLACES, type ResultPlaces } from './result-reader.ts'
import { baseUrl, connectionQuery } from './service-address.ts'
import { type ConnectionDeadlines, ServiceConnection } from './service-connection.ts'

export interface ServiceTranslatorOptions {
  /** Base address of the service, `http://` or `https://`; a function when it may change (an embedded service). */
  readonly url: string | (() => string)
  readonly apiKey: string
  /** `streaming` (default): translated voice in pieces as it is made. `block`: one result an utterance. */
  readonly mode?: ReceiveAudio['mode']
  readonly deadlines?: Partial<ConnectionDeadlines>
  readonly clock?: Clock
  /** Where to find text and mp3 in `result`, for servers that name them otherwise. */
  readonly places?: Partial<ResultPlaces>
  /** Default 2 MB: more than two minutes of mp3 in one message. */
  readonly maxMessageBytes?: number
}

const SEND: SendAudio = { broadcastVia: 'chunk', codec: 'linear16', sampleRate: SAMPLE_RATE }
const DEADLINES: ConnectionDeadlines = { connectMs: 3_000, startMs: 3_000 }

/** Any server of the translation-service interface, as the relay's translator. */
export class ServiceTranslator implements Translator {
  readonly #options: ServiceTranslatorOptions
  readonly #connections = new Set<Connection>()
  #closed = false

  constructor(options: ServiceTranslatorOptions) {
    if (typeof options.url === 'string') baseUrl(options.url)
    this.#options = options
  }

  open(request: TranslationRequest, sink: ConnectionSink): Connection {
    if (this.#closed) throw new RangeError('this translator is closed')
    const {
      url,
      apiKey,
      mode = 'streaming',
      deadlines,
      clock = systemClock,
      places,
      maxMessageBytes = 2_000_000,
    } = this.#options
    const receiveAudio: ReceiveAudio = { obtainVia: 'chunk', codec: 'mp3', sampleRate: SAMPLE_RATE, mode }
    const speech = request.want === 'speech'
    const connection: Connection = new ServiceConnection(
      {
        url: `${baseUrl(typeof url === 'string' ? url : url())}/${speech ? 'sts' : 'stt'}`,
        apiKey,
        query: connectionQuery({
          from: request.from,
          sendAudio: SEND,
          ...(speech ? { to: request.to, receiveAudio } : {}),
        }),
        deadlines: { ...DEADLINES, ...deadlines },
        clock,
        places: { ...RESULT_PLACES, ...places },
        maxMessageBytes,
      },
      {
        ready: () => sink.ready(),
        acked: (sequence, ok) => sink.acked(sequence, ok),
        result: result => sink.result(result),
        endOfSpeech: () => sink.endOfSpeech(),
        fault: error => sink.fault(error),
        ended: reason => {
          this.#connections.delete(connection)
          sink.ended(reason)
        },
      },
    )
    this.#connections.add(connection)
    return connection
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const connection of this.#connections) connection.close()
  }
}
