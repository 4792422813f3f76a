import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import { bytesOf } from '../../../../src/transcode/pcm.ts'
import { sine } from '../../transcode/tone.ts'
import {
  FAKE_KEY,
  type FakeConversation,
  FakeLiveServer,
  linear16,
  onlyFields,
  Refusal,
} from './fake-live-server.ts'
import { ToneEars, type ToneWord } from './tone-ears.ts'

const RATE = 24_000
const STEP_MS = 200
/** Length of a spoken word (ms). */
export const SPOKEN_MS = 600

const refuse = (reason: string, code = 'invalid_request_error') =>
  new Refusal(reason, {
    type: 'error',
    event_id: 'e',
    error: { type: 'invalid_request_error', code, message: reason },
  })

/** A strict fake of OpenAI's realtime sessions: translation and live transcription of tones. */
export class FakeOpenAiRealtime extends FakeLiveServer {
  /** Seconds from now until sessions expire. */
  expiresIn = 3_600
  /** Languages of the translation sessions, and the words of keywords, as requested. */
  readonly sessions: Record<string, unknown>[] = []

  protected refuse({ url = '', headers }: IncomingMessage): { reason: string; status: number } | undefined {
    const { pathname, searchParams } = new URL(url, 'ws://fake')
    if (url.includes(FAKE_KEY)) return { reason: 'the key in the address', status: 400 }
    if (headers.authorization !== `Bearer ${FAKE_KEY}`) return { reason: 'a wrong key', status: 401 }
    if (pathname === '/v1/realtime/translations')
      return searchParams.get('model') === 'gpt-realtime-translate'
        ? undefined
        : { reason: 'a translation without its model', status: 400 }
    if (pathname !== '/v1/realtime') return { reason: `the path ${pathname}`, status: 404 }
    if (searchParams.has('model')) return { reason: 'a model in the address of a transcription', status: 400 }
    if (searchParams.get('intent') !== 'transcription') return { reason: 'no intent', status: 400 }
    return undefined
  }

  protected converse(
    send: (message: object) => void,
    { url = '' }: IncomingMessage,
    socket: WebSocket,
  ): FakeConversation {
    const session = {
      id: `sess_${this.connections}`,
      expires_at: Math.floor(Date.now() / 1_000) + this.expiresIn,
    }
    const conversation = url.startsWith('/v1/realtime/translations')
      ? new Translation(send, this.sessions)
      : new Transcription(send, this.sessions)
    const expiry = setTimeout(() => {
      send({
        type: 'error',
        event_id: 'x',
        error: { type: 'invalid_request_error', code: 'session_expired' },
      })
      socket.close(1001)
    }, this.expiresIn * 1_000)
    socket.on('close', () => clearTimeout(expiry))
    send({ type: 'session.created', event_id: 'e1', session })
    // Unknown events must not disturb a client.
    send({ type: 'rate_limits.updated', event_id: 'e2', rate_limits: [] })
    return conversation
  }
}

/** Continuous translation in steps of 200 ms: words come out a step after they were heard, then spoken in pieces. */
class Translation implements FakeConversation {
  readonly #send: (message: object) => void
  readonly #sessions: Record<string, unknown>[]
  readonly #ears: ToneEars
  #ready = false
  #closed = false
  #stepped = 0
  /** Speech that is still to be sent. */
  #voice: Int16Array = new Int16Array(0)

