import { expect, test } from 'vitest'
import { into, parlour } from '../support/e2e/discord-call-harness.ts'
import { VOICE } from '../support/e2e/two-party-harness.ts'
import { until } from '../support/until.ts'

const [ANA, BEN] = [VOICE.callee, VOICE.caller]

test('what a member says in an encrypted voice channel is heard and read there in the other’s language', async () => {
  await using casa = await parlour()
  const ana = await casa.person('Ana', 'es-ES')
  const ben = await casa.person('Ben', 'en-US')
  await ana.command('interpret language', { language: 'es-es' })
  await ben.command('interpret language', { language: 'en-us' })
  await ben.command('interpret start')
  const channel = await until(
    () => casa.x.app.discord?.interpreters.of(casa.sala.guild.id),
    30_000,
    'the bot',
  )
  await until(() => channel.status().state === 'listening', 30_000, 'that the bot listens')
  expect(channel.status()).toMatchObject({ encrypted: true, spoken: ['en-us', 'es-es'] })
  await casa.say(ben, BEN, 1_500)
  await casa.heard(into(BEN, 'es-es'), 1_000)
  await casa.reads('Ben', '`es`')
  for (const hz of [ANA, BEN, into(BEN, 'en-us')]) expect(casa.anyOf(hz)).toBe(false)
  await ana.command('interpret stop')
  await until(() => casa.sala.guild.bot.voice === undefined, 30_000, 'that the bot leaves')
})
