import { expect, test } from 'vitest'
import { systemClock } from '../../../src/common/clock.ts'
import { PATIENCE_MS, Rig, WHOLE } from '../../support/faults/service-fault-harness.ts'
import { pause, until } from '../../support/until.ts'

/** A slow machine is not a slow service: only the flood may end a connection. */
const PATIENT = {
  client: { deadlines: { connectMs: PATIENCE_MS, startMs: PATIENCE_MS } },
  relay: { ackDeadlineMs: 10_000 },
}
/** Limits of the client: messages at once, and after them per second. */
const AT_ONCE = 5_000
const PER_SECOND = 500
/** Sent in one burst: more than the client accepts in 50 s. */
const BURST = 30_000

test('a flood of results ends its connection, and no other call notices', async () => {
  await using one = await Rig.open(PATIENT)
  await using two = await Rig.open(PATIENT)
  const first = await one.session(1)
  await two.session(1)
  const speaking = two.speak(10_000, 10_060)
  await pause(200)
  const begun = systemClock.now()
  for (let n = 0; n < BURST; n++) first.emit('result', { id: `u${n}`, final: true, text: 'x'.repeat(300) })
  await until(() => one.relay.metrics.sessionsDropped > 0, PATIENCE_MS, 'that the flood is ended')
  const accepted = AT_ONCE + PER_SECOND * Math.ceil((systemClock.now() - begun) / 1_000)
  await until(() => !first.connected, PATIENCE_MS, 'that the service notices')
  await speaking
  expect(await two.count(10_000, 10_060)).toEqual(WHOLE)
  expect(one.captions.length).toBeLessThanOrEqual(accepted)
  expect(one.relay.metrics.sessionsDropped).toBe(1)
  expect(two.relay.metrics.sessionsDropped).toBe(0)
})
