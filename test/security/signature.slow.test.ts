import { expect, test } from 'vitest'
import {
  compareHeaders,
  compareUpgrades,
  compareWebhooks,
  tryForgeries,
} from '../support/security/signature-cases.ts'
import { figure } from '../support/sources/figures.ts'

test('signatures against the twilio package', context => {
  const tallies = [compareWebhooks(100_000), compareUpgrades(25_000), compareHeaders(25_000)]
  const tried = tallies.reduce((sum, { taken, refused }) => sum + taken + refused, 0)
  figure(context, `signatures judged differently by us and the twilio package, of ${tried}`, '0', '0')
  expect(tried).toBeGreaterThanOrEqual(150_000)
})

test('forgeries', context => {
  const tried = tryForgeries(110_000)
  figure(context, `forged signatures accepted, of ${tried} that are nearly valid`, '0', '0')
  expect(tried).toBeGreaterThanOrEqual(100_000)
})
