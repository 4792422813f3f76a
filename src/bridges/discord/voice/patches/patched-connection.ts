import {
  type DiscordGatewayAdapterCreator,
  type DiscordGatewayAdapterLibraryMethods,
  getVoiceConnection,
  joinVoiceChannel,
  type VoiceConnection,
  VoiceConnectionStatus,
} from '@discordjs/voice'
import type { Clock } from '../../../../common/clock.ts'
import { BridgeError } from '../../../../common/errors.ts'
import type { LinkCounters } from '../../counters.ts'
import type { DaveGuard } from '../dave-guard.ts'
import type { VoiceReceiver } from '../receiver.ts'
import {
  CODE,
  type Networking,
  NetworkingPatches,
  type NetworkingState,
  networkingOf,
  type VoicePacket,
} from './patched-networking.ts'

export interface GatewayWatcher {
  /** The bot's voice state: its current channel, or undefined for none. */
  voiceState(channelId: string | undefined): void
  /** The address of the voice server, or undefined if unknown. */
  voiceServer(endpoint: string | undefined): void
  /** The main gateway's client released this connection. */
  dropped(): void
  /** The main gateway is unavailable, so a join request was not sent. Called synchronously. */
  unsent(): void
}

/**
 * Filters the library's requests to the main gateway. The library requests to join again each time a voice server closes
 * its socket; only requests within `permit` pass.
 */
class VoiceStateFilter {
  readonly create: DiscordGatewayAdapterCreator
  #permitted = false
  /** A join request is unanswered. Until the answer, reports of no channel are outdated. */
  #unanswered = false

