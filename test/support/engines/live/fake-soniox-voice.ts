import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import { bytesOf, concat } from '../../../../src/transcode/pcm.ts'
import { sine } from '../../transcode/tone.ts'
import { FAKE_KEY, type FakeConversation, FakeLiveServer, onlyFields, Refusal } from './fake-live-server.ts'
import { TONE_WORDS } from './tone-ears.ts'

const RATES = [8_000, 16_000, 24_000, 44_100, 48_000]
const LANGUAGES = ['en', 'es', 'fr', 'de', 'pt', 'it']
const VOICES = ['Adrian', 'Maya']
const MS_PER_LETTER = 40
const PIECE_MS = 100
const MOST_STREAM_MS = 120_000
const MOST_STREAMS = 5
const MOST_CONNECTIONS = 3

const refuse = (reason: string) =>
  new Refusal(reason, { error_code: 400, error_type: 'invalid_request', error_message: reason })

/** A fault of one stream: reported on it, while the others go on. */
class StreamRefusal extends Error {
  readonly code: number

  constructor(reason: string, code = 400) {
    super(reason)
    this.code = code
  }
}

/** A strict fake of Soniox's voices: it speaks the words of the tone language as tones, any other word as 440 Hz. */
export class FakeSonioxVoice extends FakeLiveServer {
  /** The texts of all streams by id, and their configurations, in order. */
  readonly texts = new Map<string, string>()
  readonly streams: Record<string, unknown>[] = []
  /** Ids of cancelled streams. */
  readonly cancelled: string[] = []
  /** Codes with which the next streams fail, each after this many pieces of speech. */
  readonly faults: { readonly code: number; readonly after: number }[] = []
  /** Number of keep-alive messages. */
  keptAlive = 0
  /** Maximum number of streams that were open on a connection. */
  mostStreams = 0

  protected refuse({ url = '', headers }: IncomingMessage): { reason: string; status: number } | undefined {
    if (url.includes(FAKE_KEY)) return { reason: 'the key in the address', status: 400 }
    if (headers.authorization !== `Bearer ${FAKE_KEY}`) return { reason: 'a wrong key', status: 401 }
    if (url !== '/tts-websocket') return { reason: `the path ${url}`, status: 404 }
    if (this.sockets.size >= MOST_CONNECTIONS) return { reason: 'a fourth connection', status: 429 }
    return undefined
  }

  protected converse(
    send: (message: object) => void,
    _request: IncomingMessage,
    socket: WebSocket,
  ): FakeConversation {
    return new Voices(this, send, socket)
  }
}

interface Stream {
  readonly id: string
  readonly rate: number
  readonly fault: { readonly code: number; readonly after: number } | undefined
  text: string
  complete: boolean
  cancelled: boolean
  pieces: Int16Array[]
  sent: number
  spokenMs: number
}

class Voices implements FakeConversation {
  readonly #server: FakeSonioxVoice
  readonly #send: (message: object) => void
  readonly #streams = new Map<string, Stream>()
  readonly #timer: NodeJS.Timeout

