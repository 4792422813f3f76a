import { once } from 'node:events'
import { WebSocket } from 'ws'
import { HEADER_BYTES, writeHeader } from '../../../src/bridges/browser/audio-packet.ts'
import type { Outbound } from '../../../src/bridges/browser/protocol.ts'
import { until } from '../until.ts'

type Kind = Outbound['kind']
type Of<K extends Kind> = Extract<Outbound, { kind: K }>

/** A page without a browser: sends a page’s messages and records those it receives. */
export class Talker {
  readonly told: Outbound[] = []
  /** Received audio, one piece per message, with the values of its header. */
  readonly heard: { sequence: number; timestamp: number; pcm: Int16Array }[] = []
  readonly socket: WebSocket
  closed: { code: number } | undefined
  /** Audio that was played and not flushed, in order, with marks: plays in real time. */
  readonly #queue: (Int16Array | number)[] = []
  readonly #played: Int16Array[] = []
  #playing = false
  #sequence = 0
  #timestamp = 0

  /** `from`: a local address. */
  static async open(
    server: string,
    headers: Record<string, string> = {},
    from = '127.0.0.1',
  ): Promise<Talker> {
    const talker = new Talker(`${server.replace('http', 'ws')}/talk/socket`, headers, from)
    await once(talker.socket, 'open')
    return talker
  }

  constructor(url: string, headers: Record<string, string>, from: string) {
    this.socket = new WebSocket(url, { headers, localAddress: from })
    this.socket.on('close', code => {
      this.closed = { code }
    })
    this.socket.on('message', (data, isBinary) => {
      if (isBinary) this.#hear(data as Buffer)
      else this.#told(JSON.parse(String(data)) as Outbound)
    })
  }

  /** Joins; by default hears `en-us` in company and `es-es` alone. */
  async hello(wishes: object = {}): Promise<Of<'welcome'>> {
    this.send({ kind: 'hello', speaks: 'en-us', hears: 'en-us', alone: 'es-es', ...wishes })
    return this.expect('welcome')
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message))
  }

  /** Sends `pcm` at once, in messages of one frame; an incomplete frame is omitted. `at`: its timestamp (samples). */
  say(pcm: Int16Array, at = this.#timestamp): void {
    this.#timestamp = at
    for (let n = 0; n + 320 <= pcm.length; n += 320) {
      const packet = new Uint8Array(HEADER_BYTES + 640)
      writeHeader(new DataView(packet.buffer), this.#sequence++, this.#timestamp)
      packet.set(new Uint8Array(pcm.slice(n, n + 320).buffer), HEADER_BYTES)
      this.#timestamp += 320
      this.socket.send(packet)
    }
  }

  /** Waits for and returns the newest message of this kind that matches `wanted`. */
  async expect<K extends Kind>(kind: K, wanted: (message: Of<K>) => boolean = () => true): Promise<Of<K>> {
    const is = (message: Outbound): message is Of<K> => message.kind === kind && wanted(message as Of<K>)
    return until(() => this.told.findLast(is), 5_000, kind)
  }

  async expectClosed(): Promise<number> {
    return (await until(() => this.closed, 5_000, 'the end')).code
  }

  /** All audio played, concatenated. */
  get pcm(): Int16Array {
    return Int16Array.from(this.#played.flatMap(pcm => [...pcm]))
  }

  #hear(data: Buffer): void {
    const copy = new Uint8Array(data).slice()
    const view = new DataView(copy.buffer)
    const pcm = new Int16Array(copy.buffer, HEADER_BYTES)
    this.heard.push({ sequence: view.getUint32(0, true), timestamp: view.getUint32(4, true), pcm })
    for (let at = 0; at < pcm.length; at += 320) this.#play(pcm.subarray(at, at + 320))
  }

  /** Plays in real time, like a speaker. */
  #play(next: Int16Array | number): void {
    this.#queue.push(next)
    if (!this.#playing) this.#next()
  }

  #next(): void {
    const next = this.#queue.shift()
    this.#playing = next !== undefined
    if (next === undefined) return
    if (typeof next === 'number') {
      this.send({ kind: 'mark', id: next })
      this.#next()
      return
    }
    this.#played.push(next)
    setTimeout(() => this.#next(), next.length / 16)
  }

  #told(message: Outbound): void {
    this.told.push(message)
    if (message.kind === 'mark') this.#play(message.id)
    if (message.kind === 'flush') this.#queue.length = 0
  }
}
