import { expect, test } from 'vitest'
import { into, narrow, parlour } from '../../support/e2e/discord-call-harness.ts'
import { FAINT, levelBetween, longest, SAID_DB, soundings, times } from '../../support/e2e/phone-listener.ts'
import { CALLEE, NUMBER, say, VOICE } from '../../support/e2e/two-party-harness.ts'
import { until } from '../../support/until.ts'

const [ANA, BOB] = [VOICE.callee, VOICE.caller]

test('a phone joins the channel by code: each hears and reads the other', async () => {
  const { dial: _, ...number } = NUMBER
  await using casa = await parlour({ number: { ...number, roomCode: true } })
  const ana = await casa.person('Ana', 'es-ES')
  await ana.command('interpret language', { language: 'es-es' })
  await ana.command('interpret start')
  const { text } = await ana.command('interpret invite')
  const code = /\b\d{8}\b/.exec(text)?.[0] ?? ''
  const bob = await casa.x.dial()
  await until(
    () => casa.x.events.notice.some(({ notice }) => notice.includes('enter-room-code')) || bob.asking,
    15_000,
    'the question',
  )
  for (const digit of code) bob.press(digit)
  await until(
    () => casa.x.events.admitted.some(({ channel }) => channel === 'twilio'),
    15_000,
    'the phone in the room',
  )

  await say(bob, BOB, 2_000)
  await casa.heard(into(BOB, 'es-es'), 1_200)
  await casa.reads('Bob', '`es`')
  // Channel members do not hear the phone directly: its original plays softly under the translation.
  const own = longest(soundings(narrow(casa.sala.heard()), BOB, FAINT))
  expect(own.toMs - own.fromMs).toBeGreaterThan(1_000)
  expect(own.db).toBeLessThan(SAID_DB - 6)

  await casa.say(ana, ANA, 2_000)
  await until(() => times(bob.heard(), into(ANA, 'en-us')) === 1, 15_000, 'the translation on the phone')
  await casa.reads('Ana')
  const soft = longest(soundings(bob.heard(), ANA, FAINT))
  expect(soft.toMs - soft.fromMs).toBeGreaterThan(1_000)
  // No one hears themselves.
  expect(casa.anyOf(ANA)).toBe(false)
  expect(levelBetween(bob.heard(), BOB, 0, bob.heard().length / 8)).toBeLessThan(-50)
  expect(bob.report().errors).toEqual([])
  await ana.command('interpret stop')
})

test('a phone is called from the channel, and hung up with it', async () => {
  await using casa = await parlour()
  const { owner } = casa.sala.guild
  await owner.join(casa.sala)
  await owner.command('interpret language', { language: 'en-us' })
  await owner.command('interpret start')
  const calling = owner.command('interpret dial', { number: CALLEE, language: 'es-es' })
  const phone = await casa.x.callee.call(1)
  expect((await calling).text).not.toContain(CALLEE.slice(-4))
  await until(() => casa.x.events.dial.some(({ outcome }) => outcome === 'answered'), 15_000, 'an answer')
  await until(
    () => casa.x.events.admitted.some(({ channel }) => channel === 'twilio'),
    15_000,
    'the phone in the room',
  )
  await casa.say(owner, BOB, 2_000)
  await until(() => times(phone.heard(), into(BOB, 'es-es')) === 1, 15_000, 'the translation on the phone')
  await say(phone, ANA, 2_000)
  await casa.heard(into(ANA, 'en-us'), 1_200)
  await owner.command('interpret stop')
  await phone.ended
  expect(casa.x.app.relay.rooms.size).toBe(0)
})
