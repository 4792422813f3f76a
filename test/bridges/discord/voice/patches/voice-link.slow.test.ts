import { getVoiceConnection } from '@discordjs/voice'
import { afterEach, describe, expect, test } from 'vitest'
import { groupOf } from '../../../../../src/bridges/discord/voice/patches/patched-connection.ts'
import { networkingOf } from '../../../../../src/bridges/discord/voice/patches/patched-networking.ts'
import { OpusEncoder } from '../../../../../src/transcode/opus.ts'
import { FRAME_SAMPLES } from '../../../../../src/transcode/pcm.ts'
import {
  ANNA,
  BEN,
  BOT,
  GUILD,
  Stage,
  type StageOptions,
} from '../../../../support/discord/voice-link-harness.ts'
import { Listener } from '../../../../support/discord/voice-listener.ts'
import { sine } from '../../../../support/transcode/tone.ts'
import { pause, until } from '../../../../support/until.ts'

const opened: Stage[] = []
afterEach(async () => {
  for (const stage of opened.splice(0)) await stage[Symbol.asyncDispose]()
})

/** A link that is ready, with Anna in the channel, and listens to her. */
async function talking(options?: StageOptions) {
  const stage = await Stage.open(options)
  opened.push(stage)
  const { link, call } = stage
  const listener = new Listener()
  link.listen(ANNA, listener)
  expect(await link.join()).toBeUndefined()
  const anna = call.addUser(ANNA)
  await anna.joined
  await until(() => link.playable, 5_000, 'an agreement')
  return { stage, link, call, anna, listener, counters: stage.counters, faults: call.faults }
}

/** Plays a tone of `packets` packets, faster than in real time. */
async function play(stage: Stage, packets: number): Promise<void> {
  const encoder = new OpusEncoder({ channels: 2 })
  const tone = sine(440, packets * 20)
  for (let at = 0; at < tone.length; at += FRAME_SAMPLES) {
    stage.link.play(encoder.encode(tone.subarray(at, at + FRAME_SAMPLES)))
    await pause(2)
  }
}

describe.each([
  ['without end-to-end encryption', { dave: false }],
  ['with end-to-end encryption', { dave: true }],
  ['with XChaCha20', { dave: true, encryption: ['aead_xchacha20_poly1305_rtpsize'] }],
] as const)('%s', (_name, options) => {
  test('a tone is received and a tone is sent', async () => {
    const { stage, link, call, anna, listener, counters } = await talking(options)
    expect(link.encrypted).toBe(options.dave)
    expect(stage.states).toEqual(['ready'])
    await anna.say(sine(600, 500))
    await until(() => listener.packets.length >= 30, 5_000, 'packets')
    expect(listener.loud(600)).toBeGreaterThanOrEqual(24)
    expect(new Set(listener.packets.map(({ ssrc }) => ssrc))).toEqual(new Set([anna.ssrc]))
    expect(counters).toMatchObject({ packets: 30, undecryptable: 0, plaintext: 0, tooEarly: 0, malformed: 0 })

    await play(stage, 20)
    await until(() => call.packetsFrom(BOT).frames >= 20, 5_000, 'frames')
    expect(call.packetsFrom(BOT)).toMatchObject({ broken: 0, undecryptable: 0, plaintext: 0, gaps: 0 })
    link.setSpeaking(false)
    await until(() => call.packetsFrom(BOT).speaking.length === 2, 5_000, 'the end of speaking')
    expect(call.packetsFrom(BOT).speaking).toMatchObject([{ flags: 1 }, { flags: 0, afterPackets: 20 }])
  })
})

