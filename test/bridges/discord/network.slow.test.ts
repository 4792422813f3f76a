import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Member, ScriptedSession, VoiceChannel } from '../../../simulator/index.ts'
import { tone, tones } from '../../../simulator/index.ts'
import { SAMPLE_RATE } from '../../../src/transcode/pcm.ts'
import { narrow, type Parlour, parlour, totalMs } from '../../support/e2e/discord-call-harness.ts'
import { hears } from '../../support/e2e/phone-listener.ts'
import { pause, until } from '../../support/until.ts'

const PATIENCE_MS = 30_000
/** The tone of a speaker and its English translation: far from all others. */
const VOICES = [400, 480, 560, 640, 720, 800, 880, 960]
const HIGHER = 1_000
const nearest = (hz: number) =>
  VOICES.toSorted((a, b) => Math.abs(a - hz) - Math.abs(b - hz))[0] ?? VOICES[0]!

let house: Parlour
beforeAll(async () => {
  house = await parlour({
    dave: false,
    service: {
      record: true,
      answer: tones({ hz: (_to, hz) => nearest(hz) + HIGHER, silenceMs: 400 }),
    },
  })
})
afterAll(() => house[Symbol.asyncDispose]())

let servers = 0

/** A separate server where `hz` are the voices of Spanish speakers; the owner listens in English. */
async function people(hz: readonly number[]) {
  const { discord, x } = house
  const guild = discord.addGuild({ name: `Casa ${++servers}` })
  const sala = guild.addVoiceChannel({ name: 'Sala' })
  await until(() => x.app.discord?.guilds === discord.guilds.length, PATIENCE_MS, 'the guild')
  const { owner } = guild
  await owner.join(sala)
  const members: Member[] = []
  for (const each of hz) {
    const member = guild.addMember({ name: `P${servers} ${each}`, locale: 'es-ES' })
    await member.join(sala)
    await member.command('interpret language', { language: 'es-es' })
    members.push(member)
  }
  await owner.command('interpret language', { language: 'en-us' })
  await owner.command('interpret start')
  await owner.command('interpret output', { first: 'en-us' })
  return { guild, sala, members, owner }
}

const loudMs = (pcm: Int16Array, hz: number) => totalMs(narrow(pcm), hz, 60)

/** The session that receives `hz`. */
function sessionOf(hz: number, among: readonly ScriptedSession[]): Promise<ScriptedSession> {
  return until(() => among.find(({ pcm }) => loudMs(pcm, hz) > 500), PATIENCE_MS, `a session with ${hz} Hz`)
}

const heardMs = (sala: VoiceChannel, hz: number) => totalMs(narrow(sala.heard()), hz + HIGHER)

