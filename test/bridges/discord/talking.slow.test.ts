import { expect, test } from 'vitest'
import { begun, into, narrow, parlour, totalMs } from '../../support/e2e/discord-call-harness.ts'
import { VOICE } from '../../support/e2e/two-party-harness.ts'
import { until } from '../../support/until.ts'

const ANA = VOICE.callee

test('joins, leaves, downgrades and upgrades of the encryption hardly affect speakers', async () => {
  await using casa = await parlour({ service: { record: true } })
  const ana = await casa.person('Ana', 'es-ES')
  const ben = await casa.person('Ben', 'en-US')
  await begun(casa, ana, ben)
  const { call } = casa.sala
  const channel = casa.x.app.discord?.interpreters.of(casa.sala.guild.id)
  const saying = casa.say(ana, ANA, 9_000)
  const session = await until(
    () => casa.x.service.sessions.find(({ from, heardMs }) => from === 'es-es' && heardMs > 0),
    10_000,
    'the session of Ana',
  )
  const cleo = await casa.person('Cleo', 'fr')
  await call.settled()
  await cleo.leave()
  await call.settled()
  await call.downgrade()
  await until(() => channel?.status().encrypted === false, 10_000, 'plain voice')
  await call.upgrade()
  await until(() => channel?.status().encrypted === true, 10_000, 'encrypted voice')
  await saying
  await until(() => session.heardMs >= 9_000, 10_000, 'all of the voice')
  // Silence replaces undecryptable audio, and the pauses between words.
  const loudMs = totalMs(narrow(session.pcm), ANA, 60)
  expect(loudMs).toBeGreaterThan(8_500)
  expect(casa.x.app.discord?.counters.undecodable).toBe(0)
  await casa.heard(into(ANA, 'en-us'), 1_000)
})
