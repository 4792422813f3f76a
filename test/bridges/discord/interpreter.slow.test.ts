// The guide docs/guides/add-to-your-discord-bot.md describes the behavior that these tests show.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, GatewayIntentBits } from 'discord.js'
import { describe, expect, test } from 'vitest'
import { tone } from '../../../simulator/index.ts'
import { toneOf } from '../../../simulator/service/scripted-answers.ts'
import { type ChannelCaption, INTENTS, Interpreter } from '../../../src/app/discord-interpreter.ts'
import { SAMPLE_RATE } from '../../../src/transcode/pcm.ts'
import { ownBot, PATIENCE_MS } from '../../support/discord/own-bot.ts'
import { LogLines } from '../../support/log-lines.ts'
import { pause, until } from '../../support/until.ts'

test('interprets a channel with the client of another bot, whose own command stays its own', async () => {
  await using bot = await ownBot()
  const { interpreter, client, ana, ben, sala } = bot
  const events: string[] = []
  const captions: ChannelCaption[] = []
  interpreter.on('joined', ({ channelId }) => events.push(`joined ${channelId}`))
  interpreter.on('left', ({ channelId }, { kind }) => events.push(`left ${channelId}: ${kind}`))
  interpreter.on('caption', caption => captions.push(caption))
  interpreter.attach(client)
  await bot.logIn()
  await interpreter.ready()
  expect((await client.application!.commands.fetch()).map(({ name }) => name).toSorted()).toEqual([
    'interpret',
    'play',
  ])
  await ana.command('interpret language', { language: 'es-es' })
  await ben.command('interpret language', { language: 'en-us' })
  const channel = await interpreter.join(bot.channel())
  expect(channel.status()).toMatchObject({ channelId: sala.id, state: 'listening' })
  expect(interpreter.in(bot.guild.id)).toBe(channel)
  await ana.say(tone(440, 1_200, SAMPLE_RATE, 12_000))
  await bot.heard(toneOf('en-us'), 500)
  await until(() => captions.some(({ final, to }) => final && to === 'en-us'), PATIENCE_MS, 'a caption')
  expect(captions.find(({ final }) => final)).toMatchObject({
    ...{ guildId: bot.guild.id, channelId: sala.id, name: 'Ana', from: 'es-es' },
  })
  expect((await ana.command('play')).text).toBe('a song')
  expect(bot.played).toEqual(['Ana'])
  expect(await interpreter.leave(bot.guild.id)).toMatchObject({ kind: 'stopped' })
  expect(events).toEqual([`joined ${sala.id}`, `left ${sala.id}: stopped`])
})

test('attached to a client that is logged in, it answers its command, and leaves the client unchanged', async () => {
  await using bot = await ownBot()
  const { interpreter, client, ana, ben } = bot
  await bot.logIn()
  const listeners = () => client.eventNames().map(name => [name, client.listenerCount(name)])
  const before = listeners()
  interpreter.attach(client, { commands: true })
  await interpreter.ready()
  await ana.command('interpret language', { language: 'es-es' })
  await ben.command('interpret language', { language: 'en-us' })
  expect((await ben.command('interpret start')).text).toContain(bot.sala.id)
  await ben.say(tone(440, 1_200, SAMPLE_RATE, 12_000))
  await bot.heard(toneOf('es-es'), 500)
  await interpreter.close()
  expect(listeners()).toEqual(before)
  expect(client.isReady()).toBe(true)
  await until(() => !bot.guild.bot.voice?.channel, PATIENCE_MS, 'leaving the channel')
  expect((await ana.command('play')).text).toBe('a song')
})

test('without commands, none is registered, and a channel is interpreted by join alone', async () => {
  await using bot = await ownBot()
  bot.interpreter.attach(bot.client, { commands: false })
  await bot.logIn()
  await bot.interpreter.ready()
  expect((await bot.client.application!.commands.fetch()).map(({ name }) => name)).toEqual(['play'])
  const channel = await bot.interpreter.join(bot.channel(), { output: ['en-us'], voice: true })
  await bot.ana.say(tone(440, 1_200, SAMPLE_RATE, 12_000))
  expect(channel.status().output).toEqual(['en-us'])
})

