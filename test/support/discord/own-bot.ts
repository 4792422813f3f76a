import { type Client, type ClientOptions, Events, MessageFlags } from 'discord.js'
import {
  type Answering,
  DiscordSimulator,
  type GuildOptions,
  type Message,
  ScriptedService,
} from '../../../simulator/index.ts'
import { Interpreter, type InterpreterOptions } from '../../../src/app/discord-interpreter.ts'
import type { VoiceEntry } from '../../../src/service/contract.ts'
import { LogLines } from '../log-lines.ts'
import { clientFor } from '../simulator/discord-bot.ts'
import { until } from '../until.ts'
import { total } from './guild-harness.ts'

export const PATIENCE_MS = 20_000
const LANGUAGES = ['en-us', 'es-es', 'fr-fr'].map((languageId, _at, all) => ({
  languageId,
  name: languageId,
  transcription: true,
  translation: all.filter(each => each !== languageId),
  synthesis: true,
}))

/** What surrounds the bot. */
export interface OwnBotWorld {
  readonly voices?: readonly VoiceEntry[]
  readonly answer?: Answering
  readonly botPermissions?: GuildOptions['botPermissions']
  /** The channel is joined by itself. */
  readonly autoJoins?: boolean
  /** Of the bot's client. */
  readonly client?: Partial<ClientOptions>
}

/** As in docs/guides/add-to-your-discord-bot.md: a bot with the command `/play`, in a guild with two members who speak different languages. */
export async function ownBot(
  options: Partial<InterpreterOptions> = {},
  { voices = [], answer, botPermissions, autoJoins = false, client: clientOptions }: OwnBotWorld = {},
) {
  const discord = await DiscordSimulator.listen({ dave: false })
  const trusted = discord.trust()
  const asked: string[] = []
  const service = await ScriptedService.listen({
    ...(answer ? { answer } : {}),
    http: ({ url = '' }, response) => {
      asked.push(url)
      response.end(JSON.stringify(url.startsWith('/api/voices') ? voices : LANGUAGES))
    },
  })
  const guild = discord.addGuild({ name: 'Casa', ...(botPermissions ? { botPermissions } : {}) })
  const sala = guild.addVoiceChannel({ name: 'Sala' })
  const ana = guild.addMember({ name: 'Ana', locale: 'es-ES' })
  const ben = guild.addMember({ name: 'Ben', locale: 'en-US' })
  await ana.join(sala)
  await ben.join(sala)
  const client = clientFor(discord, clientOptions)
  const played: string[] = []
  client.on(Events.InteractionCreate, async interaction => {
    if (interaction.isChatInputCommand() && interaction.commandName === 'play') {
      played.push(interaction.user.displayName)
      await interaction.reply({ content: 'a song', flags: MessageFlags.Ephemeral })
    }
  })
  const logIn = async () => {
    const ready = new Promise<Client<true>>(settle => client.once(Events.ClientReady, settle))
    await client.login(discord.token)
    const { application } = await ready
    if (!(await application.commands.fetch()).some(({ name }) => name === 'play'))
      await application.commands.create({ name: 'play', description: 'Plays a song' })
  }
  const log = new LogLines()
  const another = (more: Partial<InterpreterOptions>) =>
    new Interpreter({
      service: { url: service.url, apiKey: service.apiKey },
      channels: { dave: false },
      relay: { normalizeLoudness: false },
      log,
      ...(autoJoins ? { autoJoin: [sala.id] } : {}),
      ...more,
    })
  const interpreter = another(options)
  const heard = (hz: number, ms: number) =>
    until(() => total(sala.heard(), hz) >= ms, PATIENCE_MS, `hearing ${hz} Hz`)
  return {
    discord,
    service,
    /** Lists that were requested from the service. */
    asked,
    guild,
    sala,
    ana,
    ben,
    client,
    played,
    log,
    interpreter,
    /** A further interpreter with the same service. */
    another,
    logIn,
    heard,
    channel: () => {
      const channel = client.channels.cache.get(sala.id)
      if (!channel?.isVoiceBased()) throw new Error('the client does not know the channel')
      return channel
    },
    /** Logs in, attaches the interpreter, and gives Ana and Ben their languages. */
    async begin() {
      interpreter.attach(client)
      await logIn()
      await interpreter.ready()
      await ana.command('interpret language', { language: 'es-es' })
      await ben.command('interpret language', { language: 'en-us' })
    },
    /** Sessions of the service that get someone's voice. Notices are synthesized in others. */
    listening: () => service.sessions.filter(({ namespace }) => namespace !== '/tts'),
    /** The newest message of the chat with `text`, posted after `earlier`. */
    message: (text: string, earlier?: Message) =>
      until(
        () =>
          sala.visible.findLast(
            each => each.text.includes(text) && (!earlier || BigInt(each.id) > BigInt(earlier.id)),
          ),
        PATIENCE_MS,
        `"${text}"`,
      ),
    async [Symbol.asyncDispose]() {
      await interpreter.close()
      await client.destroy()
      await service.close()
      trusted[Symbol.dispose]()
      await discord.close()
    },
  }
}
