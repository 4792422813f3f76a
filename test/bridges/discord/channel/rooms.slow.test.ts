import { expect, test } from 'vitest'
import { toneOf } from '../../../../simulator/service/scripted-answers.ts'
import { anyOf, guildHarness, speech } from '../../../support/discord/guild-harness.ts'

test('a channel joins the room of another channel by code', async () => {
  await using casa = await guildHarness()
  const other = casa.discord.addGuild({ name: 'Haus' })
  const raum = await casa.known(other.addVoiceChannel({ name: 'Raum' }))
  const ana = casa.person('Ana', 'es-es')
  const otto = other.addMember({ name: 'Otto' })
  casa.preferences.setLanguage(otto.id, 'de-de')
  await ana.join(casa.sala)
  await otto.join(raum)
  const first = await casa.start()
  const { code } = await first.invite()
  const second = await casa.start({
    guildId: other.id,
    channelId: raum.id,
    textChannelId: raum.id,
    roomCode: code,
  })
  expect(second.status().room).toBe(first.status().room)
  await ana.say(speech(440, 1_000))
  await casa.heard(toneOf('de-de'), 600, raum)
  await casa.reads(['**Ana:**', '`de`'], raum)
  expect(anyOf(casa.sala.heard(), toneOf('de-de'))).toBe(false)
  await otto.say(speech(500, 1_000))
  await casa.heard(toneOf('es-es'), 600)
  await casa.reads(['**Otto:**', '`es`'])
})

test('outbound calls fail without a dialer', async () => {
  await using casa = await guildHarness()
  const channel = await casa.start()
  expect(() => channel.dial('+12125550123', 'en-us')).toThrow(
    expect.objectContaining({ code: 'DIAL_REFUSED' }),
  )
})
