import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { WebSocket } from 'ws'
import { bytesOf, concat, samplesOf } from '../../../../src/transcode/pcm.ts'
import { sine } from '../../transcode/tone.ts'
import { sonioxRefusal } from '../fake-voices.ts'
import { FAKE_KEY, type FakeConversation, FakeLiveServer, onlyFields, Refusal } from './fake-live-server.ts'
import { TONE_WORDS, ToneEars, type ToneWord } from './tone-ears.ts'

const FIELDS = [
  ...['model', 'audio_format', 'sample_rate', 'num_channels', 'language_hints', 'language_hints_strict'],
  ...['enable_language_identification', 'enable_endpoint_detection', 'max_endpoint_delay_ms', 'context'],
  ...['enable_speaker_diarization', 'translation', 'client_reference_id'],
]
const LANGUAGES = ['en', 'es', 'fr', 'de', 'pt', 'it']
/** Audio that can come at once, and faster than real time beyond that. */
const BURST_MS = 1_500
const FASTEST = 2.5
const FINALIZE_MS = 200

const refuse = (reason: string, code = 400) =>
  new Refusal(reason, { tokens: [], error_code: code, error_message: reason })

/** Speech of `text`: for each word its tone for 400 ms, and 40 ms of silence. */
function spokenWords(text: string): Buffer {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  const pieces = words.flatMap(word => {
    const hz = TONE_WORDS.find(({ translation }) => translation === word)?.spokenHz ?? 440
    return [sine(hz, 400, 8_000, 24_000), new Int16Array(24 * 40)]
  })
  return Buffer.from(bytesOf(concat(pieces)))
}

/** A strict fake of Soniox's recognition of tones, with and without translation. */
export class FakeSonioxLive extends FakeLiveServer {
  /** The service closes a connection that gets nothing for this long (ms). */
  idleMs = 20_000
  /** The first messages of all connections. */
  readonly requests: Record<string, unknown>[] = []
  /** Codes with which the connections end at the next result, in order. */
  readonly faults: number[] = []
  /** Translations come after the end mark of their utterance. */
  lateTranslations = false
  /** Requests for speech, and statuses with which the next ones fail. */
  readonly spoken: Record<string, unknown>[] = []
  readonly voiceFaults: number[] = []
  /** Number of keep-alive messages. */
  keptAlive = 0

  protected refuse({ url = '', headers }: IncomingMessage): { reason: string; status: number } | undefined {
    if (url.includes(FAKE_KEY)) return { reason: 'the key in the address', status: 400 }
    if (headers.authorization !== `Bearer ${FAKE_KEY}`) return { reason: 'a wrong key', status: 401 }
    if (url !== '/transcribe-websocket') return { reason: `the path ${url}`, status: 404 }
    return undefined
  }

  /** Its voices: `POST /tts`. */
  protected override async answer(request: IncomingMessage) {
    const body = JSON.parse(await text(request)) as Record<string, unknown>
    const refusal =
      request.url === '/tts'
        ? sonioxRefusal(request.headers.authorization, body)
        : { reason: 'a path', status: 404 }
    if (refusal) throw new Error(refusal.reason)
    const status = this.voiceFaults.shift()
    if (status !== undefined) return { status, body: {} }
    this.spoken.push(body)
    return { status: 200, body: spokenWords(String(body.text)) }
  }

