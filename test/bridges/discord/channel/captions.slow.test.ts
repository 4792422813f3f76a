import { expect, test } from 'vitest'
import { guildHarness, speech, understanding } from '../../../support/discord/guild-harness.ts'
import { until } from '../../../support/until.ts'

test('names and speech are shown verbatim and alert no one', async () => {
  await using casa = await guildHarness({
    service: { answer: understanding('@everyone <@1> **loud** [x](http://y)', '# <#2> ||z||') },
  })
  const ana = casa.person('@everyone *Ana*', 'es-es')
  const ben = casa.person('Ben', 'en-us')
  await ana.join(casa.sala)
  await ben.join(casa.sala)
  await casa.start()
  await ana.say(speech(440, 800))
  await casa.reads(['loud'])
  const [turn] = turns(casa.sala)
  expect(turn?.pings).toEqual([])
  expect(turn?.text).not.toContain('@everyone')
  expect(turn?.text).not.toMatch(/(^|[^\\])(<@|<#|\*\*loud|\|\|)/)
})

test('voices continue where captions cannot be written', async () => {
  await using casa = await guildHarness()
  const { ana } = await casa.anaAndBen()
  const channel = await casa.start()
  casa.guild.setPermissions(casa.sala, casa.guild.bot, { deny: ['SendMessages'] })
  await ana.say(speech(440, 1_500))
  await until(
    () => casa.log.complaints.some(line => line.includes('captions not writable')),
    10_000,
    'a word',
  )
  expect(channel.status().state).toBe('listening')
  expect(turns(casa.sala)).toEqual([])
})

test('captions go to a thread, in the requested style', async () => {
  await using casa = await guildHarness()
  const text = await casa.known(casa.guild.addTextChannel({ name: 'chat' }))
  const { ana } = await casa.anaAndBen()
  const channel = await casa.start({ textChannelId: text.id, captions: { style: 'embed', thread: true } })
  const [thread] = text.threads
  await ana.say(speech(440, 1_500))
  const caption = await until(
    () => thread?.visible.find(({ embeds }) => embeds.length > 0),
    10_000,
    'a caption',
  )
  expect(caption.embeds[0]?.author?.name).toBe('Ana')
  expect(caption.content).toBe('')
  await channel.setCaptions({ style: 'off', thread: false })
  const count = thread?.visible.length
  await ana.say(speech(440, 1_500))
  await channel.stop('1')
  expect(thread?.visible.length).toBe(count)
  expect(channel.status().written).toEqual([])
})

/** Messages that are captions, not notices. */
function turns(channel: {
  visible: readonly import('../../../../simulator/discord/model/message.ts').Message[]
}) {
  return channel.visible.filter(({ text }) => !/^[🔴⚪]/u.test(text))
}
