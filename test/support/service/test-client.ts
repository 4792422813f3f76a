import { io, type Socket } from 'socket.io-client'
import type { ServiceErrorBody } from '../../../src/service/contract.ts'

export interface Heard {
  readonly name: string
  readonly payload: unknown
  /** `performance.now()` of its arrival. */
  readonly at: number
}

export const SEND = { broadcastVia: 'chunk', codec: 'linear16', sampleRate: 16_000 }
export const RECEIVE = { obtainVia: 'chunk', codec: 'mp3', sampleRate: 16_000, mode: 'block' }
export const LANGUAGES = { languageIdSource: 'en-us', languageIdTarget: 'es-es' }

/** Query of a connection as specified in the protocol document; objects are sent as JSON. */
export function query(more: Record<string, unknown> = {}): Record<string, string> {
  const all: Record<string, unknown> = { ...LANGUAGES, sendAudio: SEND, receiveAudio: RECEIVE, ...more }
  return Object.fromEntries(
    Object.entries(all)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}

/** The unmodified client library; records every event. */
export class TestClient {
  readonly socket: Socket
  readonly heard: Heard[] = []
  #waiting: (() => void)[] = []

  constructor(
    url: string,
    token: string | undefined,
    parameters: Record<string, string> = query(),
    options: Parameters<typeof io>[1] & object = {},
  ) {
    this.socket = io(url, {
      transports: ['websocket'],
      upgrade: false,
      reconnection: false,
      forceNew: true,
      ...(token === undefined ? {} : { auth: { token } }),
      query: parameters,
      ...options,
    })
    this.socket.on('connect', () => this.#note('connect', undefined))
    this.socket.onAny((name: string, payload: unknown) => this.#note(name, payload))
    this.socket.on('connect_error', (error: Error & { data?: unknown }) =>
      this.#note('connect_error', error.data ?? error.message),
    )
    this.socket.on('disconnect', reason => this.#note('disconnect', reason))
  }

  get names(): string[] {
    return this.heard.map(({ name }) => name)
  }

  /** All payloads of `name` so far. */
  payloads<T>(name: string): T[] {
    return this.heard.filter(each => each.name === name).map(each => each.payload as T)
  }

  /** Waits until `name` has arrived `count` times and returns the payload of that time. */
  async until<T>(name: string, count = 1): Promise<T> {
    for (;;) {
      const found = this.heard.filter(each => each.name === name)[count - 1]
      if (found) return found.payload as T
      await new Promise<void>(resolve => this.#waiting.push(resolve))
    }
  }

  error(): Promise<ServiceErrorBody> {
    return this.until<ServiceErrorBody>('error')
  }

  /** Sends one fragment and returns its acknowledgment. */
  send(fragment: unknown): Promise<unknown> {
    return new Promise(resolve => this.socket.emit('write_stream', fragment, resolve))
  }

  /** Sends one text and returns its acknowledgment. */
  sendText(text: unknown): Promise<unknown> {
    return new Promise(resolve => this.socket.emit('text', text, resolve))
  }

  close(): void {
    this.socket.disconnect()
    this.socket.io.engine?.close()
  }

  #note(name: string, payload: unknown): void {
    this.heard.push({ name, payload, at: performance.now() })
    for (const wake of this.#waiting.splice(0)) wake()
  }
}
