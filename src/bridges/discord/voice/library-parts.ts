import type { Socket } from 'node:dgram'
import type { EventEmitter } from 'node:events'
import type { VoiceConnection } from '@discordjs/voice'
import type { DaveSession } from './dave-guard.ts'

/**
 * The parts of @discordjs/voice 0.19.2 that are mended here and that it does not declare as public, which is why its
 * version is pinned. `test/bridges/discord/voice/library-parts.test.ts` tells when one of them is not there any more.
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
  /** User ids of who is there, by op 11 and 13. */
  readonly connectedClients: ReadonlySet<string>
  readonly encryptionMode?: string
  readonly secretKey?: Uint8Array
  readonly sequence: number
  readonly timestamp: number
  nonce: number
}

/** Its `VoiceWebSocket`. */
export interface VoiceSocket extends EventEmitter {
  onMessage(event: { readonly data: unknown }): void
  readonly ws: { readonly readyState: number; terminate(): void }
}

/** Its `VoiceUDPSocket`. */
export interface VoiceUdp extends EventEmitter {
  readonly socket: Socket
  readonly remote: { readonly ip: string; readonly port: number }
  keepAlive(): void
  send(datagram: Buffer): void
}

/** What the server says over the socket, as far as it matters here. */
export interface VoicePacket {
  readonly op: number
  readonly d: { readonly user_id?: string; readonly ssrc?: number; readonly speaking?: number } | null
}

/** `NetworkingStatusCode` of the library. */
export const CODE = { udpHandshaking: 2, ready: 4, resuming: 5 } as const

export function networkingOf(connection: VoiceConnection): Networking | undefined {
  const { state } = connection
  return 'networking' in state ? (state.networking as unknown as Networking) : undefined
}
