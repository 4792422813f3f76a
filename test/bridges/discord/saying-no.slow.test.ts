import { expect, test } from 'vitest'
import { begun, into, parlour } from '../../support/e2e/discord-call-harness.ts'
import { VOICE } from '../../support/e2e/two-party-harness.ts'
import { until } from '../../support/until.ts'

/** Ben’s speech while opted out, and afterwards. */
const [BEN_HZ, AGAIN_HZ] = [VOICE.caller, VOICE.callee]

test('a member who presses the notice’s button is no longer recorded or translated, and everything else continues', async () => {
  await using casa = await parlour()
  const ana = await casa.person('Ana', 'es-ES')
  const ben = await casa.person('Ben', 'en-US')
  await begun(casa, ana, ben)
  const notice = casa.sala.visible.find(({ components }) => components.length > 0)
  const pressed = await ben.press(notice!, 'dragoman:privacy:opt-out')
  expect(pressed.text).toMatch(/^I no longer listen to you/)
  const { text } = await ana.command('interpret status')
  expect(text).toContain('- Ben: no quiere que se le escuche')
  // The interruption is not an outage.
  expect(text).not.toContain('⚠️')
  await casa.say(ben, BEN_HZ, 800)
  await ben.press(notice!, 'dragoman:privacy:opt-in')
  await until(
    () =>
      casa.x.app.discord?.interpreters
        .of(casa.sala.guild.id)
        ?.status()
        .speakers.every(each => each.consents),
    5_000,
    'everybody being listened to',
  )
  await casa.say(ben, AGAIN_HZ, 800)
  await casa.heard(into(AGAIN_HZ, 'es-es'), 200)
  expect(casa.anyOf(into(BEN_HZ, 'es-es'))).toBe(false)
})