  protected converse(
    send: (message: object) => void,
    _request: IncomingMessage,
    socket: WebSocket,
  ): FakeConversation {
    const talk = new Recognition(this, send)
    const idle = setTimeout(() => {
      this.refusals.push('neither audio nor keepalive')
      send({ tokens: [], error_code: 408, error_message: 'Audio was not received in time.' })
      socket.close(1000)
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

interface Token {
  readonly text: string
  readonly is_final: boolean
  readonly start_ms?: number
  readonly end_ms?: number
  readonly confidence?: number
  readonly language?: string
  readonly source_language?: string
  readonly translation_status?: string
}

class Recognition implements FakeConversation {
  readonly #server: FakeSonioxLive
  readonly #send: (message: object) => void
  #request: Record<string, unknown> | undefined
  #ears: ToneEars | undefined
  #pauseMs = 2_000
  #firstAt = 0
  #finalizedAt = Number.NEGATIVE_INFINITY
  #finalMs = 0
  /** End of the last word that has no end mark (ms). */
  #wordTo: number | undefined
  #late: Token[] = []
  #over = false

  constructor(server: FakeSonioxLive, send: (message: object) => void) {
    this.#server = server
    this.#send = send
  }

  message(message: Record<string, unknown>): void {
    if (this.#over) throw refuse('a message after the end')
    if (!this.#request) {
      this.#begin(message)
      return
    }
    onlyFields(message, ['type', 'trailing_silence_ms'], refuse)
    if (message.type === 'keepalive') {
      this.#server.keptAlive++
      return
    }
    if (message.type !== 'finalize') throw refuse(`a message of the type ${String(message.type)}`)
    const now = performance.now()
    if (now - this.#finalizedAt < FINALIZE_MS) throw refuse('finalize too often', 429)
    this.#finalizedAt = now
    this.#ears!.finish()
    this.#wordTo = undefined
    this.#result([...this.#late.splice(0), { text: '<fin>', is_final: true }])
  }

  binary(data: Buffer): void {
    if (this.#over) throw refuse('audio after the end')
    if (!this.#request) throw refuse('audio before the settings')
    if (data.length === 0) {
      this.#over = true
      this.#ears!.finish()
      this.#send({ tokens: [], finished: true })
      return
    }
    if (data.length % 2 !== 0) throw refuse('half a sample')
    const now = performance.now()
    this.#firstAt ||= now
    this.#ears!.write(samplesOf(new Uint8Array(data)).slice())
    if (this.#ears!.ms > (now - this.#firstAt) * FASTEST + BURST_MS) throw refuse('audio faster than spoken')
  }

  #begin(message: Record<string, unknown>): void {
    if ('api_key' in message) throw refuse('the key in a message', 401)
    onlyFields(message, FIELDS, refuse)
    const { model, audio_format: format, sample_rate: rate, num_channels: channels } = message
    if (model !== 'stt-rt-v5') throw refuse(`the model ${String(model)}`)
    if (format !== 'pcm_s16le') throw refuse('another format')
    if (typeof rate !== 'number' || channels !== 1) throw refuse('raw audio without its rate or channels')
    const hints = message.language_hints
    if (!Array.isArray(hints) || hints.some(each => !LANGUAGES.includes(each)))
      throw refuse('unknown language hints')
    const delay = message.max_endpoint_delay_ms ?? 2_000
    if (typeof delay !== 'number' || delay < 500 || delay > 3_000) throw refuse('another endpoint delay')
    if (message.context !== undefined)
      onlyFields(message.context, ['general', 'text', 'terms', 'translation_terms'], refuse)
    if (message.translation !== undefined) {
      onlyFields(message.translation, ['type', 'target_language'], refuse)
      const { type, target_language: target } = message.translation
      if (type !== 'one_way' || !LANGUAGES.includes(String(target))) throw refuse('another translation')
    }
    this.#server.requests.push(message)
    this.#request = message
    this.#pauseMs = delay
    this.#ears = new ToneEars(rate, {
      began: (word, ms) => this.#begun(word, ms),
      ended: (word, fromMs, toMs) => this.#ended(word, fromMs, toMs),
      passed: ms => this.#passed(ms),
    })
  }

  get #translates(): boolean {
    return this.#request!.translation !== undefined
  }

  #begun({ word }: ToneWord, ms: number): void {
    // A provisional token, which is corrected later, without all fields.
    this.#result([this.#original(`${word.slice(0, 2)}x`, ms, ms + 60, false)])
    this.#result([
      this.#original(word.slice(0, 2), ms, ms + 60, false),
      { text: word.slice(2), is_final: false },
    ])
  }

  #ended({ word, translation }: ToneWord, fromMs: number, toMs: number): void {
    const blank = this.#wordTo === undefined ? '' : ' '
    const middle = Math.round((fromMs + toMs) / 2)
    this.#finalMs = toMs
    this.#wordTo = toMs
    this.#result([
      this.#original(blank + word.slice(0, 2), fromMs, middle, true),
      this.#original(word.slice(2), middle, toMs, true),
    ])
    if (!this.#translates) return
    const target = (this.#request!.translation as { target_language: string }).target_language
    const tokens = [blank + translation.slice(0, 1), translation.slice(1)].map(text => ({
      text,
      is_final: true,
      language: target,
      source_language: 'en',
      translation_status: 'translation',
    }))
    if (this.#server.lateTranslations) {
      this.#late.push(...tokens)
      return
    }
    // First provisional, then in two messages.
    this.#result([{ ...tokens[0]!, is_final: false }])
    for (const token of tokens) this.#result([token])
  }

  #passed(ms: number): void {
    if (this.#ears!.word) return
    if (ms % 500 === 0 && this.#wordTo === undefined) this.#result([], ms - 200)
    if (this.#wordTo === undefined || ms - this.#wordTo < this.#pauseMs) return
    this.#wordTo = undefined
    this.#result([{ text: '<end>', is_final: true }])
    const late = this.#late.splice(0)
    if (late.length > 0) this.#result(late)
  }

  #original(text: string, start_ms: number, end_ms: number, is_final: boolean): Token {
    const about = { text, start_ms, end_ms, confidence: 0.9, is_final, language: 'en' }
    return this.#translates ? { ...about, translation_status: 'original' } : about
  }

  #result(tokens: readonly Token[], finalMs = this.#finalMs): void {
    if (this.#over) return
    const code = tokens.some(({ is_final }) => is_final) ? this.#server.faults.shift() : undefined
    if (code !== undefined) {
      this.#over = true
      throw new Refusal(`the code ${code}, as wanted`, {
        tokens: [],
        error_code: code,
        error_type: 'unexpected',
        error_message: 'Cannot continue request (code 5). Please restart the request.',
      })
    }
    this.#send({ tokens, final_audio_proc_ms: finalMs, total_audio_proc_ms: this.#ears!.ms })
  }
}
