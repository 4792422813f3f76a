import { Events, type Interaction, SlashCommandBuilder } from 'discord.js'
import { DiscordSimulator, type FakeClock } from '../../../simulator/index.ts'
import { login } from './discord-bot.ts'

/** A command with subcommands, a group, and an option of every supported type. */
const INTERPRET = new SlashCommandBuilder()
  .setName('interpret')
  .setNameLocalizations({ de: 'dolmetschen' })
  .setDescription('Interpreting')
  .addSubcommand(sub =>
    sub
      .setName('start')
      .setDescription('Begins')
      .addStringOption(option => option.setName('language').setDescription('Yours').setAutocomplete(true))
      .addIntegerOption(option =>
        option.setName('lines').setDescription('How many').setMinValue(1).setMaxValue(9),
      )
      .addUserOption(option => option.setName('who').setDescription('For whom'))
      .addChannelOption(option => option.setName('where').setDescription('In which')),
  )
  .addSubcommandGroup(group =>
    group
      .setName('privacy')
      .setDescription('Of yours')
      .addSubcommand(sub =>
        sub
          .setName('forget')
          .setDescription('All')
          .addStringOption(option =>
            option
              .setName('what')
              .setDescription('Of it')
              .setRequired(true)
              .setChoices({ name: 'Words', value: 'words' }, { name: 'Voice', value: 'voice' }),
          ),
      ),
  )

/** A guild with a bot that registered the command and answers with `answer`. */
export async function withCommand(answer: (interaction: Interaction) => unknown, clock?: FakeClock) {
  const discord = await DiscordSimulator.listen(clock ? { clock } : {})
  const guild = discord.addGuild({ name: 'Casa', locale: 'de' })
  const text = guild.addTextChannel({ name: 'general' })
  const ana = guild.addMember({ name: 'Ana', locale: 'es-ES' })
  const bot = await login(discord)
  await bot.client.application.commands.set([INTERPRET])
  const errors: unknown[] = []
  bot.client.on(Events.InteractionCreate, async interaction => {
    try {
      await answer(interaction)
    } catch (error) {
      errors.push(error)
    }
  })
  return {
    ...{ discord, guild, text, ana, bot, errors },
    async [Symbol.asyncDispose]() {
      await bot[Symbol.asyncDispose]()
      await discord.close()
    },
  }
}
