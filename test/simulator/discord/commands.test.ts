import { type ChatInputCommandInteraction, type Interaction, PermissionFlagsBits } from 'discord.js'
import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../../simulator/index.ts'
import { withCommand } from '../../support/simulator/interpret-command.ts'
import { until } from '../../support/until.ts'

const slash =
  (answer: (interaction: ChatInputCommandInteraction<'cached'>) => unknown) => (any: Interaction) =>
    any.isChatInputCommand() && any.inCachedGuild() ? answer(any) : undefined

describe('a command', () => {
  it('reaches the client as typed', async () => {
    await using place = await withCommand(
      slash(interaction => {
        const { options, member, locale, guildLocale, channel } = interaction
        return interaction.reply(
          [
            options.getSubcommandGroup(),
            options.getSubcommand(),
            options.getString('language'),
            options.getInteger('lines'),
            options.getMember('who')?.displayName,
            options.getChannel('where')?.name,
            member.displayName,
            locale,
            guildLocale,
            channel?.name,
            interaction.memberPermissions.has(PermissionFlagsBits.Connect),
            interaction.appPermissions.has(PermissionFlagsBits.ManageGuild),
          ].join(' '),
        )
      }),
    )
    const { ana, guild, text, discord } = place
    const reply = await ana.command(
      'interpret start',
      { language: 'es-es', lines: 3, who: guild.bot, where: text },
      { in: text },
    )
    expect(reply.content).toBe(' start es-es 3 dragoman general Ana es-ES de general true false')
    expect(reply).toMatchObject({ deferred: false, ephemeral: false, followUps: [] })
    expect(reply.message.author.id).toBe(discord.bot.id)
    expect(text.messages).toEqual([reply.message])
    const forgets = await ana.command('/interpret privacy forget', { what: 'words' })
    expect(forgets.content).toMatch(/^privacy forget/)
  })

  it('can be answered later, only to its author, changed, followed up and deleted', async () => {
    await using place = await withCommand(
      slash(async interaction => {
        await interaction.deferReply({ flags: 64 })
        await interaction.editReply({ content: 'one', embeds: [{ title: 'Title', description: 'Words' }] })
        await interaction.editReply('two')
        const more = await interaction.followUp('more')
        await interaction.webhook.editMessage(more, 'even more')
        const gone = await interaction.followUp({ content: 'gone', flags: 64 })
        await interaction.deleteReply(gone)
        expect((await interaction.fetchReply()).content).toBe('two')
      }),
    )
    const { ana, text, errors } = place
    const reply = await ana.command('interpret start', {}, { in: text })
    expect(reply).toMatchObject({ deferred: true, ephemeral: true })
    expect(reply.history[0]).toMatchObject({ content: 'one', embeds: [{ title: 'Title' }] })
    await until(() => reply.followUps[1]?.deleted, 5_000, 'the end of it')
    expect(reply.text).toBe('two\nTitle\nWords')
    expect(reply.history.map(({ content }) => content)).toEqual(['one', 'two'])
    expect(reply.followUps.map(({ content, ephemeral }) => [content, ephemeral])).toEqual([
      ['even more', false],
      ['gone', true],
    ])
    expect(text.visible).toEqual([reply.followUps[0]])
    expect(errors).toEqual([])
  })

  it('fails after three seconds without a response, and cannot be answered then, nor twice', async () => {
    const clock = new FakeClock()
    const came: ChatInputCommandInteraction[] = []
    await using place = await withCommand(
      slash(interaction => came.push(interaction)),
      clock,
    )
    const failed = expect(place.ana.command('interpret start')).rejects.toMatchObject({
      code: 'no-response',
      message: 'The application did not respond',
    })
    const late = await until(() => came[0], 5_000, 'the interaction')
    clock.advance(3_000)
    await failed
    await expect(late.reply('late')).rejects.toMatchObject({ code: 10062, status: 404 })

    const answered = place.ana.command('interpret start')
    const good = await until(() => came[1], 5_000, 'the second one')
    await good.deferReply()
    await good.editReply('soon')
    expect((await answered).content).toBe('soon')
    const body = { type: 4, data: { content: 'again' } }
    const again = good.client.rest.post(`/interactions/${good.id}/${good.token}/callback`, {
      body,
      auth: false,
    })
    await expect(again).rejects.toMatchObject({ code: 40060 })
    clock.advance(900_000)
    await expect(good.editReply('too late')).rejects.toMatchObject({ code: 50027 })
  })
})
