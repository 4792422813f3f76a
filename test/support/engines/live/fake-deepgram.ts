import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import { samplesOf } from '../../../../src/transcode/pcm.ts'
import { FAKE_KEY, type FakeConversation, FakeLiveServer, Refusal } from './fake-live-server.ts'
import { ToneEars, type ToneWord } from './tone-ears.ts'

const RATE = 16_000
const NOVA = [
  ...['model', 'language', 'encoding', 'sample_rate', 'channels', 'interim_results', 'smart_format'],
  ...['vad_events', 'endpointing', 'utterance_end_ms', 'keyterm'],
]
const FLUX = [
  'model',
  'encoding',
  'sample_rate',
  'language_hint',
  'eot_threshold',
  'eot_timeout_ms',
  'keyterm',
]

const refuse = (reason: string) =>
  new Refusal(reason, { type: 'Error', code: 'INVALID_MESSAGE', description: reason }, 1008)

/** A strict fake of Deepgram's live transcription of tones. */
export class FakeDeepgram extends FakeLiveServer {
  /** The service closes a connection that gets nothing for this long (ms). */
  idleMs = 10_000
  /** The queries of all connections. */
  readonly queries: URLSearchParams[] = []

  protected refuse({ url = '', headers }: IncomingMessage): { reason: string; status: number } | undefined {
    const { pathname, searchParams } = new URL(url, 'ws://fake')
    if (url.includes(FAKE_KEY)) return { reason: 'the key in the address', status: 400 }
    if (headers.authorization !== `Token ${FAKE_KEY}`) return { reason: 'a wrong key', status: 401 }
    const known = pathname === '/v1/listen' ? NOVA : pathname === '/v2/listen' ? FLUX : undefined
    if (!known) return { reason: `the path ${pathname}`, status: 404 }
    const unknown = [...searchParams.keys()].find(name => !known.includes(name))
    if (unknown !== undefined) return { reason: `the parameter ${unknown}`, status: 400 }
    if (searchParams.get('encoding') !== 'linear16' || searchParams.get('sample_rate') !== String(RATE))
      return { reason: 'raw audio without its encoding or rate', status: 400 }
    if (searchParams.has('utterance_end_ms') && searchParams.get('interim_results') !== 'true')
      return { reason: 'utterance_end_ms without interim_results', status: 400 }
    const flux = searchParams.get('model')?.startsWith('flux') ?? false
    if (flux !== (pathname === '/v2/listen')) return { reason: 'a model at the other path', status: 400 }
    return undefined
  }

  protected converse(
    send: (message: object) => void,
    { url = '' }: IncomingMessage,
    socket: WebSocket,
  ): FakeConversation {
    this.queries.push(new URL(url, 'ws://fake').searchParams)
    const talk = url.startsWith('/v2/') ? new Flux(send) : new Nova(send)
    const idle = setTimeout(() => {
      this.refusals.push('neither audio nor KeepAlive')
      send({ type: 'Error', code: 'NET-0001', description: 'no audio within the timeout window' })
      socket.close(1011)
    }, this.idleMs)
    return {
      message: message => {
        idle.refresh()
        talk.message(message)
      },
      binary: data => {
        idle.refresh()
        talk.binary(data)
      },
      closed: () => clearTimeout(idle),
    }
  }
}

function pcmOf(data: Buffer): Int16Array {
  if (data.length % 2 !== 0) throw refuse('half a sample')
  return samplesOf(new Uint8Array(data)).slice()
}

class Nova {
  readonly #send: (message: object) => void
  readonly #ears: ToneEars
  #closed = false

  constructor(send: (message: object) => void) {
    this.#send = send
    this.#ears = new ToneEars(RATE, {
      began: (word, ms) => this.#results(word.word.slice(0, 2), ms, ms + 100, {}),
      ended: (word, fromMs, toMs) => {
        // A word in two final pieces: only together they are the utterance.
        this.#results(word.word, fromMs, toMs, { is_final: true })
        this.#results('', toMs, toMs + 100, { is_final: true, speech_final: true })
      },
    })
    send({ type: 'Metadata', request_id: 'r' })
  }

  message({ type }: Record<string, unknown>): void {
    if (this.#closed) throw refuse('a message after CloseStream')
    if (type === 'KeepAlive') return
    if (type === 'CloseStream') {
      this.#closed = true
      return
    }
    if (type !== 'Finalize') throw refuse(`an event ${String(type)}`)
    this.#ears.finish()
    this.#results('', this.#ears.ms, this.#ears.ms, { is_final: true, from_finalize: true })
  }

  binary(data: Buffer): void {
    if (data.toString('latin1').startsWith('{')) throw refuse('a control message as binary')
    if (this.#closed) throw refuse('audio after CloseStream')
    this.#ears.write(pcmOf(data))
  }

  #results(transcript: string, fromMs: number, toMs: number, marks: object): void {
    this.#send({
      type: 'Results',
      channel_index: [0, 1],
      start: fromMs / 1_000,
      duration: (toMs - fromMs) / 1_000,
      is_final: false,
      speech_final: false,
      ...marks,
      channel: {
        alternatives: [
          {
            ...{ transcript, confidence: 0.9 },
            words: (transcript.match(/\S+/g) ?? []).map(word => ({
              ...{ word, start: fromMs / 1_000, end: toMs / 1_000, confidence: 0.75 },
            })),
          },
        ],
      },
    })
  }
}

class Flux {
  readonly #send: (message: object) => void
  readonly #ears: ToneEars
  #turn = 0

  constructor(send: (message: object) => void) {
    this.#send = send
    this.#ears = new ToneEars(RATE, {
      began: (word, ms) => {
        this.#info('StartOfTurn', '', ms, ms)
        this.#info('Update', word.word.slice(0, 2), ms, ms + 100)
      },
      ended: (word, fromMs, _toMs, ms) => {
        this.#info('EagerEndOfTurn', word.word, fromMs, ms)
        this.#info('TurnResumed', word.word, fromMs, ms)
        this.#end(word, fromMs, ms)
      },
    })
    send({ type: 'Connected', request_id: 'r', sequence_id: 0 })
  }

  message({ type }: Record<string, unknown>): void {
    if (type !== 'CloseStream') throw refuse(`an event ${String(type)}`)
  }

  binary(data: Buffer): void {
    this.#ears.write(pcmOf(data))
  }

  #end({ word }: ToneWord, fromMs: number, ms: number): void {
    this.#info('EndOfTurn', word, fromMs, ms)
    this.#turn++
  }

  #info(event: string, transcript: string, fromMs: number, toMs: number): void {
    this.#send({
      type: 'TurnInfo',
      request_id: 'r',
      event,
      turn_index: this.#turn,
      audio_window_start: fromMs / 1_000,
      audio_window_end: toMs / 1_000,
      transcript,
      languages: ['en'],
      trigger: 'model',
    })
  }
}