  constructor(server: FakeSonioxVoice, send: (message: object) => void, socket: WebSocket) {
    this.#server = server
    this.#send = send
    this.#timer = setInterval(() => this.#speak(), 1)
    socket.on('close', () => clearInterval(this.#timer))
  }

  message(message: Record<string, unknown>): void {
    if ('api_key' in message) throw refuse('the key in a message')
    if ('keep_alive' in message) {
      onlyFields(message, ['keep_alive'], refuse)
      this.#server.keptAlive++
      return
    }
    const id = message.stream_id
    if (typeof id !== 'string' || id === '') throw refuse('a message without stream_id')
    try {
      if ('model' in message) this.#begin(id, message)
      else if ('cancel' in message) this.#cancel(id, message)
      else this.#text(id, message)
    } catch (error) {
      if (!(error instanceof StreamRefusal)) throw error
      this.#server.refusals.push(error.message)
      this.#fail(id, error.code)
    }
  }

  #begin(id: string, message: Record<string, unknown>): void {
    onlyFields(
      message,
      ['stream_id', 'model', 'language', 'voice', 'audio_format', 'sample_rate', 'speed'],
      refuse,
    )
    if (this.#streams.has(id)) throw refuse('a stream_id that is in use')
    if (this.#streams.size >= MOST_STREAMS) throw new StreamRefusal('a sixth stream', 429)
    const { language, voice, audio_format: format, sample_rate: rate } = message
    if (message.model !== 'tts-rt-v2') throw new StreamRefusal(`the model ${String(message.model)}`)
    if (!LANGUAGES.includes(String(language))) throw new StreamRefusal(`the language ${String(language)}`)
    if (!VOICES.includes(String(voice))) throw new StreamRefusal(`the voice ${String(voice)}`)
    if (format !== 'pcm_s16le' || !RATES.includes(Number(rate))) throw new StreamRefusal('another format')
    this.#server.streams.push(message)
    this.#streams.set(id, {
      id,
      rate: Number(rate),
      fault: this.#server.faults.shift(),
      text: '',
      complete: false,
      cancelled: false,
      pieces: [],
      sent: 0,
      spokenMs: 0,
    })
    this.#server.mostStreams = Math.max(this.#server.mostStreams, this.#streams.size)
  }

  #text(id: string, message: Record<string, unknown>): void {
    onlyFields(message, ['stream_id', 'text', 'text_end'], refuse)
    const stream = this.#streams.get(id)
    if (!stream) throw new StreamRefusal('text of an unknown stream')
    if (stream.complete) throw new StreamRefusal('text after the end')
    if (typeof message.text !== 'string' || typeof message.text_end !== 'boolean')
      throw new StreamRefusal('text without text_end')
    stream.text += message.text
    stream.complete = message.text_end
    this.#server.texts.set(id, (this.#server.texts.get(id) ?? '') + message.text)
    // A word that is not complete waits for its end.
    const ready = stream.complete ? stream.text.length : stream.text.lastIndexOf(' ') + 1
    const words = stream.text.slice(0, ready)
    stream.text = stream.text.slice(ready)
    const voice = concat(words.split(/\s+/).flatMap(word => spoken(word, stream.rate)))
    const size = (stream.rate * PIECE_MS) / 1_000
    for (let at = 0; at < voice.length; at += size) stream.pieces.push(voice.slice(at, at + size))
    stream.spokenMs += (voice.length * 1_000) / stream.rate
    if (stream.spokenMs > MOST_STREAM_MS) throw new StreamRefusal('over two minutes of speech')
  }

  #cancel(id: string, message: Record<string, unknown>): void {
    onlyFields(message, ['stream_id', 'cancel'], refuse)
    const stream = this.#streams.get(id)
    // Its end and the request can cross.
    if (!stream) return
    this.#server.cancelled.push(id)
    stream.cancelled = true
  }

  /** Sends a piece of each stream; one more after a cancellation. */
  #speak(): void {
    for (const stream of Array.from(this.#streams.values())) {
      const { id, fault } = stream
      if (fault && stream.sent >= fault.after) {
        this.#fail(id, fault.code)
        continue
      }
      const piece = stream.pieces.shift()
      if (piece) {
        stream.sent++
        this.#send({ stream_id: id, audio: Buffer.from(bytesOf(piece)).toString('base64') })
      }
      if (stream.cancelled || (stream.complete && stream.pieces.length === 0)) {
        if (!stream.cancelled) this.#send({ stream_id: id, audio: '', audio_end: true })
        // Unknown fields and messages must not disturb a client.
        this.#send({ stream_id: id, usage: { characters: 1 } })
        this.#streams.delete(id)
        this.#send({ stream_id: id, terminated: true })
      }
    }
  }

  #fail(id: string, code: number): void {
    this.#streams.delete(id)
    this.#send({ stream_id: id, error_code: code, error_message: 'No.' })
    this.#send({ stream_id: id, terminated: true })
  }
}

/** The speech of a word, with a short pause after it. */
function spoken(word: string, rate: number): Int16Array[] {
  if (word === '') return []
  const known = TONE_WORDS.find(({ translation }) => word.toLowerCase().startsWith(translation))
  const ms = known ? 400 : MS_PER_LETTER * word.length
  return [sine(known?.spokenHz ?? 440, ms, 8_000, rate), new Int16Array((rate * 40) / 1_000)]
}
