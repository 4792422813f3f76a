import type { Socket } from 'socket.io'
import type { Mp3Maker, Mp3Rate } from '../../../simulator/service/scripted-answers.ts'
import { error } from './model-voices.ts'

/** Audio after which the model returns a result (bytes). */
const UTTERANCE_BYTES = 16_000
const SETUP_MS = 5
/** Delay of `endSynth` with the option `late end`: longer than a session is quiet at its end (ms). */
const LATE_MS = 500

type Bad = (id: string) => boolean

/** One session of the model service; `bad` lists the statements that it breaks. */
export class ModelSession {
  readonly #socket: Socket
  readonly #bad: Bad
  readonly #maker: Mp3Maker
  readonly #namespace: string
  #ready = false
  #bytes = 0
  #id = 0

  constructor(socket: Socket, bad: Bad, maker: Mp3Maker) {
    this.#socket = socket
    this.#bad = bad
    this.#maker = maker
    this.#namespace = socket.nsp.name
    socket.on('text', (text: unknown, ack: unknown) => this.#text(text, ack))
    socket.on('write_stream', (fragment: unknown, ack: unknown) => this.#fragment(fragment, ack))
    this.#open()
  }

  #open(): void {
    const { query } = this.#socket.handshake
    const refusal = this.#refusal(query)
    if (refusal) {
      if (!(this.#bad('6-7') && refusal.includes('malformed'))) this.#fault(error('bad_parameter', refusal))
      this.#socket.disconnect(true)
      return
    }
    const { EIO: _eio, transport: _transport, t: _t, ...parameters } = query
    const echo = this.#bad('2.4-1') ? {} : parameters
    if (!this.#bad('6-1')) this.#connected(echo)
    const start = () => {
      this.#ready = true
      if (!this.#bad('3-2')) this.#socket.emit('start', this.#start())
      if (this.#bad('6-1')) this.#connected(echo)
    }
    // Clients that send before start wait until it has been sent.
    const hasty = query.sendAudio && !query.sendAudio.includes('codec')
    if (this.#bad('warm')) start()
    else if (hasty) this.#socket.once('write_stream', () => setTimeout(start, SETUP_MS))
    else setTimeout(start, SETUP_MS)
  }

  #connected(echo: object): void {
    if (!this.#bad('3-1')) this.#socket.emit('connected', echo)
  }

  #start(): unknown {
    if (this.#receive().obtainVia === 'stream' && !this.#bad('2.4-3')) return '/stream.mp3'
    return this.#bad('2.4-2') ? 'ready' : true
  }

  #receive(): { obtainVia?: string; mode?: string; sampleRate?: number } {
    return JSON.parse(String(this.#socket.handshake.query.receiveAudio ?? '{}'))
  }

  #refusal(query: Socket['handshake']['query']): string | undefined {
    const row = { '/stt': '2.3-1', '/translator': '2.3-2', '/tts': '2.3-3', '/sts': '2.3-4' }[this.#namespace]
    const { mode } = this.#receive()
    if (this.#bad(row ?? '')) return 'parameter_missing'
    if (this.#bad(mode === 'block' ? '2.3-6' : '2.3-7') && mode) return 'mode_not_supported'
    if (this.#bad('2.3-5') && query.sendAudio && !query.sendAudio.includes('codec')) return 'codec_missing'
    return query.languageIdSource === 'no language' ? 'language_malformed' : undefined
  }

  #fragment(fragment: unknown, ack: unknown): void {
    if (!this.#ready && this.#bad('mute before start')) return
    if (!this.#ready && this.#bad('ends before start')) {
      this.#fault(error('not_ready', 'before_start'))
      this.#socket.disconnect(true)
      return
    }
    const good = fragment instanceof Buffer && (this.#ready || this.#bad('3-3'))
    if (good) this.#hear(fragment)
    else if (!(this.#ready && this.#bad('6-8'))) this.#fault(error('bad_audio', 'not_taken'))
    if (this.#bad('4.5-3') || typeof ack !== 'function') return
    ack(good || (this.#ready && this.#bad('4.5-4')))
  }

  #hear({ length }: Buffer): void {
    const before = this.#bytes
    this.#bytes += length
    if (before >= UTTERANCE_BYTES || this.#bytes < UTTERANCE_BYTES) return
    if (this.#namespace === '/sts') this.#speak('good morning', 'buenos días')
    else if (!this.#bad('4.5-2')) this.#result({ ...(this.#bad('4.4-1') ? {} : { text: 'good morning' }) })
    if (this.#namespace === '/stt' && this.#bad('6-4')) this.#socket.emit('endSynth')
  }

  #text(text: unknown, ack: unknown): void {
    if (typeof ack === 'function' && !this.#bad('4.5-5')) ack(true)
    if (this.#namespace === '/tts') return void this.#speak(String(text))
    if (!this.#bad('4.5-1'))
      this.#result({ text, ...(this.#bad('4.4-2') ? {} : { translation: 'buenos días' }) })
    if (this.#bad('5.5-1')) this.#socket.disconnect(true)
  }

  #speak(text: string, translation?: string): void {
    const row = this.#namespace === '/tts' ? '4.4-3' : '4.4-4'
    const { mode, obtainVia } = this.#receive()
    const rate: Mp3Rate = this.#bad('2.3-9') ? 24_000 : 16_000
    const mp3 = this.#bad('2.3-8') ? new Uint8Array(4_000) : this.#maker.tone(600, 1_000, rate)
    const said = { text, ...(translation ? { translation } : {}) }
    const whole = mode === 'block' || obtainVia === 'stream'
    const pieces = whole ? [mp3] : [mp3.subarray(0, 2_000), mp3.subarray(2_000)]
    if (whole && this.#bad('6-5')) this.#endSynth()
    pieces.forEach((data, n) => {
      const silent = obtainVia === 'stream' || this.#bad(row)
      this.#result(silent ? said : { ...said, file: { data: Buffer.from(data) } })
      if (n === 0 && !whole && this.#bad('6-6')) {
        this.#socket.emit('note')
        this.#endSynth()
      }
    })
    if (this.#bad(whole ? '6-5' : '6-6')) return
    this.#endSynth()
  }

  #endSynth(): void {
    if (this.#bad('6-3')) return
    const id = String(this.#id)
    const end = () => this.#socket.emit('endSynth', { id })
    if (this.#bad('late end') && this.#namespace === '/sts') setTimeout(end, LATE_MS)
    else end()
  }

  #result(body: object): void {
    const payload = { id: String(++this.#id), ...body }
    if (this.#bad('2.4-4')) for (const each of Object.values(payload)) this.#socket.emit('result', each)
    else this.#socket.emit('result', payload)
  }

  #fault(body: object): void {
    this.#socket.emit('error', this.#bad('7-2') ? 'wrong' : body)
  }
}
