import type { DiscordGatewayAdapterCreator, DiscordGatewayAdapterLibraryMethods } from '@discordjs/voice'

export interface GatewayWatcher {
  /** The bot's own voice state: where it is now; `undefined` for nowhere. */
  where(channelId: string | undefined): void
  /** A voice server was named, or there is none for now. */
  server(endpoint: string | undefined): void
  /** The main gateway's client let go of this connection. */
  dropped(): void
  /** The main gateway is unavailable: a request to join could not be sent. Called while it is made. */
  unsent(): void
}

/**
 * Stands between the library and the main gateway. The library asks to be let in again at once whenever a voice server
 * closes its socket; only what is asked within `asking` gets through.
 */
export class GatewayGate {
  readonly create: DiscordGatewayAdapterCreator
  #asking = false
  /** Asked to be let in, and not yet told where we are: that we are nowhere is old news until then. */
  #asked = false

  constructor(create: DiscordGatewayAdapterCreator, watcher: GatewayWatcher) {
    this.create = library => {
      const adapter = create(this.#told(library, watcher))
      return {
        destroy: () => adapter.destroy(),
        sendPayload: (payload: { d?: { channel_id?: string | null } }) => {
          const joins = Boolean(payload.d?.channel_id)
          if (!this.#asking) return true
          if (adapter.sendPayload(payload)) {
            if (joins) this.#asked = true
          } else if (joins) watcher.unsent()
          // The library would close a voice connection that still works, and reports only the first failure in a row.
          return true
        },
      }
    }
  }

  /** What the library asks of the gateway in `act` is asked. */
  asking<T>(act: () => T): T {
    this.#asking = true
    try {
      return act()
    } finally {
      this.#asking = false
    }
  }

  #told(library: DiscordGatewayAdapterLibraryMethods, watcher: GatewayWatcher) {
    return {
      onVoiceStateUpdate: (state: Parameters<typeof library.onVoiceStateUpdate>[0]) => {
        const channelId = state.channel_id ?? undefined
        if (channelId === undefined && this.#asked) return
        this.#asked = false
        library.onVoiceStateUpdate(state)
        watcher.where(channelId)
      },
      onVoiceServerUpdate: (server: Parameters<typeof library.onVoiceServerUpdate>[0]) => {
        watcher.server(server.endpoint ?? undefined)
        library.onVoiceServerUpdate(server)
      },
      destroy: () => {
        library.destroy()
        watcher.dropped()
      },
    }
  }
}
