import { afterEach, describe, expect, test } from 'vitest'
import { ChannelOutput, OutputPacer } from '../../../../src/bridges/discord/voice/channel-output.ts'
import { SpeakerLeg } from '../../../../src/bridges/discord/voice/speaker-leg.ts'
import { systemClock } from '../../../../src/common/clock.ts'
import type { LanguageId } from '../../../../src/common/language.ts'
import { noopLogger } from '../../../../src/common/log.ts'
import { loudness, rms } from '../../../../src/transcode/level.ts'
import { concat } from '../../../../src/transcode/pcm.ts'
import { ANNA, BEN, BOT, Stage } from '../../../support/discord/voice-link-harness.ts'
import { sine } from '../../../support/transcode/tone.ts'
import { until } from '../../../support/until.ts'

const opened: AsyncDisposable[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each[Symbol.asyncDispose]()
})

/** An encrypted channel with Anna and Ben, a leg for each of them, and a voice of ours. */
async function channel() {
  const stage = await Stage.open()
  opened.push(stage)
  const { link, call, counters } = stage
  await link.join()
  const pacer = new OutputPacer(systemClock)
  const speaker = (userId: string) => {
    const user = call.addUser(userId)
    const frames: Int16Array[] = []
    const leg = new SpeakerLeg({
      ...{ id: userId, userId, source: link, pacer, counters, log: noopLogger },
      endOfTurnSilenceMs: 200,
    })
    leg.attach({ write: frame => void frames.push(frame.slice()), marked: () => {}, dtmf: () => {} })
    const loud = (hz: number) => frames.filter(frame => loudness(frame, hz, 16_000) > 3_000).length
    /** The turn is over, and its silence was sent. */
    const silent = () => frames.length > 10 && rms(concat(frames.slice(-8))) === 0
    return { user, leg, frames, loud, silent }
  }
  const [anna, ben] = [speaker(ANNA), speaker(BEN)]
  await Promise.all([anna.user.joined, ben.user.joined])
  await until(() => link.playable, 5_000, 'an agreement')
  const voice = new ChannelOutput({ id: 'c', player: link, pacer, counters })
  opened.push({ [Symbol.asyncDispose]: async () => voice.close() })
  return { stage, link, call, counters, anna, ben, voice, toBot: call.faults.toBot }
}

describe('users', () => {
  test('talking at the same time are received separately and completely, each with an end', async () => {
    const { anna, ben, counters } = await channel()
    await Promise.all([anna.user.say(sine(600, 1_000)), ben.user.say(sine(900, 800), { frameMs: 60 })])
    await until(() => anna.loud(600) >= 49 && anna.silent(), 5_000, 'all that Anna says')
    await until(() => ben.loud(900) >= 39 && ben.silent(), 5_000, 'all that Ben says')
    expect(anna.loud(900)).toBe(0)
    expect(ben.loud(600)).toBe(0)
    expect(counters).toMatchObject({ lost: 0, late: 0, undecodable: 0, restarts: 0 })
  })

  test('over a network with loss, duplicates and reordering keep their duration and level', async () => {
    const { anna, counters, toBot } = await channel()
    toBot.drop = ({ index }) => index % 20 === 7
    toBot.duplicate = ({ index }) => index % 15 === 3
    toBot.reorder = ({ index }) => index % 11 === 5 && index < 100
    await anna.user.say(sine(600, 2_000))
    await until(() => anna.loud(600) >= 96 && anna.silent(), 5_000, 'all that Anna says')
    // 100 of speech, 5 of silence, and some after the turn.
    expect(anna.frames.length).toBeGreaterThan(105)
    expect(anna.loud(600)).toBeLessThanOrEqual(101)
    expect(counters.lost).toBe(toBot.counts.dropped)
    expect(counters.duplicate).toBe(toBot.counts.duplicated)
    expect(counters.reordered).toBeGreaterThan(3)
    expect(counters.late).toBe(0)
    expect(counters.concealedMs).toBeGreaterThan(40)
  })

  test('on a network that stalls for a while lose nothing', async () => {
    const { anna, toBot, counters } = await channel()
    const speech = anna.user.say(sine(600, 1_500))
    await until(() => anna.frames.length > 20, 5_000, 'speech')
    toBot.stall(400)
    await speech
    await until(() => anna.loud(600) >= 73, 5_000, 'all of it')
    expect(counters.lost).toBe(0)
    expect(counters.flooded).toBe(0)
  })

  test('sending broken Opus do not affect others', async () => {
    const { anna, ben, counters, call } = await channel()
    call.faults.toBot.corrupt = ({ userId }) => userId === ANNA
    await Promise.all([anna.user.say(sine(600, 500)), ben.user.say(sine(900, 500))])
    await until(() => ben.loud(900) >= 24 && ben.silent(), 5_000, 'all that Ben says')
    expect(anna.frames.length).toBe(0)
    expect(counters.undecryptable).toBe(30)
  })
})

test('the channel hears speech without gaps, five silence frames, and then the ring around the avatar turns off', async () => {
  const { call, voice } = await channel()
  const marks: string[] = []
  const ear = voice.openLeg('en-us' as LanguageId)
  ear.attach({ write: () => {}, marked: name => void marks.push(name), dtmf: () => {} })
  ear.play(sine(440, 1_000))
  ear.mark('heard')
  await until(() => call.packetsFrom(BOT).silence === 5, 5_000, 'the end')
  expect(marks).toEqual(['heard'])
  expect(call.packetsFrom(BOT)).toMatchObject({
    ...{ packets: 56, frames: 51, silence: 5, silenceTail: 5, gaps: 0 },
    ...{ broken: 0, undecryptable: 0, plaintext: 0, undecodable: 0 },
  })
  await until(() => call.packetsFrom(BOT).speaking.length === 2, 5_000, 'the end of speaking')
  expect(call.packetsFrom(BOT).speaking.map(({ flags }) => flags)).toEqual([1, 0])
  const heard = call.heard(BOT)
  const from = heard.findIndex(sample => Math.abs(sample) > 2_000)
  expect(loudness(heard.subarray(from + 800, from + 15_000), 440, 16_000)).toBeGreaterThan(7_000)
})
