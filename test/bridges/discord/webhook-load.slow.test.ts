import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { tone } from '../../../simulator/index.ts'
import { rms } from '../../../src/transcode/level.ts'
import { SAMPLE_RATE } from '../../../src/transcode/pcm.ts'
import { ownBot } from '../../support/discord/own-bot.ts'
import { until } from '../../support/until.ts'

const SPEAKERS = 6
/** Longer than the minute of Discord's limit. */
const SECONDS = 75
/** Between two sentences: long enough for the service to notice the end. */
const PAUSE_MS = 700

test(`${SPEAKERS} members speak at once for ${SECONDS} s: discord.js meets no limit, and every sentence is written once`, async () => {
  const said: string[] = []
  await using bot = await ownBot(
    {},
    {
      botPermissions: ['ManageWebhooks'],
      // Each sentence of each speaker has a number.
      answer: session => {
        let [spokenMs, quietMs] = [0, 0]
        return pcm => {
          const ms = (pcm.length * 1_000) / SAMPLE_RATE
          if (rms(pcm) > 300) [spokenMs, quietMs] = [spokenMs + ms, 0]
          else quietMs += ms
          if (spokenMs < 100 || quietMs < 300) return
          said.push(`sentence ${String(said.length).padStart(4, '0')}`)
          session.say({ text: said.at(-1)!, translation: `frase ${said.length - 1}` })
          spokenMs = 0
        }
      },
    },
  )
  const { guild, sala, interpreter, discord } = bot
  await bot.begin()
  const members = []
  for (let n = 0; n < SPEAKERS; n++) {
    const member = guild.addMember({ name: `Speaker ${n}`, locale: n % 2 === 0 ? 'en-US' : 'es-ES' })
    await member.join(sala)
    await member.command('interpret language', { language: n % 2 === 0 ? 'en-us' : 'es-es' })
    members.push(member)
  }
  await interpreter.join(bot.channel(), { captions: { style: 'webhook' } })
  const endsAt = performance.now() + SECONDS * 1_000
  await Promise.all(
    members.map(async (member, n) => {
      while (performance.now() < endsAt) {
        await member.say(tone(300 + 40 * n, 1_200 + 90 * n, SAMPLE_RATE, 12_000))
        await sleep(PAUSE_MS)
      }
    }),
  )
  const texts = () => sala.visible.map(({ content }) => content).join('\n')
  await until(() => said.every(each => texts().includes(each)), 60_000, 'all sentences')
  expect(said.length).toBeGreaterThan(100)
  const all = texts()
  for (const each of said) expect(all.split(each), each).toHaveLength(2)
  const posts = discord.requests.filter(({ route }) => route === 'POST /webhooks/:webhook/:token')
  process.stdout.write(
    `${said.length} sentences in ${posts.length} webhook messages, ${discord.requests.filter(({ status }) => status === 429).length} rejected\n`,
  )
  expect(posts.length).toBeGreaterThan(30)
  expect(discord.requests.filter(({ status }) => status === 429)).toEqual([])
})
