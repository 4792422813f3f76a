import { expect, test } from 'vitest'
import { type Answering, tone, tones } from '../../../simulator/index.ts'
import type { VoiceEntry } from '../../../src/service/contract.ts'
import { SAMPLE_RATE } from '../../../src/transcode/pcm.ts'
import { anyOf } from '../../support/discord/guild-harness.ts'
import { ownBot, PATIENCE_MS } from '../../support/discord/own-bot.ts'
import { until } from '../../support/until.ts'

const VOICES: readonly VoiceEntry[] = (['amy', 'bob'] as const).map((voiceId, at) => ({
  ...{ voiceId, name: voiceId, languageId: 'en-us', voiceEngine: 'neural', modes: ['block', 'streaming'] },
  voiceGender: at === 0 ? 'F' : 'M',
}))
/** The tone in which a voice speaks; the default voice has another one. */
const HZ: Readonly<Record<string, number>> = { amy: 800, bob: 1_250 }
const DEFAULT_HZ = 2_000
const byVoice: Answering = (session, maker) =>
  tones({ hz: () => HZ[String(session.parameters.voiceId)] ?? DEFAULT_HZ })(session, maker)
const sentence = () => tone(440, 1_200, SAMPLE_RATE, 12_000)

async function threeSpeakers(options: Parameters<typeof ownBot>[0] = {}) {
  const bot = await ownBot(options, { voices: VOICES, answer: byVoice })
  bot.interpreter.attach(bot.client)
  await bot.logIn()
  await bot.interpreter.ready()
  const eva = bot.guild.addMember({ name: 'Eva', locale: 'es-ES' })
  await eva.join(bot.sala)
  for (const [who, language] of [
    [bot.ana, 'es-es'],
    [eva, 'es-es'],
    [bot.ben, 'en-us'],
  ] as const)
    await who.command('interpret language', { language })
  await until(() => bot.asked.some(url => url.startsWith('/api/voices')), PATIENCE_MS, 'the list of voices')
  return { ...bot, eva, [Symbol.asyncDispose]: () => bot[Symbol.asyncDispose]() }
}

test('two speakers are heard in two voices, each always in the same one', async () => {
  await using bot = await threeSpeakers()
  await bot.interpreter.join(bot.channel())
  const [first, second] = [HZ.amy!, HZ.bob!]
  await bot.ana.say(sentence())
  await bot.heard(first, 500)
  expect(anyOf(bot.sala.heard(), second)).toBe(false)
  await bot.eva.say(sentence())
  await bot.heard(second, 500)
  // She leaves and returns: her voice stays hers.
  await bot.ana.leave()
  await bot.eva.say(sentence())
  await bot.heard(second, 1_500)
  await bot.ana.join(bot.sala)
  await bot.ana.say(sentence())
  await bot.heard(first, 1_500)
  expect(anyOf(bot.sala.heard(), DEFAULT_HZ)).toBe(false)
})