  constructor(send: (message: object) => void, sessions: Record<string, unknown>[]) {
    this.#send = send
    this.#sessions = sessions
    this.#ears = new ToneEars(RATE, {
      ended: (word, _from, toMs) => this.#translated(word, toMs),
      passed: ms => this.#passed(ms),
    })
  }

  message(message: Record<string, unknown>): void {
    if (this.#closed) throw refuse('a message after session.close')
    if (message.type === 'session.update') {
      this.#update(message)
      return
    }
    if (message.type === 'session.close') {
      this.#closed = true
      this.#ears.finish()
      this.#send({ type: 'session.closed', event_id: 'c' })
      return
    }
    if (message.type !== 'session.input_audio_buffer.append') throw refuse(`an event ${String(message.type)}`)
    if (!this.#ready) throw refuse('audio before session.updated')
    onlyFields(message, ['type', 'event_id', 'audio'], refuse)
    this.#ears.write(linear16(message.audio, refuse))
  }

  #update(message: Record<string, unknown>): void {
    onlyFields(message, ['type', 'event_id', 'session'], refuse)
    const { session } = message
    onlyFields(session, ['audio'], refuse)
    onlyFields(session.audio, ['input', 'output'], refuse)
    const { input, output } = session.audio
    onlyFields(output, ['language'], refuse)
    if (!/^(es|pt|fr|ja|ru|zh|de|ko|hi|id|vi|it|en)$/.test(String(output.language)))
      throw refuse(`the language ${String(output.language)}`)
    if (input !== undefined) onlyFields(input, ['transcription', 'noise_reduction'], refuse)
    this.#sessions.push(session)
    this.#ready = true
    this.#send({ type: 'session.updated', event_id: 'u', session })
  }

  #translated({ word, translation, spokenHz }: ToneWord, toMs: number): void {
    const elapsed_ms = Math.ceil(toMs / STEP_MS) * STEP_MS
    // Words come in several pieces, some of them with the same time.
    for (const delta of [word.slice(0, 2), `${word.slice(2)} `])
      this.#send({ type: 'session.input_transcript.delta', event_id: 'i', delta, elapsed_ms })
    for (const delta of [translation.slice(0, 1), `${translation.slice(1)} `])
      this.#send({ type: 'session.output_transcript.delta', event_id: 'o', delta, elapsed_ms })
    const tone = sine(spokenHz, SPOKEN_MS, 8_000, RATE)
    const voice = new Int16Array(this.#voice.length + tone.length)
    voice.set(this.#voice)
    voice.set(tone, this.#voice.length)
    this.#voice = voice
  }

  /** Sends a piece of speech, or of silence, for each step of input. */
  #passed(ms: number): void {
    if (ms - this.#stepped < STEP_MS) return
    this.#stepped += STEP_MS
    const piece = new Int16Array((RATE * STEP_MS) / 1_000)
    piece.set(this.#voice.subarray(0, piece.length))
    this.#voice = this.#voice.slice(piece.length)
    this.#send({
      type: 'session.output_audio.delta',
      event_id: 'a',
      delta: Buffer.from(bytesOf(piece)).toString('base64'),
      format: 'pcm16',
      sample_rate: RATE,
      channels: 1,
      elapsed_ms: this.#stepped,
    })
  }
}

/** Live transcription without voice activity detection: deltas while a word is said, the whole text after a commit. */
class Transcription implements FakeConversation {
  readonly #send: (message: object) => void
  readonly #sessions: Record<string, unknown>[]
  readonly #ears: ToneEars
  #ready = false
  #item = 1
  #words: string[] = []
  #committedMs = 0

  constructor(send: (message: object) => void, sessions: Record<string, unknown>[]) {
    this.#send = send
    this.#sessions = sessions
    this.#ears = new ToneEars(RATE, {
      began: ({ word }) => {
        this.#words.push(word)
        const delta = this.#words.length > 1 ? ` ${word}` : word
        this.#send({
          type: 'conversation.item.input_audio_transcription.delta',
          item_id: `item_${this.#item}`,
          content_index: 0,
          delta,
        })
      },
    })
  }

  message(message: Record<string, unknown>): void {
    if (message.type === 'session.update') {
      this.#update(message)
      return
    }
    if (!this.#ready) throw refuse('audio before session.updated')
    if (message.type === 'input_audio_buffer.append') {
      onlyFields(message, ['type', 'event_id', 'audio'], refuse)
      this.#ears.write(linear16(message.audio, refuse))
      return
    }
    if (message.type !== 'input_audio_buffer.commit') throw refuse(`an event ${String(message.type)}`)
    if (this.#ears.ms - this.#committedMs < 100) throw refuse('a commit of less than 100 ms')
    this.#committedMs = this.#ears.ms
    this.#ears.finish()
    const item_id = `item_${this.#item++}`
    this.#send({ type: 'input_audio_buffer.committed', item_id })
    const transcript = this.#words.splice(0).join(' ')
    this.#send({
      type: 'conversation.item.input_audio_transcription.completed',
      item_id,
      content_index: 0,
      transcript,
      usage: { type: 'duration', seconds: 1 },
    })
  }

  #update(message: Record<string, unknown>): void {
    onlyFields(message, ['type', 'event_id', 'session'], refuse)
    const { session } = message
    onlyFields(session, ['type', 'audio'], refuse)
    if (session.type !== 'transcription') throw refuse('a session of another type')
    onlyFields(session.audio, ['input'], refuse)
    const { input } = session.audio
    onlyFields(input, ['format', 'transcription', 'turn_detection'], refuse)
    if (JSON.stringify(input.format) !== '{"type":"audio/pcm","rate":24000}') throw refuse('another format')
    if (input.turn_detection !== null) throw refuse('turn detection, which this model does not have')
    onlyFields(input.transcription, ['model', 'languages', 'keywords', 'prompt', 'delay'], refuse)
    const { languages, keywords = [] } = input.transcription
    if (!Array.isArray(languages) || languages.some(each => !/^[a-z]{2}$/.test(each)))
      throw refuse('languages that are no codes')
    if ((keywords as string[]).some(keyword => /[<>\n]/.test(keyword))) throw refuse('a keyword with < or >')
    this.#sessions.push(session)
    this.#ready = true
    this.#send({ type: 'session.updated', event_id: 'u', session })
  }
}
