import type { Socket } from 'node:dgram'
import type { EventEmitter } from 'node:events'
import type { VoiceConnection } from '@discordjs/voice'
import type { DaveSession } from '../dave-guard.ts'

/**
 * The parts of @discordjs/voice 0.19.2 that are patched here. They are not public, which is why the version is pinned.
 * `test/unit/bridges/discord/voice/library-internals.test.ts` fails if one of them disappears.
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
