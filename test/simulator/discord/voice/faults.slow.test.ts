import { VoiceConnectionStatus } from '@discordjs/voice'
import { describe, expect, it } from 'vitest'
import type { VoiceCall } from '../../../../simulator/discord/voice/voice-call.ts'
import type { VoiceFaults } from '../../../../simulator/discord/voice/voice-faults.ts'
import { BOT, type Ear, type RealBot } from '../../../support/simulator/library-voice-bot.ts'
import { Calls } from '../../../support/simulator/voice-calls.ts'
import { sine } from '../../../support/transcode/tone.ts'
import { pause, until } from '../../../support/until.ts'

const ANNA = '400000000000000001'
/** 15 frames of speech and 5 of silence. */
const WORDS = sine(600, 300)
const PACKETS = 20

interface Scene {
  call: VoiceCall
  bot: RealBot
  ear: Ear
}

describe('datagrams to the bot', () => {
  const calls = new Calls({ dave: false })

  /** Anna speaks under faults; settles when the bot has read all `least` packets of hers. */
  async function speak(set: (faults: VoiceFaults) => void, least: number): Promise<Scene> {
    const { call, bot } = await calls.join({ dave: false })
    const anna = call.addUser(ANNA)
    const ear = bot.hear(ANNA)
    set(call.faults)
    await anna.say(WORDS)
    await until(() => ear.sequences.length >= least, 5_000, `${least} packets`)
    bot[Symbol.dispose]()
    return { call, bot, ear }
  }

  const steps = ({ sequences }: Ear) => sequences.slice(1).map((each, at) => (each - sequences[at]!) & 0xffff)

  it('arrive in order without faults', async () => {
    const { ear } = await speak(() => {}, PACKETS)
    expect(steps(ear)).toEqual(new Array(PACKETS - 1).fill(1))
    expect(ear.events).toEqual([])
  })

  it('get lost', async () => {
    const { call, ear } = await speak(faults => {
      faults.toBot.drop = ({ index }) => index % 4 === 1
    }, 15)
    expect(steps(ear)).toEqual([2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1])
    expect(call.faults.toBot.counts.dropped).toBe(5)
  })

  it('get lost as the seed says', async () => {
    const { call, ear } = await speak(faults => {
      faults.toBot.drop = 0.3
    }, 1)
    const { dropped } = call.faults.toBot.counts
    expect(dropped).toBeGreaterThan(0)
    await until(() => ear.sequences.length === PACKETS - dropped, 1_000, 'the others')
  })

  it('arrive twice', async () => {
    const { ear } = await speak(faults => {
      faults.toBot.duplicate = ({ index }) => index === 3
    }, PACKETS + 1)
    expect(steps(ear).slice(0, 6)).toEqual([1, 1, 1, 0, 1, 1])
  })

  it('overtake each other', async () => {
    const { ear } = await speak(faults => {
      faults.toBot.reorder = ({ index }) => index === 3
    }, PACKETS)
    expect(steps(ear).slice(0, 6)).toEqual([1, 1, 2, 0xffff, 2, 1])
  })

  it('arrive late', async () => {
    const { ear } = await speak(faults => {
      faults.toBot.delayMs = 150
      faults.toBot.delay = ({ index }) => index === 3
    }, PACKETS)
    const place = ear.sequences.findIndex(sequence => sequence === ((ear.sequences[0]! + 3) & 0xffff))
    expect(place).toBeGreaterThanOrEqual(5)
  })

  it('stall, and arrive all at once', async () => {
    const { call, ear } = await speak(faults => faults.toBot.stall(200), PACKETS)
    const { stalled } = call.faults.toBot.counts
    expect(stalled).toBeGreaterThan(5)
    expect(ear.times[stalled - 1]! - ear.times[0]!).toBeLessThan(20 * (stalled - 1))
    expect(steps(ear)).toEqual(new Array(PACKETS - 1).fill(1))
  })

  it('are broken, which ends the stream of the library', async () => {
    const { call, ear } = await speak(faults => {
      faults.toBot.corrupt = ({ index }) => index === 5
    }, 5)
    expect(call.faults.toBot.counts.corrupted).toBe(1)
    expect(ear.sequences.length).toBe(5)
    expect(ear.events[0]).toMatch(/^error/)
  })

  it('contain zeros', async () => {
    const { ear } = await speak(faults => {
      faults.zeroFrames = true
    }, PACKETS)
    expect(ear.packets.every(packet => packet.every(byte => byte === 0))).toBe(true)
  })

  it('can arrive from an unrelated address, too', async () => {
    const { call, bot } = await calls.join({ dave: false })
    using _ = bot
    const anna = call.addUser(ANNA)
    const ear = bot.hear(ANNA)
    await anna.say(WORDS)
    await until(() => ear.packets.length === PACKETS, 5_000, 'the words')
    await call.forge(BOT, anna.ssrc)
    await until(() => ear.events.includes('close'), 5_000, 'what the library makes of it')
    expect(ear.events[0]).toMatch(/^error/)
  })

  it('change their SSRC during a sentence', async () => {
    const { call, bot } = await calls.join({ dave: false })
    using _ = bot
    const anna = call.addUser(ANNA)
    const ear = bot.hear(ANNA)
    const words = anna.say(WORDS)
    await until(() => ear.packets.length > 3, 5_000, 'the first words')
    anna.changeSsrc()
    await words
    await until(() => ear.packets.length >= PACKETS - 1, 5_000, 'the rest')
    expect(ear.ssrcs.size).toBe(2)
  })
})

