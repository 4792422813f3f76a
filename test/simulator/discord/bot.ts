import { Client, type ClientOptions, Events, GatewayIntentBits } from 'discord.js'
import type { DiscordStandIn } from '../../../src/simulator/index.ts'

/** The unmodified client of discord.js, logged in; disposing logs it out. */
export interface Bot extends AsyncDisposable {
  readonly client: Client<true>
}

/** A client that is not logged in yet. */
export function clientFor({ api }: DiscordStandIn, options: Partial<ClientOptions> = {}): Client {
  const intents = [GatewayIntentBits.Guilds, GatewayIntentBits.GuildVoiceStates]
  return new Client({ intents, ...options, rest: { api, ...options.rest } })
}

export async function login(discord: DiscordStandIn, options: Partial<ClientOptions> = {}): Promise<Bot> {
  const client = clientFor(discord, options)
  const ready = new Promise<Client<true>>(settle => client.once(Events.ClientReady, settle))
  await client.login(discord.token)
  return { client: await ready, [Symbol.asyncDispose]: () => client.destroy() }
}
