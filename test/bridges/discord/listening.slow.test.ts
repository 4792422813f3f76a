import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createResampler } from '../../../src/transcode/resample/resampler.ts'
import { Talker } from '../../support/browser/page-client.ts'
import { into, type Parlour, parlour, totalMs } from '../../support/e2e/discord-call-harness.ts'
import { VOICE } from '../../support/e2e/two-party-harness.ts'
import { until } from '../../support/until.ts'

/** The listening address of the server. */
function addressOf({ x }: Parlour): string {
  return `http://127.0.0.1:${(x.app.server.server.address() as AddressInfo).port}`
}

const LINK = /https?:\S+#join=(listen-[\w-]{24})/

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

  // The page asks for a voice nevertheless: the link decides.
  const listener = await Talker.open(addressOf(casa))
  const welcome = await listener.hello({ link: token, speaks: 'fr-fr', hears: 'fr-fr', alone: 'fr-fr' })
  expect(welcome.self.speaks).toBeUndefined()
  const heard = (hz: number) => totalMs(createResampler(16_000, 8_000).process(listener.pcm).slice(), hz)
  await casa.say(ana, VOICE.callee, 1_500)
  await casa.heard(into(VOICE.callee, 'en-us'), 800)
  await until(() => heard(into(VOICE.callee, 'fr-fr')) >= 800, 20_000, 'French for the listener')
  expect(casa.anyOf(into(VOICE.callee, 'fr-fr'))).toBe(false)

  // Neither speech nor a change gives them a voice, and they cannot invite themselves with one.
  const sessions = casa.x.service.sessions.length
  listener.send({ kind: 'change', speaks: 'fr-fr' })
  listener.send({ kind: 'invite' })
  await listener.expect('sorry', ({ what }) => what === 'invite')
  expect((await listener.expect('self')).self.speaks).toBeUndefined()
  expect(casa.x.service.sessions.length).toBe(sessions)
  expect(listener.told.some(({ kind }) => kind === 'invited')).toBe(false)

  // The link ends with the conversation.
  await ben.command('interpret stop')
  listener.socket.close()
  const late = await Talker.open(addressOf(casa))
  await until(
    async () => {
      late.send({ kind: 'hello', hears: 'fr-fr', alone: 'fr-fr', link: token })
      return late.told.some(message => message.kind === 'refused' && message.why === 'link') || late.closed
    },
    20_000,
    'the end of the link',
  )
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