describe('op 5', () => {
  const calls = new Calls({ dave: false })

  it('can be missing, and the library delivers nothing', async () => {
    const { call, bot } = await calls.join({ dave: false })
    using _ = bot
    call.faults.withholdSpeaking = true
    const anna = call.addUser(ANNA)
    const ear = bot.hear(ANNA)
    await anna.say(WORDS)
    await pause(50)
    expect(ear.sequences).toEqual([])
    expect(call.faults.toBot.counts.dropped).toBe(0)
  })

  it('can be late, and the first words are lost', async () => {
    const { call, bot } = await calls.join({ dave: false })
    using _ = bot
    call.faults.withholdSpeaking = 150
    const anna = call.addUser(ANNA)
    const ear = bot.hear(ANNA)
    await anna.say(WORDS)
    await until(() => ear.sequences.length > 0, 5_000, 'the last words')
    await pause(50)
    expect(ear.sequences.length).toBeLessThan(PACKETS - 3)
  })
})

describe('datagrams from the bot', () => {
  const calls = new Calls({ dave: false })

  async function speak(set: (faults: VoiceFaults) => void): Promise<VoiceCall> {
    const { call, bot } = await calls.join({ dave: false })
    using _ = bot
    set(call.faults)
    await bot.play(WORDS)
    await until(() => call.packetsFrom(BOT).silence >= 4, 5_000, 'the words')
    return call
  }

  it('get lost and leave a gap', async () => {
    const call = await speak(faults => {
      faults.fromBot.drop = ({ index }) => index === 5 || index === 6
    })
    expect(call.packetsFrom(BOT)).toMatchObject({ frames: 13, gaps: 2 })
    const heard = call.heard(BOT)
    const from = heard.findIndex(sample => Math.abs(sample) > 500)
    // Frames 5 and 6, with some ms of the coder's delay before them.
    expect(Math.max(...heard.subarray(from + 320 * 5 + 160, from + 320 * 6 + 160))).toBe(0)
    expect(Math.max(...heard.subarray(from + 320 * 8, from + 320 * 9))).toBeGreaterThan(4_000)
  })

  it('arrive twice or late, and are played once', async () => {
    const call = await speak(faults => {
      faults.fromBot.duplicate = ({ index }) => index === 5
      faults.fromBot.reorder = ({ index }) => index === 9
    })
    expect(call.packetsFrom(BOT)).toMatchObject({ late: 2, gaps: 1 })
  })

  it('are broken', async () => {
    const call = await speak(faults => {
      faults.fromBot.corrupt = ({ index }) => index === 5
    })
    expect(call.packetsFrom(BOT)).toMatchObject({ frames: 14, broken: 1, gaps: 1 })
  })
})

