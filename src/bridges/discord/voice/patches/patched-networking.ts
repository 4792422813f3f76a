import type { Socket } from 'node:dgram'
import type { EventEmitter } from 'node:events'
import type { VoiceConnection } from '@discordjs/voice'
import { type Clock, setTimer } from '../../../../common/clock.ts'
import type { DaveSession } from '../dave-guard.ts'
import { GCM_MODE, sealed, XCHACHA_MODE } from '../rtp-packet.ts'

/**
 * The parts of @discordjs/voice 0.19 that are patched here. They are not public: `assertVoiceLibrary` refuses a version
 * without them, and `test/bridges/discord/voice/library-internals.test.ts` fails if one of them disappears.
 */
export interface Networking extends EventEmitter {
  readonly state: NetworkingState
  createAudioPacket(opus: Buffer, data: ConnectionData, dave: PacketEncryption | undefined): Buffer
}

export interface NetworkingState {
  readonly code: number
  readonly ws?: VoiceSocket
  readonly udp?: VoiceUdp
  readonly dave?: DaveSession & EventEmitter & PacketEncryption
  readonly connectionData?: ConnectionData
}

export interface PacketEncryption {
  encrypt(opus: Buffer): Buffer
}

export interface ConnectionData {
  readonly ssrc: number
  /** IDs of connected users, from op 11 and op 13. */
  readonly connectedClients: ReadonlySet<string>
  readonly encryptionMode?: string
  readonly secretKey?: Uint8Array
  readonly sequence: number
  readonly timestamp: number
  nonce: number
}

/** The library's `VoiceWebSocket`. */
export interface VoiceSocket extends EventEmitter {
  onMessage(event: { readonly data: unknown }): void
  readonly ws: { readonly readyState: number; terminate(): void }
}

/** The library's `VoiceUDPSocket`. */
export interface VoiceUdp extends EventEmitter {
  readonly socket: Socket
  readonly remote: { readonly ip: string; readonly port: number }
  keepAlive(): void
  send(datagram: Buffer): void
}

/** A message of the voice server, with the fields used here. */
export interface VoicePacket {
  readonly op: number
  readonly d: { readonly user_id?: string; readonly ssrc?: number; readonly speaking?: number } | null
}

/** The library's `NetworkingStatusCode`. */
export const CODE = { udpHandshaking: 2, ready: 4, resuming: 5 } as const

export function networkingOf(connection: VoiceConnection): Networking | undefined {
  const { state } = connection
  return 'networking' in state ? (state.networking as unknown as Networking) : undefined
}

/** Interval (ms) and maximum number of IP discovery requests. */
const DISCOVERY_MS = 1_000
const DISCOVERIES_MOST = 5
const DISCOVERY_BYTES = 74
/** A socket that we closed is terminated if the peer has not closed it by then (ms). */
const CLOSING_MS = 2_000
/** Maximum number of messages buffered while a session is being resumed. */
const HELD_MOST = 256
/** Op codes needed for resuming, which are not buffered: heartbeat ACK, Hello, Resumed (Discord, "Voice Opcodes"). */
const RESUMING_OPS: readonly unknown[] = [6, 8, 9]
const MEDIA_HEADER_BYTES = 12
/**
 * Receive buffer of the voice connection (bytes; Linux doubles it, and limits it to `net.core.rmem_max`). The
 * default of Linux holds about 250 packets, 0.6 s of eight speakers; while the process is busy for longer, the rest is
 * dropped. This one holds about 2 500 packets, 6 s, and a `SpeakerLeg` accepts a backlog of 5 s.
 */
const RECEIVE_BUFFER_BYTES = 1_048_576
/** `WebSocket.CLOSING`. */
const CLOSING = 2

export interface NetworkingWatcher {
  packet(packet: VoicePacket): void
  datagram(datagram: Buffer, fromServer: boolean): void
  changed(state: NetworkingState): void
  /** An encryption message was handled, so the key has possibly changed. */
  rekeyed(): void
  /** Called before the library reacts to it. */
  closing(code: number): void
  failed(error: unknown): void
}

