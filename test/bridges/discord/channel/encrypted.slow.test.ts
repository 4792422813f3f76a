import { expect, test } from 'vitest'
import { toneOf } from '../../../../simulator/service/scripted-answers.ts'
import { guildHarness, speech, total } from '../../../support/discord/guild-harness.ts'
import { until } from '../../../support/until.ts'

test('with end-to-end encryption, everyone is interpreted and captioned while people come and go and the region changes', async () => {
  await using casa = await guildHarness({ discord: { dave: true }, options: { dave: true } })
  const ana = casa.person('Ana', 'es-es')
  const ben = casa.person('Ben', 'en-us')
  await ana.join(casa.sala)
  const channel = await casa.start()
  await until(() => channel.status().encrypted === true, 10_000, 'encryption')
  await ben.join(casa.sala)
  // From here on he is listened to.
  await casa.reads(['🔴 Ben'])
  await ben.say(speech(440, 1_000))
  await casa.heard(toneOf('es-es'), 600)
  await casa.reads(['**Ben:**', '`es`'])
  // Another voice server, while Ana speaks.
  const saying = ana.say(speech(440, 3_000))
  await until(
    () => casa.service.sessions.some(({ from, heardMs }) => from === 'es-es' && heardMs > 500),
    10_000,
    'Ana',
  )
  await casa.sala.changeRegion('rotterdam')
  await saying
  await until(() => channel.status().state === 'listening', 15_000, 'the new server')
  const before = total(casa.sala.heard(), toneOf('en-us'))
  await ana.say(speech(440, 1_000))
  await casa.heard(toneOf('en-us'), before + 600)
  await ben.leave()
  await until(() => channel.status().written.length === 1, 5_000, 'Ben is gone')
  await ana.say(speech(440, 1_000))
  expect(casa.relay.metrics.legsRejected).toBe(0)
  expect(channel.status().encrypted).toBe(true)
  expect(casa.counters.tooEarly).toBeLessThan(50)
})
