import { expect, test } from 'vitest'
import type { Reply } from '../../../simulator/discord/model/reply.ts'
import { type Answering, tone } from '../../../simulator/index.ts'
import { SAMPLE_RATE } from '../../../src/transcode/pcm.ts'
import { understanding } from '../../support/discord/guild-harness.ts'
import { ownBot, PATIENCE_MS } from '../../support/discord/own-bot.ts'
import { until } from '../../support/until.ts'

const sentence = () => tone(440, 1_200, SAMPLE_RATE, 12_000)
/** Ana and Ben each say one sentence. */
const answer: Answering = (session, maker) =>
  session.from === 'es-es'
    ? understanding('buenas tardes', 'good afternoon')(session, maker)
    : understanding('thank you', 'gracias')(session, maker)

const fileOf = ({ attachments: [file] }: Reply) =>
  file && { name: file.filename, text: Buffer.from(file.bytes).toString() }

test('a member gets the conversation in their language as a private file, without those who opted out', async () => {
  await using bot = await ownBot({ transcripts: true }, { answer })
  const { interpreter, ana, ben, guild } = bot
  await bot.begin()
  expect((await ben.command('interpret transcript')).text).toContain('/interpret start')
  await interpreter.join(bot.channel())
  expect((await bot.message('🔴')).text).toContain('The text is kept until interpreting ends')
  expect((await ben.command('interpret transcript')).text).toBe('Nothing has been said yet.')
  await ana.say(sentence())
  await bot.message('good afternoon')
  await ben.say(sentence())
  await bot.message('gracias')

  const english = await ben.command('interpret transcript')
  expect(english.ephemeral).toBe(true)
  expect(english.text).toMatch(/Utterances so far: \d/)
  const lines = fileOf(english)?.text.replaceAll(/^\[\d\d:\d\d:\d\d\] /gm, '')
  expect(new Set(lines?.trimEnd().split('\n'))).toEqual(
    new Set(['Ana (en-us): good afternoon', 'Ben (en-us): thank you']),
  )
  expect(fileOf(english)?.name).toBe('transcript-en-us.txt')
  const spanish = fileOf(await ana.command('interpret transcript', { format: 'srt' }))
  expect(spanish?.name).toBe('transcript-es-es.srt')
  expect(spanish?.text).toContain('Ana: buenas tardes')
  expect(spanish?.text).toContain('Ben: gracias')

  await ana.command('interpret privacy opt-out')
  const without = fileOf(await ben.command('interpret transcript', { format: 'vtt' }))
  expect(without?.text).toMatch(/^WEBVTT/)
  expect(without?.text).toContain('thank you')
  expect(without?.text).not.toContain('Ana')

  // It ends with the interpretation.
  await interpreter.leave(guild.id)
  await interpreter.join(bot.channel())
  expect((await ben.command('interpret transcript')).text).toBe('Nothing has been said yet.')
})

test('nothing is kept unless the owner of the bot wants it, and outsiders get nothing', async () => {
  await using bot = await ownBot({}, { answer })
  await bot.begin()
  await bot.interpreter.join(bot.channel())
  expect((await bot.message('🔴')).text).toContain('Nothing is recorded or kept.')
  expect((await bot.ben.command('interpret transcript')).text).toContain('No transcripts are kept here')
})

test('who cannot join the channel gets no transcript', async () => {
  await using bot = await ownBot({ transcripts: true }, { answer })
  const { guild, sala, ana } = bot
  await bot.begin()
  await bot.interpreter.join(bot.channel())
  await ana.say(sentence())
  await bot.message('good afternoon')
  const eve = guild.addMember({ name: 'Eve', locale: 'en-US' })
  const chat = guild.addTextChannel({ name: 'chat' })
  guild.setPermissions(sala, eve, { deny: ['Connect'] })
  const { client } = bot
  await until(() => client.channels.cache.has(chat.id), PATIENCE_MS, 'the chat')
  const reply = await eve.command('interpret transcript', {}, { in: chat })
  expect(reply.text).toContain('You don’t have permission')
  expect(reply.attachments).toEqual([])
})
