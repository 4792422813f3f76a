import { expect, test } from 'vitest'
import { toneOf } from '../../../../src/simulator/tone-mp3.ts'
import { noticeHz } from '../../../helpers/fake-announcer.ts'
import { anyOf, guildHarness, longestMs, speech } from './guild.ts'

test('two people are heard in each other’s language, and read', async () => {
  await using casa = await guildHarness()
  const ana = casa.person('Ana', 'es-es')
  const ben = casa.person('Ben', 'en-us')
  await ana.join(casa.sala)
  await ben.join(casa.sala)
  const channel = await casa.start()
  expect(channel.status()).toMatchObject({ state: 'listening', written: ['en-us', 'es-es'] })
  expect(channel.status().speakers.map(({ language }) => language)).toEqual(['es-es', 'en-us'])
  await casa.heard(noticeHz('channel-interpreted'), 300)
  await ana.say(speech(440, 1_500))
  await casa.heard(toneOf('en-us'), 1_000)
  await casa.reads(['**Ana:**', '`en`'])
  await ben.say(speech(440, 1_500))
  await casa.heard(toneOf('es-es'), 1_000)
  await casa.reads(['**Ben:**', '`es`'])
  // They hear each other without us.
  expect(anyOf(casa.sala.heard(), 440)).toBe(false)
  expect(longestMs(casa.sala.heard(), toneOf('en-us'))).toBeGreaterThan(900)
  expect(await channel.stop(ana.id)).toEqual({ kind: 'stopped', by: ana.id })
  expect(casa.log.complaints).toEqual([])
})