/** Patches one `Networking` of the library and reports its events. The creator starts it; disposing stops its timers. */
export class NetworkingPatches implements Disposable {
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
  }

  /** Patches it and reports its events from now on. Call it once. */
  start(): void {
    const networking = this.#networking
    const watcher = this.#watcher
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

  /** Terminates a socket that hangs while closing, as happens when the peer is gone; called a few times a minute. */
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
   * Catches exceptions of handlers, which would end the process. While a session is being resumed, which is when missed
   * messages arrive, the library ignores binary messages but handles JSON: it would execute a transition (op 22) before
   * the commit that announces it (op 29), and the transition would stay pending. This buffers all messages, in order.
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
      // Several messages can arrive in one turn of the event loop; those after buffered ones must wait too.
      const resuming = this.#networking.state.code === CODE.resuming || this.#held.length > 0
      if (!resuming || isForResuming(event.data)) this.#handle(event)
      else if (this.#held.length < HELD_MOST) this.#held.push(event)
    }
    // Messages from a closing old socket belong to a finished session.
    socket.on('packet', (packet: VoicePacket) => {
      if (!this.#over) this.#watcher.packet(packet)
    })
  }

  #replay(): void {
    // After the library has finished the state change in progress.
    queueMicrotask(() => {
      for (const event of this.#held) if (!this.#over) this.#handle(event)
      this.#held = []
    })
  }

  #mendUdp(udp: VoiceUdp): void {
    this.#udp = udp
    const { ip, port } = udp.remote
    // The library's first packet, the IP discovery, binds the socket.
    udp.socket.once('listening', () => enlargeReceiveBuffer(udp.socket))
    udp.socket.on('message', (datagram, from) => {
      if (!this.#over) this.#watcher.datagram(datagram, from.port === port && from.address === ip)
    })
    // Its first call is delayed, and the socket can be closed by then.
    const keepAlive = udp.keepAlive.bind(udp)
    udp.keepAlive = () => {
      try {
        keepAlive()
      } catch (error) {
        this.#watcher.failed(error)
      }
    }
  }

  /** Repeats the request: the library sends it once and waits indefinitely. */
  #discoverAgain({ udp, connectionData }: NetworkingState): void {
    if (this.#discovery || !udp || !connectionData) return
    let requests = 1
    const again = () => {
      this.#discovery = undefined
      if (this.#over || this.#networking.state.udp !== udp || requests++ >= DISCOVERIES_MOST) return
      const request = Buffer.alloc(DISCOVERY_BYTES)
      request.writeUInt16BE(1, 0)
      request.writeUInt16BE(DISCOVERY_BYTES - 4, 2)
      request.writeUInt32BE(connectionData.ssrc, 4)
      try {
        udp.send(request)
      } catch (error) {
        this.#watcher.failed(error)
      }
      this.#discovery = setTimer(this.#clock, DISCOVERY_MS, again)
    }
    this.#discovery = setTimer(this.#clock, DISCOVERY_MS, again)
  }

  /**
   * Encrypts packets here. For XChaCha20, the library uses the first cipher package it can import, even
   * `libsodium-wrappers`, whose functions it cannot find, and then the first packet throws. For AES-GCM, it prepares the
   * key again for every packet, which takes most of the time.
   */
  #sealOurselves(): void {
    const networking = this.#networking
    const create = networking.createAudioPacket.bind(networking)
    networking.createAudioPacket = (opus, data, dave) => {
      const { encryptionMode: mode, secretKey: key } = data
      if ((mode !== XCHACHA_MODE && mode !== GCM_MODE) || !key) return create(opus, data, dave)
      const header = Buffer.alloc(MEDIA_HEADER_BYTES)
      header[0] = 0x80
      header[1] = 120
      header.writeUInt16BE(data.sequence, 2)
      header.writeUInt32BE(data.timestamp, 4)
      header.writeUInt32BE(data.ssrc, 8)
      data.nonce = (data.nonce + 1) >>> 0
      const payload = dave?.encrypt(opus) ?? opus
      return sealed(header, payload, { mode, key }, data.nonce)
    }
  }
}

/** Without effect on systems that do not allow it. */
function enlargeReceiveBuffer(socket: Socket): void {
  try {
    if (socket.getRecvBufferSize() < RECEIVE_BUFFER_BYTES) socket.setRecvBufferSize(RECEIVE_BUFFER_BYTES)
  } catch {
    // The default remains.
  }
}

function isForResuming(data: unknown): boolean {
  if (typeof data !== 'string') return false
  try {
    return RESUMING_OPS.includes((JSON.parse(data) as { op?: unknown } | null)?.op)
  } catch {
    // The library reports the error.
    return true
  }
}
