import { expect, test } from 'vitest'
import { tone } from '../../simulator/index.ts'
import { SAMPLE_RATE } from '../../src/transcode/pcm.ts'
import { parlour } from '../support/e2e/discord-call-harness.ts'
import { CALLEE, say, VOICE } from '../support/e2e/two-party-harness.ts'
import { CanaryLog, hitsIn } from '../support/security/canary-log.ts'
import { until } from '../support/until.ts'

/** Values that must not appear anywhere, each unique. */
const CANARY = {
  callee: CALLEE.slice(1),
  stranger: '34698765012',
  said: 'heliotrope marmalade at seventeen',
  translated: 'mermelada de heliotropo a las diecisiete',
  member: 'Heloise Canarybird',
  nick: 'Nightingale of Orkney',
  guild: 'Aviary of the North',
  channel: 'Quarrelsome Finches',
  wrongCode: '739518264077',
  serviceKey: 'canary-service-key-91b2c3d4e5f6',
}

test('nothing about a channel, its members, or the bot appears in logs or counters, even after failures', async () => {
  const kept = new CanaryLog()
  await using casa = await parlour({
    service: {
      apiKey: CANARY.serviceKey,
      faults: { mangle: result => ({ ...result, text: CANARY.said, translation: CANARY.translated }) },
    },
    parts: { log: kept.log },
  })
  const { discord, x } = casa
  const guild = discord.addGuild({ name: CANARY.guild })
  const sala = guild.addVoiceChannel({ name: CANARY.channel })
  await until(() => x.app.discord?.guilds === 2, 15_000, 'the guild')
  const ana = guild.addMember({ name: CANARY.member, locale: 'en-US' })
  await ana.join(sala)
  guild.setNick(ana, CANARY.nick)
  await ana.command('interpret language', { language: 'en-us' })
  await ana.command('interpret start')
  const code = /\b\d{8}\b/.exec((await ana.command('interpret invite')).text)?.[0] ?? ''
  expect(code).not.toBe('')
  const { owner } = guild
  await owner.join(sala)
  // A member without permission, an invalid number, a forbidden number; then a number that answers.
  for (const number of [`+${CANARY.stranger}`, '+19005550123', CANARY.wrongCode, CANARY.said.slice(0, 20)])
    await owner.command('interpret dial', { number, language: 'es-es' })
  void owner.command('interpret dial', { number: CALLEE, language: 'es-es' })
  const phone = await x.callee.call(1)
  await until(() => x.events.dial.some(({ outcome }) => outcome === 'answered'), 15_000, 'an answer')
  await ana.say(tone(VOICE.caller, 1_200, SAMPLE_RATE))
  await until(
    () => phone.heard().length > 0 && sala.visible.some(each => each.text.includes(CANARY.said)),
    15_000,
    'a caption',
  )
  await say(phone, VOICE.callee, 900)

  // Discord rejects, disconnects and sends invalid JSON; the socket and the voice connection break; packets are
  // garbage.
  const { rest, gateway } = discord.faults
  rest.always({ only: 'messages', code: 50013 })
  await ana.say(tone(VOICE.caller, 900, SAMPLE_RATE))
  rest.heal()
  rest.next({
    only: 'messages',
    reply: { status: 500, body: `<html>${CANARY.said}</html>`, type: 'text/html' },
  })
  rest.next({ only: 'messages', cut: 'after' })
  await ana.say(tone(VOICE.caller, 900, SAMPLE_RATE))
  rest.next({ only: 'callback', code: 10062 })
  await ana.command('interpret status').catch(() => {})
  gateway.reconnect()
  sala.call.closeSocket(discord.bot.id, 4006)
  for (const session of x.service.sessions) session.emit('error', { code: 'bad', description: CANARY.said })
  await x.service.stop()
  await ana.say(tone(VOICE.caller, 900, SAMPLE_RATE))
  gateway.close(4004, CANARY.said)
  await until(() => x.app.relay.rooms.size === 0, 30_000, 'the end')
  await x.app.discord?.close()

  const canaries = { ...CANARY, code, token: discord.token }
  const counters = JSON.stringify([x.app.relay.metrics, x.app.requestGuard.counters, x.app.discord?.counters])
  expect(kept.lines.length).toBeGreaterThan(10)
  expect(kept.lines.some(line => line.includes('voice channel left'))).toBe(true)
  expect({
    log: kept.lines.flatMap(line => hitsIn(line, canaries).map(name => `${name}: ${line}`)),
    counters: hitsIn(counters, canaries),
  }).toEqual({ log: [], counters: [] })
})
