import type { Client } from 'discord.js'
import type { Clock } from '../../core/clock.ts'
import { within } from './channel/within.ts'

/** Saying goodbye to the gateway may take so long (ms). */
const GOODBYE_MS = 5_000

/** What is needed of a shard of @discordjs/ws, which discord.js 14.28.1 (pinned) brings and hides. */
interface Shard {
  readonly connection: {
    readonly readyState: number
    on(event: 'error', listener: () => void): void
    terminate(): void
  } | null
  internalConnect(): Promise<void>
}

/**
 * Logs `client` out for good, in a bounded time. The library by itself comes back: a connection that it is just making
 * anew when it is destroyed is made half a second later, and then again and again. Never rejects.
 */
export async function logOut(client: Client, clock: Clock): Promise<void> {
  const shards = shardsOf(client)
  for (const shard of shards) shard.internalConnect = async () => {}
  await within(clock, GOODBYE_MS, client.destroy())
  for (const { connection } of shards) {
    // What is not open yet fails now, and nobody listens any more.
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
