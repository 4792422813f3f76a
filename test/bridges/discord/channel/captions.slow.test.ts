import { expect, test } from 'vitest'
import { guildHarness, speech, understanding } from '../../../support/discord/guild-harness.ts'
import { pause, until } from '../../../support/until.ts'

const EDIT = 'PATCH /channels/:id/messages/:id'

test('a turn is one message, edited while it grows, within Discord’s limits', async () => {
  const sentence = 'uno dos tres cuatro cinco seis siete ocho nueve diez once doce'
  await using casa = await guildHarness({ service: { answer: understanding(sentence, 'one to twelve') } })
  const { ana } = await casa.anaAndBen()
  await casa.start()
  await ana.say(speech(440, 6_000))
  await until(() => turns(casa.sala).at(-1)?.text.includes('…') === false, 15_000, 'the final version')
  const [turn] = turns(casa.sala)
  expect(turns(casa.sala).length).toBe(1)
  expect(turn?.text).toBe(`**Ana:** ${sentence}\n\`en\` one to twelve`)
  expect(turn?.edits).toBeGreaterThanOrEqual(3)
  // It was started while she spoke.
  expect(turn?.history[0]?.content).toContain('…')
  const spanMs = turn!.history.at(-1)!.at - turn!.history[0]!.at
  expect(turn!.edits).toBeLessThanOrEqual(spanMs / 1_200 + 2)
  expect(casa.discord.count(429)).toBe(0)
  expect(turn?.pings).toEqual([])
})

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

test('a deleted message is not restored', async () => {
  await using casa = await guildHarness()
  const { ana } = await casa.anaAndBen()
  await casa.start()
  const saying = ana.say(speech(440, 5_000))
  const turn = await until(() => turns(casa.sala)[0], 10_000, 'a caption')
  turn.delete(Date.now())
  await saying
  await pause(1_200)
  await ana.say(speech(440, 1_000))
  await until(() => turns(casa.sala).length === 1, 15_000, 'the next turn')
  expect(turns(casa.sala)[0]).not.toBe(turn)
  expect(turn.deleted).toBe(true)
})

test.each([
  ['says that we were too fast', { rateLimited: { retryAfterMs: 1_500 } }],
  ['fails', { reply: { status: 500 } }],
  ['cuts the connection', { cut: 'before' as const }],
])('final text is written eventually when Discord %s', async (_what, fault) => {
  await using casa = await guildHarness()
  const { ana } = await casa.anaAndBen()
  await casa.start()
  casa.discord.faults.rest.next({ ...fault, only: EDIT })
  casa.discord.faults.rest.next({ ...fault, only: 'POST /channels/:id/messages' })
  await ana.say(speech(440, 2_500))
  await until(
    () => turns(casa.sala).some(({ text }) => text.includes('`en`') && !text.includes('…')),
    20_000,
    'it',
  )
  expect(turns(casa.sala).length).toBe(1)
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
  visible: readonly import('../../../../src/simulator/discord/model/message.ts').Message[]
}) {
  return channel.visible.filter(({ text }) => !/^[🔴⚪]/u.test(text))
}