test('a listener that throws harms neither the channel nor the other listeners', async () => {
  await using bot = await ownBot()
  bot.interpreter.on('joined', () => {
    throw new Error('a fault of the bot')
  })
  bot.interpreter.attach(bot.client)
  await bot.logIn()
  await bot.interpreter.ready()
  const channel = await bot.interpreter.join(bot.channel())
  expect(channel.status().state).toBe('listening')
  expect(bot.log.complaints.join()).toContain('a listener failed')
})

describe('a service that cannot be used', () => {
  const refused = JSON.stringify({ code: 'unauthorized', error: 'key_wrong', description: 'no' })
  const cases = [
    ['refuses the key', 'SERVICE_KEY_REFUSED', 401, refused],
    ['has no quota left', 'SERVICE_KEY_REFUSED', 429, refused.replace('key_wrong', 'minutes_used_up')],
    ['is a web page', 'SERVICE_PROTOCOL', 200, '<!doctype html>'],
    ['is not reachable', 'SERVICE_UNREACHABLE', 0, ''],
  ] as const
  const interpreterOf = async (status: number, body: string, log?: LogLines) => {
    const answer = { status, body }
    const server = createServer((_, reply) => reply.writeHead(answer.status).end(answer.body))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    if (status === 0) server.close()
    const interpreter = new Interpreter({
      service: { url: `http://127.0.0.1:${port}`, apiKey: 'a-secret-key' },
      ...(log ? { log } : {}),
    })
    const client = new Client({ intents: [...INTENTS] })
    return { interpreter, client, answer, close: () => Promise.all([interpreter.close(), server.close()]) }
  }

  test.each(cases)(
    'when it %s, ready() rejects with the cause, and error and log have it',
    async (_, code, status, body) => {
      const log = new LogLines()
      const { interpreter, client, answer, close } = await interpreterOf(status, body, log)
      const errors: Error[] = []
      interpreter.on('error', error => errors.push(error))
      interpreter.attach(client)
      await expect(interpreter.ready()).rejects.toMatchObject({ code })
      await until(() => errors.length > 0, PATIENCE_MS, 'the event')
      expect(errors).toMatchObject([{ code }])
      expect(log.all).toMatchObject([
        {
          level: 'error',
          message: 'translation service unavailable',
          fields: { code, reason: expect.any(String) },
        },
      ])
      expect(JSON.stringify(log.all)).not.toContain('a-secret-key')
      // Without a login, the command is not registered: it waits, and does not reject again.
      Object.assign(answer, { status: 200, body: '[]' })
      if (status !== 0) {
        const waits = await Promise.race([interpreter.ready(), pause(200).then(() => 'waits')])
        expect(waits).toBe('waits')
      }
      await close()
    },
  )

  test('without a listener and without a log, Node warns', async () => {
    const { interpreter, client, close } = await interpreterOf(401, refused)
    const warned = once(process, 'warning')
    interpreter.attach(client)
    expect(await warned).toMatchObject([
      {
        code: 'SERVICE_KEY_REFUSED',
        message: 'Interpreter: the service refuses the API key: unauthorized/key_wrong',
      },
    ])
    await close()
  })
})

test('says what is wrong', async () => {
  await using bot = await ownBot()
  const { interpreter, client } = bot
  expect(() => new Interpreter({ service: { url: 'nowhere' } })).toThrow(/service\.url must be an http/)
  expect(() => new Interpreter({ service: bot.service, colour: 1 } as never)).toThrow('unknown option colour')
  await expect(interpreter.ready()).rejects.toMatchObject({ code: 'STATE' })
  const blind = new Client({ intents: [GatewayIntentBits.Guilds] })
  expect(() => interpreter.attach(blind)).toThrow('the client lacks intents: add GuildVoiceStates')
  interpreter.attach(client)
  expect(() => interpreter.attach(client)).toThrow('attached to a client already')
  await bot.logIn()
  await expect(interpreter.join({} as never)).rejects.toThrow(
    'join() needs a voice or stage channel, got an object of Object',
  )
  const first = await interpreter.join(bot.channel())
  await expect(interpreter.join(bot.channel())).rejects.toMatchObject({ code: 'STATE' })
  await first.stop('')
  await expect(interpreter.join(bot.channel(), { textChannelId: '1' })).rejects.toMatchObject({
    code: 'JOIN_FAILED',
    message: 'the guild has no channel 1',
  })
})
