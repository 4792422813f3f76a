/**
 * Interpreting in your own discord.js bot, next to its own commands, with any server of the translation-service interface.
 *
 *   SERVICE_URL=https://translation.example.com SERVICE_KEY=… DISCORD_TOKEN=… npm run example examples/own-discord-bot.ts
 *
 * DISCORD_API selects another address of Discord's API,
 * such as that of a simulator.
 */
import { Client, Events, GatewayIntentBits } from 'discord.js'
import { Interpreter } from 'dragoman/discord'

const { SERVICE_URL = '', SERVICE_KEY = '', DISCORD_TOKEN = '', DISCORD_API } = process.env
const client = new Client({
  intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildVoiceStates],
  ...(DISCORD_API ? { rest: { api: DISCORD_API } } : {}),
})

const interpreter = new Interpreter({ service: { url: SERVICE_URL, apiKey: SERVICE_KEY } })
interpreter.on('caption', ({ final, name, text, translation }) => {
  if (final) console.log(`${name}: ${text} → ${translation}`)
})
interpreter.attach(client, { commands: true }) // adds /interpret; your own commands stay as they are

// Interprets each channel as soon as two people are in it.
client.on(Events.VoiceStateUpdate, async (_before, { channel, guild }) => {
  const people = channel?.members.filter(({ user }) => !user.bot).size ?? 0
  if (channel && people >= 2 && !interpreter.in(guild.id))
    await interpreter.join(channel).catch(console.error)
})

await client.login(DISCORD_TOKEN)
await interpreter.ready()
console.log('Ready. Join a voice channel with a second person, or type /interpret start.')
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void interpreter.close().then(() => client.destroy()))
