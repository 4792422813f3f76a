import { WebSocket } from 'ws'
import type { VoiceServer } from '../../../src/simulator/discord/voice/voice-server.ts'
import { until } from '../until.ts'

interface Message {
  readonly op: number
  readonly d: Record<string, unknown>
  readonly seq?: number
}

/** A client of the voice gateway that sends exactly what the test specifies. */
export class RawBot implements Disposable {
  readonly messages: Message[] = []
  readonly binary: Buffer[] = []
  closed: number | undefined
  readonly #socket: WebSocket

  constructor(server: VoiceServer) {
    this.#socket = new WebSocket(`wss://${server.endpoint}/?v=8`, { ca: server.certificate })
    this.#socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) this.binary.push(data)
      else this.messages.push(JSON.parse(data.toString()) as Message)
    })
    this.#socket.on('close', code => {
      this.closed = code
    })
    this.#socket.on('error', () => {})
  }

  say(op: number, d: unknown): void {
    this.#socket.send(JSON.stringify({ op, d }))
  }

  send(message: string | Buffer): void {
    this.#socket.send(message)
  }

  /** Resolves to the body of the first message `op`. */
  async got(op: number): Promise<Record<string, unknown>> {
    const message = await until(() => this.messages.find(each => each.op === op), 5_000, `op ${op}`)
    return message.d
  }

  /** Resolves to the close code. */
  async ended(): Promise<number> {
    await until(() => this.closed !== undefined, 5_000, 'the close')
    return this.closed!
  }

  close(code: number): void {
    this.#socket.close(code)
  }

  [Symbol.dispose](): void {
    this.#socket.terminate()
  }
}
