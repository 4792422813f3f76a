import { expect, test } from 'vitest'
import {
  compareHeaders,
  compareUpgrades,
  compareWebhooks,
  tryForgeries,
} from '../support/security/signature-cases.ts'

test('accepts a signature if and only if the twilio package accepts it', () => {
  const webhooks = compareWebhooks(4_000)
  // Both results occur often.
  expect(Math.min(webhooks.taken, webhooks.refused)).toBeGreaterThan(400)
  const upgrades = compareUpgrades(1_000)
  expect(Math.min(upgrades.taken, upgrades.refused)).toBeGreaterThan(100)
  expect(compareHeaders(1_000).refused).toBeGreaterThan(100)
})

test('rejects every almost correct forgery', () => {
  expect(tryForgeries(4_000)).toBeGreaterThan(3_500)
})
