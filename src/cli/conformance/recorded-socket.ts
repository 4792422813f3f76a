import { io, type Socket } from 'socket.io-client'
import { type Clock, setTimer } from '../../common/clock.ts'
import type { NamespaceAddress } from '../../service/client/service-address.ts'
import { EVENT, type Namespace } from '../../service/contract.ts'
import type { Happening, SessionRecord } from './evidence.ts'

export interface RecordedSocketOptions {
  readonly address: NamespaceAddress
  readonly namespace: Namespace
  readonly query: Readonly<Record<string, string>>
  /** Undefined: no key is sent. */
  readonly apiKey: string | undefined
  readonly clock: Clock
  /** Maximum wait for an expected event (ms). */
  readonly patienceMs: number
  /** Called on connect, to send before `start`. */
  readonly atConnect?: (socket: RecordedSocket) => void
}

/** A connection by the unmodified client library that the interface requires; records every event. */
export class RecordedSocket implements Disposable {
  readonly #options: RecordedSocketOptions
  readonly #socket: Socket
  readonly #happened: Happening[] = []
  readonly #sent: string[] = []
  #waiting: (() => void)[] = []
  #left = false

  private constructor(options: RecordedSocketOptions, socket: Socket) {
    this.#options = options
    this.#socket = socket
  }

  /** Connects in the background; the record has the outcome. */
  static open(options: RecordedSocketOptions): RecordedSocket {
    const { address, query, apiKey, patienceMs } = options
    const socket = io(address.url, {
      path: address.path,
      transports: ['websocket'],
      upgrade: false,
      reconnection: false,
      forceNew: true,
      timeout: patienceMs,
      query: { ...query },
      auth: apiKey === undefined ? undefined : { token: apiKey },
    })
    const recorded = new RecordedSocket(options, socket)
    recorded.#listen()
    return recorded
  }

  get record(): SessionRecord {
    const { namespace, query } = this.#options
    return { namespace, query, happened: this.#happened, sent: this.#sent, left: this.#left }
  }

  /** True if the session has ended or never started. */
  get over(): boolean {
    return this.#happened.some(({ kind }) => kind === 'disconnect' || kind === 'connect_error')
  }

  count(name: string): number {
    return this.#happened.filter(each => each.kind === 'event' && each.name === name).length
  }

  /** Waits for `start`; resolves to false if it is not received. */
  started(): Promise<boolean> {
    return this.comes(() => this.count(EVENT.start) > 0)
  }

  /** Waits until `expected` is true, the session ends or `ms` have passed. */
  async comes(expected: () => boolean, ms = this.#options.patienceMs): Promise<boolean> {
    let late = false
    using _timer = setTimer(this.#options.clock, ms, () => {
      late = true
      this.#wake()
    })
    while (!expected() && !late && !this.over)
      await new Promise<void>(resolve => {
        this.#waiting.push(resolve)
      })
    return expected()
  }

  /** Waits until no event has been received for `ms`. */
  async quiet(ms: number): Promise<void> {
    for (let before = -1; before !== this.#happened.length && !this.over; ) {
      before = this.#happened.length
      await this.comes(() => this.#happened.length !== before, ms)
    }
  }

  /** Sends and waits for the acknowledgment; resolves to false without one. */
  async send(event: string, payload: unknown): Promise<boolean> {
    let answered = false
    const sent = this.#sent.push(event)
    if (!this.#socket.connected) return false
    this.#socket.emit(event, payload, (...answer: unknown[]) => {
      answered = true
      this.#note({ kind: 'ack', name: event, payload: answer[0], sent })
    })
    return this.comes(() => answered)
  }

  /** Disconnects; later events are not recorded. */
  [Symbol.dispose](): void {
    this.#left = !this.over
    this.#socket.off()
    this.#socket.offAny()
    this.#socket.disconnect()
    this.#socket.io.engine?.close()
  }

  #listen(): void {
    const socket = this.#socket
    socket.on('connect', () => {
      this.#note({ kind: 'connect', name: 'connect', payload: undefined })
      this.#options.atConnect?.(this)
    })
    socket.onAny((name: string, payload: unknown) => this.#note({ kind: 'event', name, payload }))
    socket.on('connect_error', (error: Error & { data?: unknown }) =>
      this.#note({ kind: 'connect_error', name: error.message, payload: error.data }),
    )
    socket.on('disconnect', reason => this.#note({ kind: 'disconnect', name: reason, payload: reason }))
  }

  #note(happening: Happening): void {
    this.#happened.push(happening)
    this.#wake()
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake()
  }
}
