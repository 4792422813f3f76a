import { ActionRowBuilder, ButtonBuilder, ButtonStyle, StringSelectMenuBuilder } from 'discord.js'
import { describe, expect, it } from 'vitest'
import { withCommand } from '../../support/simulator/interpret-command.ts'
import { until } from '../../support/until.ts'

describe('components', () => {
  const buttons = (disabled: boolean) =>
    new ActionRowBuilder<ButtonBuilder>().addComponents(
      new ButtonBuilder()
        .setCustomId('yes')
        .setLabel('Yes')
        .setStyle(ButtonStyle.Primary)
        .setDisabled(disabled),
      new ButtonBuilder().setCustomId('ask').setLabel('Ask').setStyle(ButtonStyle.Secondary),
    )
  const menu = new ActionRowBuilder<StringSelectMenuBuilder>().addComponents(
    new StringSelectMenuBuilder().setCustomId('pick').setOptions({ label: 'Spanish', value: 'es' }),
  )

  it('change their message or are answered', async () => {
    await using place = await withCommand(async interaction => {
      if (interaction.isChatInputCommand())
        return interaction.reply({ content: 'Well?', components: [buttons(false), menu] })
      if (interaction.isStringSelectMenu()) {
        await interaction.deferUpdate()
        return interaction.editReply(`picked ${interaction.values.join()}`)
      }
      if (!interaction.isButton()) return
      if (interaction.customId === 'yes')
        return interaction.update({ content: 'Good', components: [buttons(true)] })
      return interaction.reply({ content: `of ${interaction.message.content}`, flags: 64 })
    })
    const { ana, guild } = place
    const { message } = await ana.command('interpret start')
    const picked = await ana.press(message, 'pick', ['es'])
    expect(picked).toMatchObject({ updated: true, deferred: true, message })
    await until(() => message.content === 'picked es', 5_000, 'the choice')
    const yes = await ana.press(message, 'yes')
    expect(yes).toMatchObject({ updated: true, deferred: false, content: 'Good' })
    expect(message.history.map(({ content }) => content)).toEqual(['Well?', 'picked es', 'Good'])
    const asked = await ana.press(message, 'ask')
    expect(asked).toMatchObject({ updated: false, content: 'of Good', ephemeral: true })
    const ben = guild.addMember({ name: 'Ben' })
    await expect(ben.press(asked.message, 'yes')).rejects.toMatchObject({ code: 'unknown-component' })
    for (const id of ['yes', 'no'])
      await expect(ana.press(message, id)).rejects.toThrow(`no ${id} that could`)
  })
})