  constructor(create: DiscordGatewayAdapterCreator, watcher: GatewayWatcher) {
    this.create = library => {
      const adapter = create(this.#observed(library, watcher))
      return {
        destroy: () => adapter.destroy(),
        sendPayload: (payload: { d?: { channel_id?: string | null } }) => {
          const joins = Boolean(payload.d?.channel_id)
          if (!this.#permitted) return true
          if (adapter.sendPayload(payload)) {
            if (joins) this.#unanswered = true
          } else if (joins) watcher.unsent()
          // On failure, the library would close a working voice connection, and it reports only the first failure in a
          // row.
          return true
        },
      }
    }
  }

  /** Lets the library's requests pass during `act`. */
  permit<T>(act: () => T): T {
    this.#permitted = true
    try {
      return act()
    } finally {
      this.#permitted = false
    }
  }

  #observed(library: DiscordGatewayAdapterLibraryMethods, watcher: GatewayWatcher) {
    return {
      onVoiceStateUpdate: (state: Parameters<typeof library.onVoiceStateUpdate>[0]) => {
        const channelId = state.channel_id ?? undefined
        if (channelId === undefined && this.#unanswered) return
        this.#unanswered = false
        library.onVoiceStateUpdate(state)
        watcher.voiceState(channelId)
      },
      onVoiceServerUpdate: (server: Parameters<typeof library.onVoiceServerUpdate>[0]) => {
        watcher.voiceServer(server.endpoint ?? undefined)
        library.onVoiceServerUpdate(server)
      },
      destroy: () => {
        library.destroy()
        watcher.dropped()
      },
    }
  }
}

/** Op codes of the voice gateway (Discord, "Voice Opcodes"). */
const OP = { ready: 2, speaking: 5, clientDisconnect: 13 } as const

export interface ConnectionOptions {
  readonly guildId: string
  readonly channelId: string
  /** The bot's user ID. */
  readonly userId: string
  readonly adapterCreator: DiscordGatewayAdapterCreator
  readonly dave: boolean
  readonly clock: Clock
  readonly counters: LinkCounters
  readonly receiver: VoiceReceiver
  readonly guard: DaveGuard
}

export interface ConnectionWatcher extends GatewayWatcher {
  ready(): void
  /** The connection is being resumed, or replaced at another server. */
  connecting(): void
  /** The voice server closed the connection, and it will not be resumed. */
  closed(code: number): void
  speaking(userId: string): void
  failed(error: unknown): void
}

/**
 * One `VoiceConnection` of the library, from the join request to its destruction, with all patches: it rejoins only on
 * request, its receiver is replaced by a `VoiceReceiver`, and it does not throw.
 */
export class PatchedConnection {
  readonly #options: ConnectionOptions
  readonly #watcher: ConnectionWatcher
  readonly #gate: VoiceStateFilter
  readonly #connection: VoiceConnection
  #patches: NetworkingPatches | undefined
  #patched: unknown
  #dave: unknown
  #status: string | undefined
  #resuming = false
  #destroyed = false

  private constructor(
    options: ConnectionOptions,
    watcher: ConnectionWatcher,
    gate: VoiceStateFilter,
    connection: VoiceConnection,
  ) {
    this.#options = options
    this.#watcher = watcher
    this.#gate = gate
    this.#connection = connection
  }

  /** Sends the join request. Throws `BridgeError` `STATE` if the bot already has a connection in this guild. */
  static join(options: ConnectionOptions, watcher: ConnectionWatcher): PatchedConnection {
    const { guildId, channelId, adapterCreator, dave } = options
    const group = groupOf(options.userId)
    if (getVoiceConnection(guildId, group))
      throw new BridgeError('STATE', `guild ${guildId} already has a voice connection`)
    const gate = new VoiceStateFilter(adapterCreator, watcher)
    const connection = gate.permit(() =>
      joinVoiceChannel({
        guildId,
        channelId,
        group,
        adapterCreator: gate.create,
        selfDeaf: false,
        selfMute: false,
        daveEncryption: dave,
        // Exceeding the library's own limit destroys streams; `DaveGuard` has another.
        decryptionFailureTolerance: Number.MAX_SAFE_INTEGER,
      }),
    )
    const patched = new PatchedConnection(options, watcher, gate, connection)
    connection.receiver.onWsPacket = ignore
    connection.receiver.onUdpMessage = ignore
    connection.on('error', error => watcher.failed(error))
    connection.on('stateChange', () => patched.#changed())
    // Changes made by the library before the listener was added.
    queueMicrotask(() => patched.#changed())
    return patched
  }

  get ready(): boolean {
    return this.#connection.state.status === VoiceConnectionStatus.Ready
  }

  /** Sends another join request. */
  rejoin(): void {
    if (!this.#destroyed) this.#gate.permit(() => this.#connection.rejoin())
  }

  play(opus: Uint8Array): void {
    try {
      this.#connection.playOpusPacket(
        opus instanceof Buffer ? opus : Buffer.from(opus.buffer, opus.byteOffset, opus.byteLength),
      )
    } catch (error) {
      this.#watcher.failed(error)
    }
  }

  setSpeaking(on: boolean): void {
    this.#connection.setSpeaking(on)
  }

  /** Checks for hanging sockets and sessions; called about once a second. */
  check(now: number): void {
    this.#patches?.check()
    const { userId, guard } = this.#options
    const { connectionData } = networkingOf(this.#connection)?.state ?? {}
    if (connectionData)
      guard.check(now, connectionData.connectedClients.size <= +connectionData.connectedClients.has(userId))
  }

  /** Idempotent. `tell`: notifies the gateway. */
  destroy(tell: boolean): void {
    if (this.#destroyed) return
    this.#destroyed = true
    this.#patches?.[Symbol.dispose]()
    if (this.#connection.state.status === VoiceConnectionStatus.Destroyed) return
    this.#gate.permit(() => this.#connection.destroy(tell))
  }

  #changed(): void {
    if (this.#destroyed) return
    const { state } = this.#connection
    const networking = networkingOf(this.#connection)
    if (networking === this.#patched && state.status === this.#status) return
    this.#status = state.status
    if (networking !== this.#patched) {
      this.#patches?.[Symbol.dispose]()
      this.#patched = networking
      this.#patches = networking && this.#patch(networking)
    }
    if (state.status === VoiceConnectionStatus.Ready) this.#watcher.ready()
    else if (state.status === VoiceConnectionStatus.Connecting) this.#watcher.connecting()
  }

  #patch(networking: Networking): NetworkingPatches {
    const { clock, receiver } = this.#options
    const patches = new NetworkingPatches(networking, clock, {
      packet: packet => this.#packet(packet),
      datagram: (datagram, fromServer) => receiver.datagram(datagram, fromServer),
      changed: state => this.#networkingChanged(state),
      rekeyed: () => receiver.rekeyed(),
      closing: code => this.#watcher.closed(code),
      failed: error => this.#watcher.failed(error),
    })
    patches.start()
    return patches
  }

  #networkingChanged({ code, connectionData, dave }: NetworkingState): void {
    const { receiver, guard, counters } = this.#options
    if (code === CODE.resuming) this.#resuming = true
    if (code !== CODE.ready) return
    if (this.#resuming) counters.resumed++
    this.#resuming = false
    if (connectionData?.encryptionMode && connectionData.secretKey)
      receiver.use({ mode: connectionData.encryptionMode, key: connectionData.secretKey })
    guard.use(dave)
    if (dave === this.#dave) return
    this.#dave = dave
    dave?.on('invalidateTransition', () => guard.invalidated())
  }

  #packet({ op, d }: VoicePacket): void {
    const { receiver } = this.#options
    if (op === OP.ready) receiver.begin()
    else if (op === OP.speaking && typeof d?.user_id === 'string' && typeof d.ssrc === 'number') {
      receiver.named(d.user_id, d.ssrc)
      if (d.speaking) this.#watcher.speaking(d.user_id)
    } else if (op === OP.clientDisconnect && typeof d?.user_id === 'string') receiver.left(d.user_id)
  }
}

/**
 * The library's group of our connections. Two bots of one process in the same guild have separate ones, and neither is in
 * a group that the host of the bot uses for its own.
 */
export function groupOf(userId: string): string {
  return `dragoman ${userId}`
}

function ignore(): void {}
