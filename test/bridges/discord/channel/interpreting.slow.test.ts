import { expect, test } from 'vitest'
import { toneOf } from '../../../../simulator/service/scripted-answers.ts'
import { systemClock } from '../../../../src/common/clock.ts'
import { anyOf, guildHarness, speech } from '../../../support/discord/guild-harness.ts'
import { noticeHz } from '../../../support/relay/fake-announcer.ts'
import { wakeSessions } from '../../../support/relay/hello.ts'
import { pause, until } from '../../../support/until.ts'

test('in a channel of one language, there are transcripts and no voice', async () => {
  await using casa = await guildHarness()
  const ana = casa.person('Ana', 'es-es')
  await ana.join(casa.sala)
  const channel = await casa.start({ captions: { style: 'embed', thread: false } })
  await casa.heard(noticeHz('channel-interpreted'), 300)
  await ana.say(speech(440, 1_000))
  await casa.reads(['Ana'])
  expect(channel.status()).toMatchObject({ spoken: [], written: ['es-es'] })
  expect(channel.status().sinceMs).toBeLessThanOrEqual(systemClock.now() - channel.startedAt)
  const used = casa.service.sessions.filter(({ heardMs }) => heardMs > 0)
  expect(used.map(({ namespace }) => namespace)).toEqual(['/stt'])
  await pause(500)
  expect(anyOf(casa.sala.heard(), 440)).toBe(false)
})

test('of three languages, one is spoken and all are captioned', async () => {
  await using casa = await guildHarness()
  const people = [casa.person('Ana', 'es-es'), casa.person('Ben', 'en-us'), casa.person('Cleo', 'fr-fr')]
  for (const each of people) await each.join(casa.sala)
  const channel = await casa.start()
  expect(channel.status()).toMatchObject({ spoken: ['en-us'], written: ['en-us', 'es-es', 'fr-fr'] })
  await people[0]?.say(speech(440, 1_000))
  await casa.reads(['**Ana:**', '`en`', '`fr`'])
  await casa.heard(toneOf('en-us'), 600)
  expect(anyOf(casa.sala.heard(), toneOf('fr-fr'))).toBe(false)
  channel.setOutput(['fr-fr'])
  expect(channel.status().spoken).toEqual(['fr-fr'])
  await people[1]?.say(speech(440, 1_000))
  await casa.heard(toneOf('fr-fr'), 600)
  await casa.reads(['**Ben:**', '`es`', '`fr`'])
})

test('newcomers are interpreted, notified and captioned, and their language is added', async () => {
  await using casa = await guildHarness()
  const ana = casa.person('Ana', 'es-es')
  const ben = casa.person('Ben', 'en-us')
  await ana.join(casa.sala)
  const channel = await casa.start()
  const before = casa.announcer.asked.length
  await ben.join(casa.sala)
  await until(() => channel.status().written.length === 2, 5_000, 'English joins')
  await ben.say(speech(440, 1_000))
  await casa.reads(['**Ben:**', '`es`'])
  await casa.heard(toneOf('es-es'), 600)
  await until(() => casa.announcer.asked.includes('channel-interpreted en-us'), 25_000, 'the notice for Ben')
  await casa.reads(['🔴 Ben', '/interpret privacy opt-out'])
  expect(casa.announcer.asked.slice(before)).toEqual(['channel-interpreted en-us'])
  await ben.leave()
  await until(() => channel.status().written.length === 1, 5_000, 'English leaves')
  // After a quick return they are the same participants, and are not notified again.
  let returned = 0
  casa.relay.observer.on('reconnected', () => returned++)
  await ben.join(casa.sala)
  await until(() => channel.status().written.length === 2, 5_000, 'English is back')
  expect(returned).toBe(1)
})

test('a changed language is spoken from the next words on', async () => {
  await using casa = await guildHarness()
  const { ana, ben } = await casa.anaAndBen()
  const channel = await casa.start()
  const everybodySpeaks = (...expected: string[]) =>
    until(
      () => {
        wakeSessions(casa.relay, systemClock.now())
        const open = casa.service.sessions.filter(({ connected }) => connected)
        return expected.every(pair => open.some(({ from, to }) => `${from} ${to}` === pair))
      },
      5_000,
      expected.join(', '),
    )
  await everybodySpeaks('en-us es-es', 'es-es en-us')
  channel.setLanguage(ben.id, 'fr-fr')
  expect(channel.status().speakers.find(({ userId }) => userId === ben.id)).toMatchObject({
    language: 'fr-fr',
    languageFrom: 'asked',
  })
  await ana.say(speech(440, 1_000))
  await casa.heard(toneOf('fr-fr'), 600)
  await casa.reads(['**Ana:**', '`fr`'])
  await everybodySpeaks('es-es fr-fr', 'fr-fr es-es')
  // No other pair was opened in between.
  const distinct = [...new Set(casa.service.sessions.map(({ from, to }) => `${from} ${to}`))].sort()
  expect(distinct).toEqual(['en-us es-es', 'es-es en-us', 'es-es fr-fr', 'fr-fr es-es'])
})
