import { expect, test } from 'vitest'
import { systemClock } from '../../../../src/common/clock.ts'
import type { Dialer, DialRequest, OutgoingCall } from '../../../../src/core/model/dialer.ts'
import { Mp3Maker, toneOf } from '../../../../src/simulator/service/scripted-answers.ts'
import { anyOf, guildHarness, speech, total } from '../../../support/discord/guild-harness.ts'
import { noticeHz } from '../../../support/relay/fake-announcer.ts'
import { wakeSessions } from '../../../support/relay/hello.ts'
import { LiveLeg } from '../../../support/relay/live-leg.ts'
import { pause, until } from '../../../support/until.ts'

/** Plays `pcm` in real time over the leg, followed by a second of silence. */
async function says(leg: LiveLeg, pcm: Int16Array): Promise<void> {
  const all = new Int16Array(pcm.length + 16_000)
  all.set(pcm)
  const began = performance.now()
  for (let at = 0; at + 320 <= all.length; at += 320) {
    await until(() => performance.now() - began >= (at / 16_000) * 1_000, 5_000, 'time')
    leg.say(all.subarray(at, at + 320))
  }
}

test('a phone in the channel’s room: everyone hears their own language, and everything is captioned', async () => {
  await using casa = await guildHarness()
  const ana = casa.person('Ana', 'es-es')
  await ana.join(casa.sala)
  const channel = await casa.start()
  const { code } = await channel.invite()
  const room = (await casa.roomCodes.find(code))!
  const phone = new LiveLeg('phone', systemClock)
  casa.relay.admit(phone, { room, speaks: 'en-us', hears: 'en-us', name: 'Desk' })
  await casa.heard(noticeHz('phone-joined'), 300)
  await ana.say(speech(440, 1_000))
  await until(() => total(phone.heard(), toneOf('en-us')) > 600, 10_000, 'the phone hears Ana in English')
  await casa.reads(['**Ana:**'])
  await says(phone, speech(500, 1_000))
  await casa.heard(toneOf('es-es'), 600)
  await casa.reads(['**Desk:**', '`es`'])
  expect(channel.status().spoken).toEqual(['es-es'])
  await channel.stop('1')
  await until(() => anyOf(phone.heard(), noticeHz('other-left')), 5_000, 'the notice on the phone')
  expect(phone.over).toBe(false)
})

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

test('a phone called from the channel joins its room, and is hung up with it', async () => {
  const asked: DialRequest[] = []
  let hungUp = 0
  const over = Promise.withResolvers<'canceled'>()
  const dialer: Dialer = {
    dial: request => {
      asked.push(request)
      return {
        id: '1',
        outcome: new Promise(() => {}),
        over: over.promise,
        hangUp: async () => {
          hungUp++
          over.resolve('canceled')
        },
      } satisfies OutgoingCall
    },
  }
  await using casa = await guildHarness({ parts: { dialer } })
  await casa.person('Ana', 'es-es').join(casa.sala)
  const channel = await casa.start()
  channel.dial('+12125550123', 'en-us')
  expect(asked).toEqual([
    {
      to: '+12125550123',
      invitation: {
        room: channel.status().room,
        speaks: 'en-us',
        hears: 'en-us',
        echo: false,
        name: 'phone',
      },
    },
  ])
  await channel.stop('1')
  expect(hungUp).toBe(1)
  expect(JSON.stringify(casa.log.all)).not.toContain('5550123')
})

test('outbound calls fail without a dialer', async () => {
  await using casa = await guildHarness()
  const channel = await casa.start()
  expect(() => channel.dial('+12125550123', 'en-us')).toThrow(
    expect.objectContaining({ code: 'DIAL_REFUSED' }),
  )
})

test('an echo of the channel’s own voice is neither captioned nor played', async () => {
  await using casa = await guildHarness()
  const { ana } = await casa.anaAndBen()
  await casa.start()
  await ana.say(speech(440, 300))
  const [fromAna, fromBen] = await until(
    () => {
      wakeSessions(casa.relay, systemClock.now())
      // The session that only checked the service is closed, and heard nothing.
      const heardAna = casa.service.sessions.find(({ from, heardMs }) => from === 'es-es' && heardMs > 0)
      const ofBen = casa.service.sessions.find(({ from, connected }) => from === 'en-us' && connected)
      return heardAna && ofBen && ([heardAna, ofBen] as const)
    },
    10_000,
    'both sessions',
  )
  const maker = await Mp3Maker.create()
  fromAna.say({
    text: 'buenos días a todos',
    translation: 'good morning to everyone',
    audio: maker.tone(toneOf('en-us'), 1_000),
  })
  await casa.heard(toneOf('en-us'), 700)
  fromBen.say({
    text: 'Good morning to every body!',
    translation: 'Buenos días a todos',
    audio: maker.tone(toneOf('es-es'), 2_000),
  })
  await casa.reads(['Ben, your microphone picks up'])
  await pause(1_000)
  expect(total(casa.sala.heard(), toneOf('es-es'))).toBeLessThan(400)
  fromBen.say({
    text: 'Good morning Ana, how are you?',
    translation: 'Buenos días, Ana',
    audio: maker.tone(toneOf('es-es'), 1_000),
  })
  await casa.reads(['**Ben:** Good morning Ana'])
  await casa.heard(toneOf('es-es'), 700)
  expect(casa.read().filter(text => text.includes('every body'))).toEqual([])
})
