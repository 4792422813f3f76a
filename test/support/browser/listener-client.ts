import { once } from 'node:events'
import { WebSocket } from 'ws'
import { decodeAudience } from '../../../src/bridges/browser/audience/audience-packet.ts'
import type { ToListener } from '../../../src/bridges/browser/audience/protocol.ts'
import { HEADER_BYTES } from '../../../src/bridges/browser/audio-packet.ts'
import { concat } from '../../../src/transcode/pcm.ts'
import { until } from '../until.ts'

type Kind = ToListener['kind']
type Of<K extends Kind> = Extract<ToListener, { kind: K }>

/** A page for listening, without a browser: records what it receives. */
export class ListenerClient {
  readonly told: ToListener[] = []
  readonly packets: Uint8Array<ArrayBuffer>[] = []
  readonly socket: WebSocket
  closed: number | undefined

  /** Connects to the server at `address` and says `hello`. */
  static async open(address: string, hello: object): Promise<ListenerClient> {
    const client = new ListenerClient(`${address.replace('http', 'ws')}/listen/socket`)
    await once(client.socket, 'open')
    client.send({ kind: 'hello', audio: true, ...hello })
    return client
  }

  private constructor(url: string) {
    this.socket = new WebSocket(url)
    this.socket.on('close', code => {
      this.closed = code
    })
    this.socket.on('message', (data, isBinary) => {
      if (isBinary) this.packets.push(new Uint8Array(data as Buffer))
      else this.told.push(JSON.parse(String(data)) as ToListener)
    })
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message))
  }

  /** Waits for and returns the newest message of this kind that matches `wanted`. */
  async expect<K extends Kind>(kind: K, wanted: (message: Of<K>) => boolean = () => true): Promise<Of<K>> {
    const is = (message: ToListener): message is Of<K> => message.kind === kind && wanted(message as Of<K>)
    return until(() => this.told.findLast(is), 5_000, kind)
  }

  expectClosed(): Promise<number> {
    return until(() => this.closed, 5_000, 'the end')
  }

  /** All audio, in linear16. */
  get pcm(): Int16Array {
    return concat(this.packets.map(({ buffer }) => new Int16Array(decodeAudience(buffer)!, HEADER_BYTES)))
  }
}
