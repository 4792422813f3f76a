import { expect, test } from 'vitest'
import { webhookSettingsSchema } from '../../../src/web/webhooks/settings.ts'

test('settings: http and https only, a valid secret, existing events', () => {
  const good = { url: 'https://example.com/hook?a=1', secret: 'a secret of the receiver' }
  expect(webhookSettingsSchema.parse(good)).toMatchObject({
    includeTexts: false,
    events: expect.arrayContaining(['dtmf', 'dial']),
  })
  for (const wrong of [
    { url: 'ftp://example.com' },
    { url: 'file:///etc/passwd' },
    { url: 'javascript:alert(1)' },
    { url: 'https://user:word@example.com' },
    { url: 'https://example.com/#a' },
    { url: 'example.com' },
    { secret: 'short' },
    { secret: 'whsec_!!!!' },
    { secret: 'whsec_!!!!!!!!!!!!!!!!!!!!!!!!!!!!' },
    { secret: 'whsec_AAAAAAAAAAAAAAAAAAAA' },
    { secret: `whsec_${'A'.repeat(31)}!` },
    { secret: 'whsec_' },
    { events: [] },
    { events: ['all'] },
    { text: true },
  ])
    expect(webhookSettingsSchema.safeParse({ ...good, ...wrong }).success, JSON.stringify(wrong)).toBe(false)
})