describe('the way into a call', () => {
  const calls = new Calls({ dave: false })

  it('fails permanently without a response to IP discovery', async () => {
    const call = calls.open()
    call.faults.withholdIpDiscovery = 1
    using bot = calls.bot(call, { dave: false })
    await until(() => call.faults.withholdIpDiscovery === 0, 5_000, 'the request')
    await pause(200)
    expect(bot.connection.state.status).toBe(VoiceConnectionStatus.Connecting)
    bot.connection.rejoin()
    await bot.ready()
  })

  it.each(['identify', 'ready', 'select-protocol', 'session-description'] as const)(
    'can be closed at %s, with any code',
    async stage => {
      const call = calls.open()
      call.faults.closeAt(stage, 4006)
      using bot = calls.bot(call, { dave: false })
      await until(() => bot.asked.length === 2, 5_000, 'the second attempt')
      await until(() => call.connected(BOT), 5_000, 'the second session')
      expect(bot.closes).toEqual([4006])
    },
  )

  it.each(['resume', 'resumed'] as const)('can be closed at %s', async stage => {
    const { call, bot } = await calls.join({ dave: false })
    using _ = bot
    call.faults.closeAt(stage, 4006)
    call.closeSocket(BOT, 4015)
    await until(() => bot.asked.length === 2, 5_000, 'the second attempt')
    await until(() => call.connected(BOT), 5_000, 'the second session')
  })

  it.each(['identify', 'select-protocol'] as const)('can hang at %s', async stage => {
    const call = calls.open()
    call.faults.hangAt(stage)
    using bot = calls.bot(call, { dave: false })
    await pause(300)
    expect(bot.connection.state.status).toBe(VoiceConnectionStatus.Connecting)
    expect(bot.errors).toEqual([])
  })

  it('can be closed as soon as the socket is open', async () => {
    const call = calls.open()
    calls.server.refuse(4014)
    using bot = calls.bot(call, { dave: false })
    await until(() => bot.states.includes('disconnected'), 5_000, 'the end')
    expect(bot.connection.state).toMatchObject({ closeCode: 4014 })
  })

  it('can offer other modes than the server’s', async () => {
    const call = calls.open()
    call.faults.encryption = ['aead_xchacha20_poly1305_rtpsize']
    using bot = calls.bot(call, { dave: false })
    await bot.ready()
    expect(bot.debug.some(line => line.includes('"mode":"aead_xchacha20_poly1305_rtpsize"'))).toBe(true)
  })
})

describe('messages to the bot', () => {
  const calls = new Calls({ dave: false, heartbeatMs: 100 })

  it('get lost, so that numbers are missing, and arrive twice', async () => {
    const { call, bot } = await calls.join({ dave: false })
    using _ = bot
    call.faults.seqGaps = 7
    call.faults.repeatMessages = 1
    call.addUser(ANNA)
    const seqs = () =>
      bot.debug.flatMap(line =>
        line.includes('<<') ? Array.from(line.matchAll(/"seq":(\d+)/g), ([, n]) => Number(n)) : [],
      )
    await until(() => seqs().length >= 6, 5_000, 'the messages')
    const [ready, described, ...rest] = seqs()
    expect([described! - ready!, rest[0]! - described!, rest[1]! - rest[0]!, rest[2]! - rest[1]!]).toEqual([
      1, 8, 0, 1,
    ])
  })
})
