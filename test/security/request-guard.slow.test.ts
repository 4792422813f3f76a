import { expect, test } from 'vitest'
import { guarded } from '../support/security/guarded.ts'
import { exchanged, upgradeText } from '../support/security/raw.ts'
import { figure } from '../support/sources/figures.ts'

const UPGRADES = 5_000
const AT_ONCE = 20

test('unsigned upgrades', async context => {
  const { app, port } = await guarded({
    limits: { unauthenticatedPerSecond: 100_000, unauthenticatedPerSecondTotal: 100_000 },
  })
  let refused = 0
  const before = process.cpuUsage()
  for (let n = 0; n < UPGRADES; n += AT_ONCE) {
    const texts = await Promise.all(
      Array.from({ length: AT_ONCE }, () => exchanged(port, upgradeText('/twilio/media'))),
    )
    refused += texts.filter(text => text.startsWith('HTTP/1.1 403 ')).length
  }
  const { user, system } = process.cpuUsage(before)
  figure(
    context,
    `CPU for one unsigned upgrade that is answered, client and server together (${UPGRADES})`,
    '≤ 0.2 ms',
    `${((user + system) / 1_000 / UPGRADES).toFixed(2)} ms`,
  )
  expect(refused).toBe(UPGRADES)
  expect(app.relay.legs).toBe(0)
})
