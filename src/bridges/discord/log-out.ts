import type { Client } from 'discord.js'
import type { Clock } from '../../common/clock.ts'
import { within } from '../../common/within.ts'

/** Time limit for closing the gateway connection (ms). */
const GOODBYE_MS = 5_000

/** The parts of a shard of @discordjs/ws that are used here; discord.js 14.28.1 (pinned) hides it. */
interface Shard {
  readonly connection: {
    readonly readyState: number
    on(event: 'error', listener: () => void): void
    terminate(): void
  } | null
  internalConnect(): Promise<void>
}

/**
 * Logs out `client` permanently, within a bounded time. On its own, the library reconnects: a connection attempt in
 * progress when the client is destroyed repeats half a second later, again and again. Never rejects.
 */
export async function logOut(client: Client, clock: Clock): Promise<void> {
  const shards = shardsOf(client)
  for (const shard of shards) shard.internalConnect = async () => {}
  await within(clock, GOODBYE_MS, client.destroy())
  for (const { connection } of shards) {
    // A connection that is not open yet fails now, without other listeners.
    connection?.on('error', () => {})
    connection?.terminate()
  }
}

function shardsOf(client: Client): Shard[] {
  const { ws } = client as unknown as {
    readonly ws: {
      readonly _ws?: { readonly strategy?: { readonly shards?: ReadonlyMap<number, Shard> } } | null
    }
  }
  return Array.from(ws._ws?.strategy?.shards?.values() ?? [])
}