// One after the other: together they are more work than a busy machine does in real time.
describe('voices', () => {
  test('eight at once: each is translated separately and never mixed, all are captioned and played', async () => {
    const before = house.x.service.sessions.length
    const { sala, members } = await people(VOICES)
    await Promise.all(members.map((member, n) => member.say(tone(VOICES[n]!, 2_000, SAMPLE_RATE))))
    for (const hz of VOICES) {
      const session = await sessionOf(hz, house.x.service.sessions.slice(before))
      for (const other of VOICES)
        if (Math.abs(other - hz) > 100)
          expect(hears(narrow(session.pcm), other), `${other} in ${hz}`).toBe(false)
    }
    await until(
      () =>
        VOICES.every(hz => sala.visible.some(({ text }) => text.includes(` ${hz}`) && text.includes('`en`'))),
      PATIENCE_MS,
      'every caption',
    )
    const heard = () =>
      house.x.events.utterance.filter(
        ({ stage, room, audioMs }) => stage === 'heard' && room === `discord ${sala.id}` && audioMs >= 800,
      )
    await until(
      () => new Set(heard().map(({ speaker }) => speaker)).size === VOICES.length,
      PATIENCE_MS,
      'every translation being heard to its end',
    )
  })

  test('loss of 1, 5 and 20 %, repetitions, packets out of order and late: all is translated', async () => {
    const LOSS = [0.01, 0.05, 0.2]
    const hz = VOICES.slice(0, 3)
    const before = house.x.service.sessions.length
    const { sala, members } = await people(hz)
    const share = new Map(members.map(({ id }, n) => [id, LOSS[n]!]))
    const { toBot } = sala.call.faults
    toBot.drop = ({ userId, index }) => ((index * 7_919) % 1_000) / 1_000 < (share.get(userId) ?? 0)
    toBot.duplicate = 0.05
    toBot.reorder = 0.05
    toBot.delay = 0.02
    toBot.delayMs = 300
    await Promise.all(members.map((member, n) => member.say(tone(hz[n]!, 4_000, SAMPLE_RATE))))
    expect(Math.min(...Object.values(toBot.counts).slice(0, 2))).toBeGreaterThan(0)
    for (const [n, each] of hz.entries()) {
      const session = await sessionOf(each, house.x.service.sessions.slice(before))
      // Lost audio is concealed or silent; everything else is in position.
      const arrivedMs = 4_000 * (1 - LOSS[n]!) - 700
      await until(() => loudMs(session.pcm, each) > arrivedMs, PATIENCE_MS, `${arrivedMs} ms of ${each} Hz`)
      await until(() => heardMs(sala, each) > 800, PATIENCE_MS, `the translation of ${each} Hz`)
    }
  })

  test('the voice server fails in every way: speech is translated each time it is back', async () => {
    const [hz] = VOICES.slice(6)
    const { sala, members } = await people([hz!])
    const [speaker] = members
    const { bot } = sala.guild
    const channel = house.x.app.discord?.interpreters.of(sala.guild.id)
    const faults: Record<string, () => unknown> = {
      'close 4006': () => sala.call.closeSocket(bot.id, 4006),
      'close 4009': () => sala.call.closeSocket(bot.id, 4009),
      'close 4015': () => sala.call.closeSocket(bot.id, 4015),
      'broken connection': () => sala.call.dropSocket(bot.id),
      'another region': () => sala.changeRegion('rotterdam'),
      'no server for 300 ms, then another': () => sala.changeRegion('brazil', { gapMs: 300 }),
    }
    let times = 0
    for (const [name, fault] of Object.entries(faults)) {
      await fault()
      // Speech without a connection is lost; such short losses are not reported.
      await pause(1_000)
      await until(
        () => channel?.status().state === 'listening' && sala.call.connected(bot.id),
        PATIENCE_MS,
        `${name}: being back`,
      )
      await speaker!.say(tone(hz!, 600, SAMPLE_RATE))
      times++
      await until(() => heardMs(sala, hz!) > times * 450, PATIENCE_MS, `${name}: the translation`)
    }
  })

  test('voices are announced but UDP is blocked: a notice names what to check', async () => {
    const { sala, members } = await people([VOICES[4]!])
    sala.call.faults.toBot.drop = 1
    await members[0]!.say(tone(VOICES[4]!, 400, SAMPLE_RATE))
    await until(
      () =>
        sala.visible.some(({ text }) => text.includes('The operator of this bot should check whether UDP')),
      PATIENCE_MS,
      'a word',
    )
  })

  test('Discord rate-limits every request: voices continue, captions are delayed', async () => {
    const hz = VOICES[5]!
    const { sala, members } = await people([hz])
    const { rest } = house.discord.faults
    rest.next({ only: 'POST /channels/:id/messages', rateLimited: { scope: 'user', retryAfterMs: 2_500 } })
    await members[0]!.say(tone(hz, 1_500, SAMPLE_RATE))
    await until(() => heardMs(sala, hz) > 800, PATIENCE_MS, 'the translation')
    await until(
      () => sala.visible.some(({ text }) => text.includes(` ${hz}`) && text.includes('`en`')),
      PATIENCE_MS,
      'the caption',
    )
  })
})
