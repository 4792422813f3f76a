import { Client, Events, GatewayIntentBits, type REST } from 'discord.js'
import { DiscordSimulator } from '../../../simulator/index.ts'
import type { CommandServices } from '../../../src/bridges/discord/commands/command-context.ts'
import { InteractionHandler } from '../../../src/bridges/discord/commands/interaction-handler.ts'
import {
  type LanguageCapabilities,
  LanguageList,
} from '../../../src/bridges/discord/commands/language-choices.ts'
import { USED_PERMISSIONS } from '../../../src/bridges/discord/commands/permissions.ts'
import { registerCommand } from '../../../src/bridges/discord/commands/registration.ts'
import type { CommandSettings } from '../../../src/bridges/discord/options.ts'
import { VoiceRegister } from '../../../src/bridges/discord/voice-register.ts'
import { type Clock, systemClock } from '../../../src/common/clock.ts'
import { systemWallClock } from '../../../src/common/wall-clock.ts'
import { LogLines } from '../log-lines.ts'
import { DEFAULT_TERMS } from './default-terms.ts'
import { type FakeInterpreter, FakeInterpreters, FakePreferences } from './fake-interpreters.ts'

export const OFFERED: readonly LanguageCapabilities[] = [
  { id: 'en-us', heard: true, spoken: true },
  { id: 'en-gb', heard: true, spoken: true },
  { id: 'es-es', heard: true, spoken: true },
  { id: 'es-mx', heard: true, spoken: true },
  { id: 'de-de', heard: true, spoken: true },
  { id: 'ca-es', heard: true, spoken: false },
  { id: 'eu-es', heard: false, spoken: true },
]

const SETTINGS: CommandSettings = {
  guilds: [],
  output: 'auto',
  captions: { style: 'embed', thread: false },
  dials: true,
  dialRoles: [],
  phoneNumbers: ['+15551230001'],
}

/** A simulated Discord with a guild, the real client, the command desk, and fakes for everything below it. */
export async function openWorld(
  settings: Partial<CommandSettings> = {},
  clock: Clock = systemClock,
  more: Partial<CommandServices> = {},
) {
  const discord = await DiscordSimulator.listen()
  const guild = discord.addGuild({ name: 'Casa', botPermissions: USED_PERMISSIONS })
  const lounge = guild.addVoiceChannel({ name: 'Lounge' })
  const general = guild.addTextChannel({ name: 'general' })
  const ana = guild.addMember({ name: 'Ana', locale: 'es-ES' })
  const ben = guild.addMember({ name: 'Ben', locale: 'en-GB' })
  const intents = [GatewayIntentBits.Guilds, GatewayIntentBits.GuildVoiceStates]
  const client = new Client({ intents, rest: { api: discord.api } })
  const log = new LogLines()
  const ready = new Promise(settle => client.once(Events.ClientReady, settle))
  await client.login(discord.token)
  await ready
  const terms = {
    rest: client.rest as REST,
    applicationId: discord.application.id,
    guilds: settings.guilds ?? [],
    log,
  }
  await registerCommand(terms)
  const interpreters = new FakeInterpreters()
  const preferences = new FakePreferences()
  const locales = new Map<string, string>()
  const service = { languages: async () => OFFERED }
  const guesses = {
    left: 3,
    begin: () => (guesses.left > 0 ? { right() {}, wrong: () => void guesses.left-- } : undefined),
  }
  const languages = new LanguageList(() => service.languages(), { clock, log })
  const register = new VoiceRegister(client)
  register.start()
  const desk = new InteractionHandler(
    { client, register },
    {
      interpreters,
      guildIds: () => client.guilds.cache.keys(),
      preferences,
      languages,
      locales,
      roomCodeLimiter: guesses,
      settings: { ...SETTINGS, ...settings },
      terms: DEFAULT_TERMS,
      ...more,
      starters: new WeakMap(),
      clock,
      wallClock: systemWallClock,
      log,
    },
  )
  desk.start()
  return {
    ...{ discord, guild, lounge, general, ana, ben, client, log, terms },
    ...{ interpreters, preferences, locales, service, guesses, desk },
    async [Symbol.asyncDispose]() {
      desk[Symbol.dispose]()
      await client.destroy()
      await discord.close()
    },
  }
}

/** A world in which Ben started interpreting in the lounge, where he is with Ana; Eve is outside. */
export async function openRunning(
  settings: Partial<CommandSettings> = {},
  more: Partial<CommandServices> = {},
) {
  const world = await openWorld(settings, systemClock, more)
  await world.ben.join(world.lounge)
  await world.ana.join(world.lounge)
  const eve = world.guild.addMember({ name: '*Eve* @everyone', locale: 'en-US' })
  await world.ben.command('interpret start', {}, { in: world.general })
  const interpreter = world.interpreters.of(world.guild.id) as FakeInterpreter
  const types = async (who: typeof eve, path: string, values: Record<string, never> | object = {}) =>
    (await who.command(path, values as Record<string, string>, { in: world.general })).text
  const announced = () => world.lounge.visible.map(({ content }) => content)
  return {
    ...world,
    eve,
    interpreter,
    types,
    announced,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}
