import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createResampler } from '../../../src/transcode/resample/resampler.ts'
import { ListenerClient } from '../../support/browser/listener-client.ts'
import { Talker } from '../../support/browser/page-client.ts'
import { into, type Parlour, parlour, totalMs } from '../../support/e2e/discord-call-harness.ts'
import { VOICE } from '../../support/e2e/two-party-harness.ts'
import { until } from '../../support/until.ts'

/** The listening address of the server. */
function addressOf({ x }: Parlour): string {
  return `http://127.0.0.1:${(x.app.server.server.address() as AddressInfo).port}`
}

const LINK = /https?:\S+\/listen#join=([\w-]{24})/

test('a listener by link hears the channel in their language, while the channel hears another; no one hears them', async () => {
  await using casa = await parlour({ dave: false })
  const ana = await casa.person('Ana', 'es-ES')
  const ben = await casa.person('Ben', 'en-US')
  await ana.command('interpret language', { language: 'es-es' })
  await ben.command('interpret language', { language: 'en-us' })
  expect((await ben.command('interpret listen')).text).toContain('/interpret start')
  await ben.command('interpret start')
  const [, token = ''] = LINK.exec((await ben.command('interpret listen')).text) ?? []
  expect(token).not.toBe('')

  const hello = { link: token, hears: 'fr-fr' }
  const listener = await ListenerClient.open(addressOf(casa), hello)
  await listener.expect('hearing', ({ live }) => live)
  const heard = (hz: number) => totalMs(createResampler(16_000, 8_000).process(listener.pcm).slice(), hz)
  await casa.say(ana, VOICE.callee, 1_500)
  await casa.heard(into(VOICE.callee, 'en-us'), 800)
  await until(() => heard(into(VOICE.callee, 'fr-fr')) >= 800, 20_000, 'French for the listener')
  expect(casa.anyOf(into(VOICE.callee, 'fr-fr'))).toBe(false)

  // The link admits nobody to talk.
  const talker = await Talker.open(addressOf(casa))
  talker.send({ kind: 'hello', speaks: 'fr-fr', hears: 'fr-fr', alone: 'fr-fr', link: token })
  expect((await talker.expect('refused')).why).toBe('link')

  // It waits when the conversation has ended, and its link ends with the room, two minutes later.
  await ben.command('interpret stop')
  const isLive = () => listener.told.findLast(message => message.kind === 'hearing')?.live
  await until(() => isLive() === false, 30_000, 'the end of the conversation')
  expect(casa.x.app.relay.rooms.size).toBe(0)
})

test('without a connection to the channel, a member gets no link', async () => {
  await using casa = await parlour({ dave: false })
  const ben = await casa.person('Ben', 'en-US')
  await ben.command('interpret start')
  const cleo = casa.sala.guild.addMember({ name: 'Cleo', locale: 'en-US' })
  casa.sala.guild.setPermissions(casa.sala, cleo, { deny: ['Connect'] })
  const chat = casa.sala.guild.addTextChannel({ name: 'chat' })
  const { text } = await cleo.command('interpret listen', {}, { in: chat })
  expect(text).toContain(casa.sala.id)
  expect(text).not.toMatch(LINK)
})
