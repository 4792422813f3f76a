import { expect, test } from 'vitest'
import { tone, tones } from '../../../simulator/index.ts'
import { SAMPLE_RATE } from '../../../src/transcode/pcm.ts'
import { total } from '../../support/discord/guild-harness.ts'
import { ownBot, PATIENCE_MS } from '../../support/discord/own-bot.ts'
import { until } from '../../support/until.ts'

/** Translations, unlike notices. */
const ENGLISH_HZ = 1_000
const answer = tones({ hz: to => (to === 'en-us' ? ENGLISH_HZ : 1_500) })
const sentence = () => tone(440, 1_200, SAMPLE_RATE, 12_000)
const OPT_IN = 'dragoman:privacy:opt-in'
const OPT_OUT = 'dragoman:privacy:opt-out'

test('where people must opt in, no voice leaves the process before they do; withdrawal takes effect at once', async () => {
  await using bot = await ownBot({ channels: { dave: false, consent: { mode: 'opt-in' } } }, { answer })
  const { interpreter, ana, ben, sala } = bot
  const decisions: string[] = []
  interpreter.on('consent', (_channel, userId, consents) => decisions.push(`${userId} ${consents}`))
  await bot.begin()
  const channel = await interpreter.join(bot.channel())
  const excluded = () => channel.status().speakers.map(({ excludedBy }) => excludedBy)
  expect(excluded()).toEqual(['not-opted-in', 'not-opted-in'])
  const notice = await bot.message('I listen only to people who agree')
  expect(notice.text).toContain('Solo escucho a quienes están de acuerdo')
  await ana.say(sentence())
  expect(bot.listening()).toEqual([])

  // Ana agrees by the button, Ben does not.
  expect((await ana.press(notice, OPT_IN)).text).toBe('Te interpreto.')
  await ana.say(sentence())
  await bot.heard(ENGLISH_HZ, 500)
  await ben.say(sentence())
  expect(bot.listening().filter(({ from }) => from === 'en-us')).toEqual([])
  expect((await ben.command('interpret status')).text).toContain('has not agreed yet')

  // She withdraws while she speaks.
  const session = bot.listening().findLast(({ connected }) => connected)!
  const before = session.heardMs
  const saying = ana.say(tone(440, 2_500, SAMPLE_RATE, 12_000))
  await until(() => session.heardMs > before + 400, PATIENCE_MS, 'her voice')
  await ana.press(notice, OPT_OUT)
  await until(() => !session.connected, PATIENCE_MS, 'the end of her session')
  const heardMs = total(sala.heard(), ENGLISH_HZ)
  await saying
  expect(total(sala.heard(), ENGLISH_HZ)).toBeLessThan(heardMs + 100)
  expect(bot.listening().filter(({ connected }) => connected)).toEqual([])
  expect(decisions).toEqual([`${ana.id} true`, `${ana.id} false`])
})

test('consent given by command counts for this interpretation only', async () => {
  await using bot = await ownBot({ channels: { dave: false, consent: { mode: 'opt-in' } } }, { answer })
  const { interpreter, ana, guild } = bot
  await bot.begin()
  expect((await ana.command('interpret privacy opt-in')).text).toContain('pulsa el botón del aviso')
  const channel = await interpreter.join(bot.channel())
  await ana.command('interpret privacy opt-in')
  await ana.say(sentence())
  await bot.heard(ENGLISH_HZ, 500)
  expect(channel.status().speakers.map(({ consents }) => consents)).toEqual([true, false])
  await interpreter.leave(guild.id)
  const again = await interpreter.join(bot.channel())
  expect(again.status().speakers.map(({ consents }) => consents)).toEqual([false, false])
})

test('with roles, only their members are interpreted, from the moment they have one until they lose it', async () => {
  await using bot = await ownBot({}, { answer })
  const { ana, guild } = bot
  const role = guild.addRole({ name: 'Interpreted' })
  await using own = bot.another({ channels: { dave: false, consent: { mode: 'role', roles: [role.id] } } })
  own.attach(bot.client)
  await bot.logIn()
  await own.ready()
  await ana.command('interpret language', { language: 'es-es' })
  await bot.ben.command('interpret language', { language: 'en-us' })
  const channel = await own.join(bot.channel())
  expect((await bot.message('I listen only to members with')).text).toContain(`<@&${role.id}>`)
  expect((await ana.command('interpret privacy opt-in')).text).toContain('solo se interpreta a los miembros')
  await ana.say(sentence())
  expect(bot.listening()).toEqual([])
  const why = () => channel.status().speakers.find(({ userId }) => userId === ana.id)?.excludedBy
  expect(why()).toBe('no-role')
  // Discord does not tell bots about changed roles.
  guild.setRoles(ana, [role])
  await until(() => why() === undefined, PATIENCE_MS, 'the role')
  await ana.say(sentence())
  await bot.heard(ENGLISH_HZ, 500)
  guild.setRoles(ana, [])
  await until(() => why() === 'no-role', PATIENCE_MS, 'the loss of the role')
  await until(() => bot.listening().every(({ connected }) => !connected), PATIENCE_MS, 'the end')
})