describe('a user with a listener', () => {
  test('is the only one received, and without a packet after the end', async () => {
    const { link, call, anna, listener, counters } = await talking()
    const ben = call.addUser(BEN)
    await ben.joined
    await Promise.all([anna.say(sine(600, 200)), ben.say(sine(900, 200))])
    await until(() => listener.packets.length >= 15, 5_000, 'packets')
    expect(counters.packets).toBe(15)
    expect(listener.loud(900)).toBe(0)
    const speech = anna.say(sine(600, 400))
    await until(() => listener.packets.length >= 20, 5_000, 'more packets')
    link.unlisten(ANNA)
    const before = listener.packets.length
    await speech
    await pause(50)
    expect(listener.packets.length).toBe(before)
    link.listen(ANNA, listener)
    await anna.say(sine(600, 100))
    await until(() => listener.packets.length > before + 5, 5_000, 'packets again')
  })

  test('is received from the first syllable when the name arrives after the audio', async () => {
    const { stage, anna, listener, counters, faults } = await talking()
    faults.withholdSpeaking = 400
    await anna.say(sine(600, 800))
    await until(() => listener.packets.length >= 45, 5_000, 'packets')
    expect(listener.loud(600)).toBeGreaterThanOrEqual(39)
    expect(counters.attributed).toBeGreaterThan(5)
    expect(counters.attributed).toBe(counters.unattributed)
    const sequences = listener.packets.map(({ sequence }) => sequence)
    for (let n = 1; n < sequences.length; n++) expect(sequences[n]).toBe((sequences[n - 1]! + 1) & 0xffff)
    expect(stage.announced).toContain(ANNA)
  })

  test('is the same with another SSRC', async () => {
    const { anna, listener } = await talking()
    await anna.say(sine(600, 100))
    const before = anna.ssrc
    anna.changeSsrc()
    await anna.say(sine(900, 200))
    await until(() => listener.packets.length >= 25, 5_000, 'packets')
    expect(new Set(listener.packets.map(({ ssrc }) => ssrc))).toEqual(new Set([before, anna.ssrc]))
    expect(listener.loud(900)).toBeGreaterThanOrEqual(8)
  })
})

describe('the network', () => {
  test('cannot change anything with forged packets that have a true SSRC', async () => {
    const { call, anna, listener, counters } = await talking()
    const speech = anna.say(sine(600, 600))
    await until(() => listener.packets.length > 3, 5_000, 'packets')
    for (let n = 0; n < 20; n++) {
      await call.forge(BOT, anna.ssrc)
      await pause(5)
    }
    await speech
    await until(() => listener.packets.length >= 35, 5_000, 'packets')
    expect(listener.loud(600)).toBeGreaterThanOrEqual(29)
    expect(counters.unknownSource).toBe(20)
    expect(counters.undecryptable).toBe(0)
  })

  test('damages packets, which are missing without others', async () => {
    const { anna, listener, counters, faults } = await talking()
    faults.toBot.corrupt = ({ index }) => index % 4 === 1
    await anna.say(sine(600, 600))
    await until(() => listener.packets.length + counters.undecryptable >= 35, 5_000, 'packets')
    expect(counters.undecryptable).toBe(faults.toBot.counts.corrupted)
    expect(counters.undecryptable).toBeGreaterThan(5)
    expect(listener.packets.length).toBe(35 - counters.undecryptable)
  })

  test('delivers packets of zeros, which are not speech', async () => {
    const { anna, listener, counters, faults } = await talking()
    faults.zeroFrames = true
    await anna.say(sine(600, 200))
    await until(() => counters.malformed >= 10, 5_000, 'packets')
    faults.zeroFrames = false
    await anna.say(sine(600, 200))
    await until(() => listener.loud(600) >= 9, 5_000, 'speech')
  })

  test('delivers nothing although a user speaks, which is reported', async () => {
    const { stage, anna, faults } = await talking({ limits: { deafMs: 300 } })
    faults.toBot.drop = 1
    await anna.say(sine(600, 200))
    await until(() => stage.deaf === 1, 5_000, 'the hint')
    await pause(1_200)
    expect(stage.deaf).toBe(1)
  })

  test('delivers invalid messages without ending the process', async () => {
    const { stage, anna, listener, counters } = await talking()
    const networking = networkingOf(getVoiceConnection(GUILD, groupOf(BOT))!)
    const socket = networking?.state.ws
    for (const data of [
      Buffer.alloc(0),
      Buffer.of(0, 1),
      Buffer.of(0, 1, 25, 1, 2, 3),
      Buffer.of(0, 1, 27),
      Buffer.of(0, 1, 27, 0, 5, 5, 5),
      Buffer.of(0, 1, 29),
      '{',
      'null',
      '{"op":5}',
      '{"op":13,"d":null}',
      '{"op":22,"d":{}}',
    ])
      socket?.onMessage({ data })
    expect(counters.libraryErrors).toBeGreaterThan(4)
    await anna.say(sine(600, 200))
    await until(() => listener.packets.length >= 15, 5_000, 'packets')
    expect(stage.link.state).toBe('ready')
  })
})
