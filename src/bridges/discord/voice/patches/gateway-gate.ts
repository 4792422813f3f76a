import type { DiscordGatewayAdapterCreator, DiscordGatewayAdapterLibraryMethods } from '@discordjs/voice'

export interface GatewayWatcher {
  /** The bot's voice state: its current channel, or undefined for none. */
  where(channelId: string | undefined): void
  /** The address of the voice server, or undefined if unknown. */
  server(endpoint: string | undefined): void
  /** The main gateway's client released this connection. */
  dropped(): void
  /** The main gateway is unavailable, so a join request was not sent. Called synchronously. */
  unsent(): void
}

/**
 * Filters the library's requests to the main gateway. The library requests to join again each time a voice server closes
 * its socket; only requests within `asking` pass.
 */
export class GatewayGate {
  readonly create: DiscordGatewayAdapterCreator
  #asking = false
  /** A join request is unanswered. Until the answer, reports of no channel are outdated. */
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
          // On failure, the library would close a working voice connection, and it reports only the first failure in a
          // row.
          return true
        },
      }
    }
  }

  /** Lets the library's requests pass during `act`. */
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
