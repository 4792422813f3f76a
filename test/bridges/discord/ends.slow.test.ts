import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Guild, SimulatedCall, VoiceChannel } from '../../../simulator/index.ts'
import type { NoticeName } from '../../../src/core/model/announcer.ts'
import { type Parlour, parlour } from '../../support/e2e/discord-call-harness.ts'
import { times } from '../../support/e2e/phone-listener.ts'
import { noticeHz } from '../../support/e2e/two-party-harness.ts'
import { until } from '../../support/until.ts'

const PATIENCE_MS = 45_000

let house: Parlour
beforeAll(async () => {
  house = await parlour({ dave: false })
})
afterAll(() => house[Symbol.asyncDispose]())

/** A separate server, in which the owner talks in a channel with a called participant. */
interface Talk {
  readonly guild: Guild
  readonly sala: VoiceChannel
  readonly phone: SimulatedCall
  /** Resolves when the phone has heard the notice, in Spanish. */
  told(notice: NoticeName): Promise<unknown>
  /** Resolves when the chat contains it. */
  reads(text: string): Promise<unknown>
  /** Resolves when the call is over, and the bot has left the channel. */
  over(): Promise<unknown>
}

let calls = 0

async function talk(stage = false): Promise<Talk> {
  const { discord, x } = house
  const number = `+346001113${10 + calls++}`
  const guild = discord.addGuild({ name: `Casa ${number}` })
  const sala = guild.addVoiceChannel({ name: 'Sala', stage })
  await until(() => x.app.discord?.guilds === discord.guilds.length, PATIENCE_MS, 'the guild')
  const { owner } = guild
  await owner.join(sala)
  await owner.command('interpret language', { language: 'en-us' })
  await owner.command('interpret start')
  const callee = x.twilio.subscriber(number)
  await owner.command('interpret dial', { number, language: 'es-es' })
  const phone = await callee.call(1)
  const inRoom = () =>
    [...(x.app.relay.rooms.get(`discord ${sala.id}`)?.participants.values() ?? [])].some(
      ({ leg }) => leg.channel === 'twilio',
    )
  await until(inRoom, PATIENCE_MS, 'the phone in the room')
  return {
    guild,
    sala,
    phone,
    told: notice =>
      until(() => times(phone.heard(), noticeHz(notice, 'es')) > 0, PATIENCE_MS, `${notice} on the phone`),
    reads: text => until(() => sala.visible.find(each => each.text.includes(text)), PATIENCE_MS, text),
    async over() {
      await phone.ended
      await until(() => guild.bot.voice === undefined, PATIENCE_MS, 'leaving')
      await until(() => !x.app.relay.rooms.has(`discord ${sala.id}`), PATIENCE_MS, 'the end of the room')
    },
  }
}

describe.concurrent('when a channel ends, readers see why, and the phone hears a notice and is hung up', () => {
  test.each<[string, string, (talk: Talk) => unknown]>([
    ['a moderator disconnects the bot', 'I was disconnected', ({ guild }) => guild.kickBot()],
    ['the channel is deleted', '', ({ guild, sala }) => guild.deleteChannel(sala)],
    ['close code 4021', 'I lost the voice connection', ({ sala }) => close(sala, 4021)],
    ['close code 4022 and no other server', 'I lost the voice connection', ({ sala }) => close(sala, 4022)],
    [
      'another encryption mode, again and again',
      'I lost the voice connection',
      ({ sala }) => {
        for (let n = 0; n < 9; n++) sala.call.faults.closeAt('identify', 4016)
        close(sala, 4006)
      },
    ],
    [
      'the bot loses access to the channel, and cannot write',
      '',
      ({ guild, sala }) => guild.setPermissions(sala, guild.bot, { deny: ['Connect'] }),
    ],
  ])('%s', async (_what, words, fault) => {
    const one = await talk()
    await fault(one)
    await one.told('other-left')
    if (words !== '') await one.reads(words)
    await one.over()
  })
})

describe.concurrent('a channel that continues', () => {
  test('the bot is muted, then deafened: the phone is notified, also when it is over', async () => {
    const { guild, told, reads, phone } = await talk()
    await guild.bot.setVoice({ mute: true })
    await told('channel-mute')
    await reads('I am muted')
    await guild.bot.setVoice({ mute: false, deaf: true })
    await told('channel-deaf')
    await reads('I am deafened')
    await guild.bot.setVoice({ deaf: false })
    await told('channel-back')
    expect(times(phone.heard(), noticeHz('channel-mute', 'es'))).toBe(1)
  })

  test('the bot loses the right to speak: the phone is notified, captions continue', async () => {
    const { guild, sala, told, reads } = await talk()
    guild.setPermissions(sala, guild.bot, { deny: ['Speak'] })
    await told('channel-mute')
    await reads('I am not allowed to speak in this channel')
    guild.setPermissions(sala, guild.bot, {})
    await told('channel-back')
  })

  test('a stage: it asks to speak and reports this, also on the phone, until a moderator allows it', async () => {
    const { guild, told, reads } = await talk(true)
    await reads('I asked to speak on this stage')
    expect(guild.bot.voice?.requestedToSpeakAt).toBeDefined()
    await told('channel-mute')
    await guild.bot.setVoice({ suppress: false })
    await told('channel-back')
  })
})

function close(sala: VoiceChannel, code: number): void {
  sala.call.closeSocket(sala.guild.bot.id, code)
}
