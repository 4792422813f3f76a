import type { Clock } from '../../../core/clock.ts'
import { after } from '../../../core/clock.ts'
import {
  CODE,
  type Networking,
  type NetworkingState,
  type VoicePacket,
  type VoiceSocket,
  type VoiceUdp,
} from './library-parts.ts'
import { sealed, XCHACHA_MODE } from './sealed-packet.ts'

/** Between one request for IP discovery and the next (ms), and how many there are. */
const DISCOVERY_MS = 1_000
const DISCOVERIES_MOST = 5
const DISCOVERY_BYTES = 74
/** A socket that we closed and that the far side does not close is dropped after this (ms). */
const CLOSING_MS = 2_000
/** Messages kept while a session is being resumed. */
const HELD_MOST = 256
/** What resuming itself needs, and so is not kept: heartbeat ACK, Hello, Resumed (Discord, "Voice Opcodes"). */
const RESUMING_OPS: readonly unknown[] = [6, 8, 9]
const MEDIA_HEADER_BYTES = 12
/** `WebSocket.CLOSING`. */
const CLOSING = 2

export interface NetworkingWatcher {
  packet(packet: VoicePacket): void
  datagram(datagram: Buffer, fromServer: boolean): void
  changed(state: NetworkingState): void
  /** A message of end-to-end encryption was handled: there may be another key. */
  rekeyed(): void
  /** Before the library does anything about it. */
  closing(code: number): void
  failed(error: unknown): void
}

/** Mends one `Networking` of the library, and tells what comes over it. Disposing stops its timers. */
export class NetworkingMends implements Disposable {
  readonly #networking: Networking
  readonly #watcher: NetworkingWatcher
  readonly #clock: Clock
  #socket: VoiceSocket | undefined
  #udp: VoiceUdp | undefined
  #handle: (event: { readonly data: unknown }) => void = () => {}
  #held: { readonly data: unknown }[] = []
  #discovery: Disposable | undefined
  #closingTimer: Disposable | undefined
  #closingSince = Number.NaN
  #over = false

  constructor(networking: Networking, clock: Clock, watcher: NetworkingWatcher) {
    this.#networking = networking
    this.#watcher = watcher
    this.#clock = clock
    networking.prependListener('close', (code: number) => watcher.closing(code))
    networking.on('stateChange', (_old: NetworkingState, state: NetworkingState) => this.#changed(state))
    this.#sealOurselves()
    this.#changed(networking.state)
  }

  [Symbol.dispose](): void {
    this.#over = true
    this.#discovery?.[Symbol.dispose]()
    this.#closingTimer?.[Symbol.dispose]()
    this.#held = []
  }

  /** Looks whether the socket hangs in closing, as it does when the far side is gone; called a few times a minute. */
  check(): void {
    const { ws } = this.#networking.state
    if (ws?.ws.readyState !== CLOSING) {
      this.#closingSince = Number.NaN
      return
    }
    const now = this.#clock.now()
    if (Number.isNaN(this.#closingSince)) this.#closingSince = now
    if (now - this.#closingSince >= CLOSING_MS) ws.ws.terminate()
  }

  #changed(state: NetworkingState): void {
    if (this.#over) return
    if (state.ws && state.ws !== this.#socket) this.#mendSocket(state.ws)
    if (state.udp && state.udp !== this.#udp) this.#mendUdp(state.udp)
    if (state.code === CODE.udpHandshaking) this.#discoverAgain(state)
    else {
      this.#discovery?.[Symbol.dispose]()
      this.#discovery = undefined
    }
    this.#watcher.changed(state)
    if (state.code === CODE.ready && this.#held.length > 0) this.#replay()
  }

  /**
   * What a handler throws would end the process. And while a session is being resumed, which is when missed messages
   * arrive, the library ignores binary ones but handles JSON: a transition would be executed (op 22) before the commit
   * that announces it (op 29), and stay pending. All of them wait here, in their order.
   */
  #mendSocket(socket: VoiceSocket): void {
    this.#socket = socket
    const onMessage = socket.onMessage.bind(socket)
    this.#handle = event => {
      try {
        onMessage(event)
        if (typeof event.data !== 'string' && !this.#over) this.#watcher.rekeyed()
      } catch (error) {
        this.#watcher.failed(error)
      }
    }
    socket.onMessage = event => {
      // Several messages may arrive in one turn of the event loop: what follows those that wait, waits too.
      const resuming = this.#networking.state.code === CODE.resuming || this.#held.length > 0
      if (!resuming || isForResuming(event.data)) this.#handle(event)
      else if (this.#held.length < HELD_MOST) this.#held.push(event)
    }
    // What an old socket still says while it closes is about a session that is over.
    socket.on('packet', (packet: VoicePacket) => {
      if (!this.#over) this.#watcher.packet(packet)
    })
  }

  #replay(): void {
    // Once the library is through with the change that brought us here.
    queueMicrotask(() => {
      for (const event of this.#held) if (!this.#over) this.#handle(event)
      this.#held = []
    })
  }

  #mendUdp(udp: VoiceUdp): void {
    this.#udp = udp
    const { ip, port } = udp.remote
    udp.socket.on('message', (datagram, from) => {
      if (!this.#over) this.#watcher.datagram(datagram, from.port === port && from.address === ip)
    })
    // Its first call is put off; by then the socket may be closed.
    const keepAlive = udp.keepAlive.bind(udp)
    udp.keepAlive = () => {
      try {
        keepAlive()
      } catch (error) {
        this.#watcher.failed(error)
      }
    }
  }

  /** The library asks once, and waits for ever. */
  #discoverAgain({ udp, connectionData }: NetworkingState): void {
    if (this.#discovery || !udp || !connectionData) return
    let asked = 1
    const again = () => {
      this.#discovery = undefined
      if (this.#over || this.#networking.state.udp !== udp || asked++ >= DISCOVERIES_MOST) return
      const request = Buffer.alloc(DISCOVERY_BYTES)
      request.writeUInt16BE(1, 0)
      request.writeUInt16BE(DISCOVERY_BYTES - 4, 2)
      request.writeUInt32BE(connectionData.ssrc, 4)
      try {
        udp.send(request)
      } catch (error) {
        this.#watcher.failed(error)
      }
      this.#discovery = after(this.#clock, DISCOVERY_MS, again)
    }
    this.#discovery = after(this.#clock, DISCOVERY_MS, again)
  }

  /**
   * The library takes the first cipher package that it can import, also `libsodium-wrappers`, whose functions it does
   * not find; then the first packet throws. Whatever is installed, XChaCha20 is sealed here.
   */
  #sealOurselves(): void {
    const networking = this.#networking
    const create = networking.createAudioPacket.bind(networking)
    networking.createAudioPacket = (opus, data, dave) => {
      if (data.encryptionMode !== XCHACHA_MODE || !data.secretKey) return create(opus, data, dave)
      const header = Buffer.alloc(MEDIA_HEADER_BYTES)
      header[0] = 0x80
      header[1] = 120
      header.writeUInt16BE(data.sequence, 2)
      header.writeUInt32BE(data.timestamp, 4)
      header.writeUInt32BE(data.ssrc, 8)
      data.nonce = (data.nonce + 1) >>> 0
      const payload = dave?.encrypt(opus) ?? opus
      return sealed(header, payload, { mode: XCHACHA_MODE, key: data.secretKey }, data.nonce)
    }
  }
}

function isForResuming(data: unknown): boolean {
  if (typeof data !== 'string') return false
  try {
    return RESUMING_OPS.includes((JSON.parse(data) as { op?: unknown } | null)?.op)
  } catch {
    // The library reports it.
    return true
  }
}
