import type { IncomingMessage } from 'node:http'
import { bytesOf } from '../../../../src/transcode/pcm.ts'
import { sine } from '../../transcode/tone.ts'
import { FAKE_KEY, type FakeConversation, FakeLiveServer, onlyFields, Refusal } from './fake-live-server.ts'

const RATE = 24_000
const MS_PER_LETTER = 40
const PIECE_MS = 100

/** The speech of a text in pieces: 440 Hz, 40 ms for each letter. */
function spoken(text: string): string[] {
  const voice = sine(440, MS_PER_LETTER * text.trim().length, 8_000, RATE)
  const size = (RATE * PIECE_MS) / 1_000
  const pieces: string[] = []
  for (let at = 0; at < voice.length; at += size)
    pieces.push(Buffer.from(bytesOf(voice.slice(at, at + size))).toString('base64'))
  return pieces
}

/** A text that is being spoken, with the messages that are still to be sent. */
interface Context {
  readonly id: string
  pieces: string[]
  complete: boolean
  cancelled: boolean
}

/** Sends a piece of each context in turn, and one more after a cancellation. */
class Contexts {
  readonly open = new Map<string, Context>()
  readonly #timer: NodeJS.Timeout

  constructor(piece: (id: string, audio: string) => void, end: (id: string) => void) {
    this.#timer = setInterval(() => {
      for (const context of Array.from(this.open.values())) {
        const next = context.pieces.shift()
        if (next !== undefined) piece(context.id, next)
        if (!context.cancelled && (!context.complete || context.pieces.length > 0)) continue
        this.open.delete(context.id)
        end(context.id)
      }
    }, 1)
  }

  of(id: string): Context {
    const known = this.open.get(id) ?? { id, pieces: [], complete: false, cancelled: false }
    this.open.set(id, known)
    return known
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}

const CARTESIA_VOICE = 'a0e99841-438c-4a64-b679-ae501e7d6091'

/** A strict fake of Cartesia's WebSocket: contexts whose messages repeat their configuration. */
export class FakeCartesia extends FakeLiveServer {
  readonly voice = CARTESIA_VOICE
  /** Ids of cancelled contexts. */
  readonly cancelled: string[] = []
  /** Statuses with which the next contexts fail. */
  readonly faults: number[] = []
  mostContexts = 0

  protected refuse({ url = '', headers }: IncomingMessage): { reason: string; status: number } | undefined {
    if (url.includes(FAKE_KEY)) return { reason: 'the key in the address', status: 400 }
    if (headers['x-api-key'] !== FAKE_KEY) return { reason: 'a wrong key', status: 401 }
    if (!/^\d{4}-\d\d-\d\d$/.test(String(headers['cartesia-version'])))
      return { reason: 'no version', status: 400 }
    return url === '/tts/websocket' ? undefined : { reason: `the path ${url}`, status: 404 }
  }

  protected converse(send: (message: object) => void): FakeConversation {
    const refuse = (reason: string) => new Refusal(reason, { type: 'error', status_code: 400, title: reason })
    const contexts = new Contexts(
      (id, data) =>
        send({ type: 'chunk', context_id: id, data, done: false, status_code: 206, step_time: 1 }),
      id => send({ type: 'done', context_id: id, done: true, status_code: 200 }),
    )
    const failing = new Set<string>()
    return {
      message: message => {
        const id = message.context_id
        if (typeof id !== 'string' || !/^[\w-]+$/.test(id)) throw refuse('a context_id of other characters')
        if ('cancel' in message) {
          onlyFields(message, ['context_id', 'cancel'], refuse)
          this.cancelled.push(id)
          if (contexts.open.has(id)) contexts.of(id).cancelled = true
          return
        }
        onlyFields(
          message,
          [
            ...['context_id', 'model_id', 'transcript', 'voice', 'language', 'output_format', 'continue'],
            ...['max_buffer_delay_ms', 'flush', 'add_timestamps', 'generation_config'],
          ],
          refuse,
        )
        const { model_id: model, voice, language, output_format: format } = message
        if (model !== 'sonic-3.5') throw refuse(`the model ${String(model)}`)
        if (JSON.stringify(voice) !== JSON.stringify({ mode: 'id', id: CARTESIA_VOICE }))
          throw refuse('an unknown voice')
        if (!/^[a-z]{2}$/.test(String(language))) throw refuse(`the language ${String(language)}`)
        const expected = { container: 'raw', encoding: 'pcm_s16le', sample_rate: RATE }
        if (JSON.stringify(format) !== JSON.stringify(expected)) throw refuse('another format')
        const status = failing.has(id) ? undefined : this.faults.shift()
        if (status !== undefined) {
          failing.add(id)
          send({
            type: 'error',
            context_id: id,
            status_code: status,
            title: 'No.',
            error_code: 'no',
            done: true,
          })
          return
        }
        const context = contexts.of(id)
        if (context.complete) throw refuse('text after the end of a context')
        context.pieces.push(...spoken(String(message.transcript)))
        context.complete = message.continue !== true
        this.mostContexts = Math.max(this.mostContexts, contexts.open.size)
      },
      closed: () => contexts.stop(),
    }
  }
}

