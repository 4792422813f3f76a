/**
 * The Discord bridge as a plugin of your Fastify server, with any server of the translation-service interface.
 *
 *   SERVICE_URL=https://translation.example.com SERVICE_KEY=… DISCORD_TOKEN=… npm run example examples/discord-bot.ts
 * DISCORD_API selects another address of Discord's API, such as that of a simulator.
 */

import { languageCatalog, openAnnouncer, Relay, relayOptions } from 'dragoman'
import discordBridge, { inviteUrl } from 'dragoman/discord'
import { ServiceTranslator } from 'dragoman/service'
import Fastify from 'fastify'

const { SERVICE_URL = '', SERVICE_KEY = '', DISCORD_TOKEN = '', DISCORD_API, APPLICATION_ID } = process.env
const service = { url: SERVICE_URL, apiKey: SERVICE_KEY }

const relay = new Relay({ translator: new ServiceTranslator(service), options: relayOptions() })
const announcer = await openAnnouncer(service) // speaks the notices in the channel
relay.observer.on('caption', ({ final, name, text, translation }) => {
  if (final) console.log(`${name}: ${text} → ${translation}`)
})

const app = Fastify()
await app.register(discordBridge, {
  token: DISCORD_TOKEN,
  relay,
  announcer,
  languages: languageCatalog(service),
  ...(DISCORD_API ? { apiUrl: DISCORD_API } : {}),
})
app.addHook('onClose', () => relay.close())
await relay.ready()
await app.ready() // logs in, in the background; `app.listen()` does so too

if (APPLICATION_ID) console.log(`Invite it: ${inviteUrl(APPLICATION_ID)}`)
console.log((await app.discord.settled) ? 'It is in.' : 'Discord rejects the token.')
// Says goodbye in every channel, and leaves.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void app.close())
