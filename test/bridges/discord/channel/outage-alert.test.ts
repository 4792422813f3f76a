import { expect, it } from 'vitest'
import type { Notice } from '../../../../src/bridges/discord/channel/notices.ts'
import { OutageAlert } from '../../../../src/bridges/discord/channel/outage-alert.ts'
import { catalogFor } from '../../../../src/messages/catalogs.ts'

const { channel } = catalogFor('en').discord

function started() {
  /** The messages in the chat, as they read now. */
  const messages: string[] = []
  const alert = new OutageAlert(async notice => {
    const at = messages.push(notice(channel)) - 1
    return async (changed: Notice) => {
      messages[at] = changed(channel)
    }
  })
  return { messages, alert }
}

it('an outage is announced once, after three seconds, and the notice is updated after the recovery', async () => {
  const { messages, alert } = started()
  alert.update(undefined, 1_000)
  alert.update(undefined, 3_999)
  expect(messages).toEqual([])
  alert.update(undefined, 4_000)
  alert.update(undefined, 60_000)
  expect(messages).toEqual([channel.serviceUnavailable])
  alert.update([], 61_000)
  await Promise.resolve()
  expect(messages).toEqual([channel.serviceBack])
})

it('a short outage is not', () => {
  const { messages, alert } = started()
  alert.update(undefined, 0)
  alert.update([], 2_999)
  alert.update(undefined, 3_000)
  alert.update([], 5_999)
  expect(messages).toEqual([])
})

it('an outage of some speakers names them, also after an earlier one', async () => {
  const { messages, alert } = started()
  for (const now of [0, 3_000]) alert.update(undefined, now)
  alert.update([], 4_000)
  for (const now of [5_000, 8_000]) alert.update(['Ana', 'Ben'], now)
  await Promise.resolve()
  expect(messages).toEqual([channel.serviceBack, channel.untranslated('Ana, Ben')])
})
