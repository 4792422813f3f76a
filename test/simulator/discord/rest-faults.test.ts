import { RateLimitError, type TextChannel } from 'discord.js'
import { describe, expect, it } from 'vitest'
import { DiscordSimulator, FakeClock } from '../../../simulator/index.ts'
import { type Clock, systemClock } from '../../../src/common/clock.ts'
import { login } from '../../support/simulator/discord-bot.ts'

async function casa(rest: object = {}, clock: Clock = systemClock) {
  const discord = await DiscordSimulator.listen({ clock })
  const guild = discord.addGuild({ name: 'Casa' })
  const text = guild.addTextChannel({ name: 'general' })
  const bot = await login(discord, { rest })
  const channel = bot.client.channels.cache.get(text.id) as TextChannel
  return {
    ...{ discord, guild, text, bot, channel },
    async [Symbol.asyncDispose]() {
      await bot[Symbol.asyncDispose]()
      await discord.close()
    },
  }
}

/** Rejects instead of waiting. */
const REJECT = { rejectOnRateLimit: () => true }

describe('rate limits', () => {
  it('are five posts in five seconds to a channel, which the client keeps from the headers', async () => {
    await using place = await casa(REJECT, new FakeClock())
    const { discord, guild, bot, channel } = place
    for (let at = 0; at < 5; at++) await channel.send(`${at}`)
    const sixth = await channel.send('6').then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(sixth).toBeInstanceOf(RateLimitError)
    expect(sixth).toMatchObject({ limit: 5, global: false, method: 'POST' })
    expect((sixth as RateLimitError).timeToReset).toBeGreaterThan(1_000)
    // The client knew, and did not even send the request; another channel has a separate limit.
    expect(discord.requests.filter(({ status }) => status === 429)).toEqual([])
    const other = guild.addTextChannel({ name: 'other' })
    await ((await bot.client.channels.fetch(other.id)) as TextChannel).send('free')
  })

  it('are five posts and five edits in two seconds by a webhook, which the client keeps and others exceed', async () => {
    const clock = new FakeClock()
    await using place = await casa(REJECT, clock)
    const { discord, guild, text, channel } = place
    guild.setPermissions(text, guild.bot, { allow: ['SendMessages', 'ManageWebhooks'] })
    const [hook, other] = [
      await channel.createWebhook({ name: 'Captions' }),
      await channel.createWebhook({ name: 'News' }),
    ]
    const sent = []
    for (let at = 0; at < 5; at++) sent.push(await hook.send(`${at}`))
    await expect(hook.send('6')).rejects.toMatchObject({ limit: 5, timeToReset: expect.any(Number) })
    // Edits, and other webhooks, have separate limits.
    for (const message of sent) await hook.editMessage(message, 'edited')
    await other.send('free')
    expect(discord.requests.filter(({ status }) => status === 429)).toEqual([])

    const refused = await fetch(`${discord.api}/v10/webhooks/${hook.id}/${hook.token}?wait=true`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ content: '7' }),
    })
    expect(refused.status).toBe(429)
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      'x-ratelimit-limit': '5',
      'x-ratelimit-remaining': '0',
      'retry-after': '2',
    })
    expect(await refused.json()).toMatchObject({ retry_after: 2, global: false })
    clock.advance(2_000)
    await other.send('again')
    expect(text.visible).toHaveLength(7)
  })

  it('make the client wait, in any scope', async () => {
    await using place = await casa()
    const { discord, channel, text } = place
    for (const scope of ['user', 'shared', 'global'] as const) {
      discord.faults.rest.next({ only: 'POST /channels', rateLimited: { scope, retryAfterMs: 50 } })
      await channel.send(scope)
    }
    expect(text.messages.map(({ content }) => content)).toEqual(['user', 'shared', 'global'])
    expect(discord.requests.filter(({ status }) => status === 429)).toHaveLength(3)
  })
})

describe('a fault', () => {
  it('returns any code of Discord’s with its status', async () => {
    await using place = await casa()
    const { discord, channel } = place
    const message = await channel.send('x')
    for (const [code, status] of [
      [50001, 403],
      [50013, 403],
      [10008, 404],
      [30046, 400],
    ] as const) {
      discord.faults.rest.next({ only: 'PATCH /channels/:id/messages/:id', code })
      await expect(message.edit('y')).rejects.toMatchObject({ code, status })
    }
    expect(discord.count(30046)).toBe(1)
    expect(() => discord.faults.rest.next({ only: 'PATCH /channel/:id' })).toThrow(
      'no route has PATCH /channel/:id',
    )
    const odd = { code: 77 as never }
    expect(() => discord.faults.rest.always(odd)).toThrow('error code 77 is not known')
    await message.edit('y')
    // The client takes this as an invalid token.
    discord.faults.rest.next({ only: 'PATCH /channels', code: 40001 })
    await expect(message.edit('z')).rejects.toMatchObject({ code: 40001, status: 401 })
    await expect(message.edit('z')).rejects.toThrow('Expected token')
  })

  it('makes the client retry after 500, a cut or silence', async () => {
    await using place = await casa({ timeout: 300, retries: 3, retryBackoff: 10 })
    const { discord, channel, text } = place
    discord.faults.rest.rateLimits = false
    discord.faults.rest.next({ only: 'POST /channels', reply: { status: 502 } })
    await channel.send('one')
    discord.faults.rest.next({ only: 'POST /channels', hang: true })
    await channel.send('two')
    discord.faults.rest.next({ only: 'POST /channels', delayMs: 20 })
    await channel.send('three')
    discord.faults.rest.next({ only: 'POST /channels', cut: 'before' })
    await channel.send('four').catch(() => channel.send('four'))
    expect(text.messages.map(({ content }) => content)).toEqual(['one', 'two', 'three', 'four'])
    discord.faults.rest.next({ only: 'POST /channels', cut: 'after' })
    await channel.send('five').catch(() => undefined)
    expect(text.messages.map(({ content }) => content)).toContain('five')
    discord.faults.rest.always({ only: 'POST /channels', code: 130000 })
    await expect(channel.send('six')).rejects.toMatchObject({ status: 503 })
    discord.faults.rest.heal()
    await channel.send('seven')
  })
})

/** Response to a request line that no well-behaved client sends. */