const ELEVENLABS_VOICE = 'JBFqnCBsd6RMkjVDRZzb'
const QUERY = [
  'model_id',
  'output_format',
  'inactivity_timeout',
  'language_code',
  'auto_mode',
  'sync_alignment',
]
const MOST_CONTEXTS = 5
/** Text that is not flushed waits for this many characters. */
const BUFFERED = 120

/** A strict fake of ElevenLabs' `multi-stream-input`: one voice for each connection, five contexts on it. */
export class FakeElevenLabs extends FakeLiveServer {
  readonly voice = ELEVENLABS_VOICE
  readonly cancelled: string[] = []
  readonly faults: number[] = []
  mostContexts = 0

  protected refuse({ url = '', headers }: IncomingMessage): { reason: string; status: number } | undefined {
    const { pathname, searchParams } = new URL(url, 'ws://fake')
    if (url.includes(FAKE_KEY)) return { reason: 'the key in the address', status: 400 }
    if (headers['xi-api-key'] !== FAKE_KEY) return { reason: 'a wrong key', status: 401 }
    if (pathname !== `/v1/text-to-speech/${ELEVENLABS_VOICE}/multi-stream-input`)
      return { reason: `the path ${pathname}`, status: 404 }
    const unknown = [...searchParams.keys()].find(name => !QUERY.includes(name))
    if (unknown !== undefined) return { reason: `the parameter ${unknown}`, status: 400 }
    if (searchParams.get('output_format') !== `pcm_${RATE}`) return { reason: 'another format', status: 400 }
    if (Number(searchParams.get('inactivity_timeout') ?? 20) > 180)
      return { reason: 'a long inactivity_timeout', status: 400 }
    return undefined
  }

  protected converse(send: (message: object) => void): FakeConversation {
    const refuse = (reason: string) =>
      new Refusal(reason, { message: reason, error: 'invalid_message', code: 1008 })
    const contexts = new Contexts(
      (id, audio) => send({ audio, contextId: id, alignment: null }),
      id => send({ isFinal: true, contextId: id }),
    )
    const waiting = new Map<string, string>()
    return {
      message: message => {
        onlyFields(
          message,
          ['text', 'context_id', 'voice_settings', 'flush', 'close_context', 'close_socket', 'xi_api_key'],
          refuse,
        )
        if ('xi_api_key' in message) throw refuse('the key in a message')
        const id = message.context_id
        if (typeof id !== 'string') throw refuse('a message without context_id')
        if (message.close_context === true) {
          const context = contexts.open.get(id)
          if (!context) return
          // Flushed text is still spoken; a client that closes a context again does not wait for that.
          if (context.complete) this.cancelled.push(id)
          context.complete = true
          return
        }
        if (typeof message.text !== 'string') throw refuse('a message without text')
        if (!contexts.open.has(id)) {
          if (message.text !== ' ') throw refuse('a context that does not begin with a blank')
          if (contexts.open.size >= MOST_CONTEXTS) throw refuse('a sixth context')
          const fault = this.faults.shift()
          if (fault !== undefined) {
            send({
              message: 'No.',
              error: fault >= 500 ? 'internal_error' : 'voice_not_found',
              code: fault,
              contextId: id,
            })
            return
          }
          contexts.of(id)
          this.mostContexts = Math.max(this.mostContexts, contexts.open.size)
          return
        }
        if (message.text !== '' && !message.text.endsWith(' '))
          throw refuse('text that does not end with a blank')
        const text = (waiting.get(id) ?? '') + message.text
        const ready = message.flush === true || text.length >= BUFFERED
        waiting.set(id, ready ? '' : text)
        if (ready) contexts.of(id).pieces.push(...spoken(text))
      },
      closed: () => contexts.stop(),
    }
  }
}
