import { afterEach, describe, expect, test } from 'vitest'
import {
  ANNA,
  BOT,
  CHANNEL,
  GUILD,
  OTHER_CHANNEL,
  Stage,
  type StageOptions,
} from '../../../support/discord/voice-link-harness.ts'
import { Listener } from '../../../support/discord/voice-listener.ts'
import { sine } from '../../../support/transcode/tone.ts'
import { pause, until } from '../../../support/until.ts'

const opened: AsyncDisposable[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each[Symbol.asyncDispose]()
})

async function open(options: StageOptions = {}): Promise<Stage> {
  const stage = await Stage.open({ dave: false, ...options })
  opened.push(stage)
  return stage
}

/** A link that is ready, and listens to Anna, who is present. */
async function ready(options: StageOptions = {}) {
  const stage = await open(options)
  const listener = new Listener()
  stage.link.listen(ANNA, listener)
  expect(await stage.link.join()).toBeUndefined()
  const anna = stage.call.addUser(ANNA)
  await anna.joined
  return { stage, link: stage.link, call: stage.call, anna, listener, counters: stage.counters }
}

const joins = (stage: Stage) => stage.asked.filter(({ channelId }) => channelId !== undefined)
const isReady = (stage: Stage) => until(() => stage.link.state === 'ready', 10_000, 'being ready')

describe('the server closes the socket', () => {
  test.each([4000, 4004, 4006, 4009])('with %i: another attempt, with increasing delays', async code => {
    const stage = await open()
    for (let n = 0; n < 2; n++) stage.call.faults.closeAt('identify', code)
    expect(await stage.link.join()).toBeUndefined()
    const at = joins(stage).map(each => each.at)
    expect(at.length).toBe(3)
    expect(at[1]! - at[0]!).toBeGreaterThanOrEqual(240)
    expect(at[2]! - at[1]!).toBeGreaterThanOrEqual(490)
    // It stayed in the channel all the time.
    expect(stage.asked.length).toBe(3)
  })

  test('repeatedly: a limited number of attempts', async () => {
    const stage = await open({ limits: { attemptsMost: 3 } })
    for (let n = 0; n < 9; n++) stage.call.faults.closeAt('identify', 4006)
    expect(await stage.link.join()).toEqual({ kind: 'unreachable', attempts: 3 })
    expect(joins(stage).length).toBe(3)
  })

  test('repeatedly after admitting us: the same number', async () => {
    const stage = await open({ limits: { attemptsMost: 3 } })
    for (let n = 0; n < 9; n++) stage.call.faults.closeAt('session-description', 4006)
    await stage.link.join()
    expect(await stage.link.ended).toEqual({ kind: 'unreachable', attempts: 3 })
    expect(joins(stage).length).toBe(3)
  })

  test('with 4004 repeatedly: a refusal', async () => {
    const stage = await open({ limits: { attemptsMost: 2 } })
    for (let n = 0; n < 9; n++) stage.call.faults.closeAt('identify', 4004)
    expect(await stage.link.join()).toEqual({ kind: 'refused', code: 4004 })
  })

  test.each([
    [4011, 4011],
    [4012, 4012],
    [4016, 4016],
    [4017, 'encryption'],
  ])('with %i: one more attempt, then the reason', async (code, why) => {
    const stage = await open({ dave: true })
    for (let n = 0; n < 9; n++) stage.call.faults.closeAt('identify', code)
    expect(await stage.link.join()).toEqual({ kind: 'refused', code: why })
    expect(joins(stage).length).toBe(2)
  })

  test('with 4021: no further attempt', async () => {
    const stage = await open()
    stage.call.faults.closeAt('identify', 4021)
    expect(await stage.link.join()).toEqual({ kind: 'refused', code: 4021 })
    expect(joins(stage).length).toBe(1)
  })

  test('with 4014, without another place: disconnected by a moderator', async () => {
    const { stage, link, call } = await ready({ limits: { waitMs: 200 } })
    call.closeSocket(BOT, 4014)
    await until(() => link.state === 'reconnecting', 5_000, 'losing it')
    expect(await link.ended).toEqual({ kind: 'kicked' })
    expect(joins(stage).length).toBe(1)
  })

  test('with 4022: the call is over, unless another server is named', async () => {
    const { link, call } = await ready({ limits: { waitMs: 200 } })
    call.closeSocket(BOT, 4022)
    expect(await link.ended).toEqual({ kind: 'refused', code: 4022 })

    const second = await ready({ limits: { waitMs: 2_000 } })
    second.call.closeSocket(BOT, 4022)
    await until(() => second.link.state === 'reconnecting', 5_000, 'losing it')
    second.stage.admit(CHANNEL)
    await isReady(second.stage)
  })

  test('without a code: resumed, and the voices continue', async () => {
    const { stage, call, anna, listener, counters } = await ready()
    const speech = anna.say(sine(600, 1_000))
    await until(() => listener.packets.length > 5, 5_000, 'packets')
    call.dropSocket(BOT)
    await speech
    await until(() => counters.resumed === 1, 5_000, 'being resumed')
    await isReady(stage)
    // The last of them can still be in transit.
    await until(() => listener.packets.length >= 53, 5_000, 'all packets')
    expect(stage.states).toEqual(['ready', 'reconnecting', 'ready'])
    expect(joins(stage).length).toBe(1)
  })

  test('with 4015: resumed', async () => {
    const { stage, call, counters } = await ready()
    call.closeSocket(BOT, 4015)
    await until(() => counters.resumed === 1, 5_000, 'being resumed')
    expect(stage.link.state).toBe('ready')
  })

  test('and hangs while resuming: everything restarts', async () => {
    const { stage, call, anna, listener } = await ready({ limits: { joinTimeoutMs: 300 } })
    call.faults.hangAt('resume')
    call.dropSocket(BOT)
    await until(() => joins(stage).length === 2, 5_000, 'another try')
    await isReady(stage)
    await anna.say(sine(600, 100))
    await until(() => listener.packets.length >= 10, 5_000, 'packets')
  })

  test('apparently, because it does not answer: resumed', async () => {
    const { call, counters } = await ready({ heartbeatMs: 100 })
    call.faults.silentHeartbeat = true
    await until(() => counters.resumed === 1, 10_000, 'being resumed')
    call.faults.silentHeartbeat = false
  })
})

describe('the main gateway reports', () => {
  test('no channel for the bot: kicked, without another request', async () => {
    const { stage, link, call } = await ready()
    call.forget(BOT)
    stage.tellState(undefined)
    expect(await link.ended).toEqual({ kind: 'kicked' })
    await pause(600)
    expect(stage.asked.length).toBe(1)
  })

  test('another channel for the bot: it continues there', async () => {
    const { stage, link, call, listener } = await ready()
    call.forget(BOT)
    stage.admit(OTHER_CHANNEL)
    await until(() => stage.server.openCall(GUILD, OTHER_CHANNEL).connected(BOT), 5_000, 'the move')
    await isReady(stage)
    expect(link.channelId).toBe(OTHER_CHANNEL)
    expect(stage.moves).toEqual([OTHER_CHANNEL])
    const there = stage.server.openCall(GUILD, OTHER_CHANNEL).addUser(ANNA)
    await there.say(sine(600, 200))
    await until(() => listener.packets.length >= 15, 5_000, 'packets')
    expect(joins(stage).length).toBe(1)
  })

  test('another channel without a server: the link requests one', async () => {
    const { stage, link, call } = await ready({ limits: { waitMs: 200 } })
    stage.tellState(OTHER_CHANNEL)
    call.forget(BOT)
    await until(() => joins(stage).length === 2, 5_000, 'asking')
    await isReady(stage)
    expect(joins(stage).at(-1)?.channelId).toBe(OTHER_CHANNEL)
    expect(link.channelId).toBe(OTHER_CHANNEL)
  })

  test('nothing, because it is unavailable: the link waits', async () => {
    let up = true
    const { stage, link, call } = await ready({ limits: { waitMs: 100 }, gatewayUp: () => up })
    up = false
    call.closeSocket(BOT, 4014)
    await pause(500)
    expect(link.state).toBe('reconnecting')
    up = true
    expect(await link.ended).toEqual({ kind: 'kicked' })
    expect(joins(stage).length).toBe(1)
  })

  test('a new session, and then nothing: the intact voice connection stays in use', async () => {
    const { stage, link, anna, listener } = await ready()
    stage.mute = true
    link.askAgain()
    expect(joins(stage).length).toBe(2)
    await anna.say(sine(600, 200))
    await until(() => listener.packets.length >= 10, 5_000, 'packets')
    expect(stage.states).toEqual(['ready'])
  })

  test('a new session: the link requests to join again', async () => {
    const { stage, link } = await ready()
    link.askAgain()
    await until(() => joins(stage).length === 2, 5_000, 'asking')
    await isReady(stage)
  })

  test('another voice server: it continues there', async () => {
    const { stage, link, listener } = await ready()
    const before = listener.packets.length
    stage.admit(CHANNEL)
    await until(() => stage.states.includes('reconnecting'), 5_000, 'the change')
    await isReady(stage)
    expect(link.channelId).toBe(CHANNEL)
    const anna = stage.call.users[0]!
    await anna.say(sine(600, 200))
    await until(() => listener.packets.length >= before + 15, 5_000, 'packets')
  })

  test('no voice server, and then one', async () => {
    const { stage } = await ready()
    stage.tellServer(null)
    expect(stage.link.state).toBe('reconnecting')
    await pause(100)
    stage.admit(CHANNEL)
    await isReady(stage)
    expect(joins(stage).length).toBe(1)
  })

  test('no voice server, without a follow-up: the link requests one', async () => {
    const { stage } = await ready({ limits: { endpointTimeoutMs: 200 } })
    stage.tellServer(null)
    await until(() => joins(stage).length === 2, 5_000, 'asking')
    await isReady(stage)
  })

  test('that its client is gone', async () => {
    const { stage, link } = await ready()
    stage.library?.destroy()
    expect(await link.ended).toMatchObject({ kind: 'unreachable' })
  })
})

test('leaving notifies the gateway and leaves nothing behind', async () => {
  const { stage, link, call } = await ready()
  expect(await link.leave({ kind: 'parent-closed' })).toEqual({ kind: 'parent-closed' })
  expect(link.state).toBe('ended')
  expect(stage.asked.at(-1)?.channelId).toBeUndefined()
  await until(() => !call.connected(BOT), 5_000, 'the end')
  link.play(Uint8Array.of(0xf8, 0xff, 0xfe))
  link.setSpeaking(true)
  link.listen(ANNA, new Listener())
  expect(stage.library).toBeUndefined()
})

test('a second link in one guild is rejected, and the first continues', async () => {
  const { stage } = await ready()
  const { VoiceLink } = await import('../../../../src/bridges/discord/voice/voice-link.ts')
  const second = new VoiceLink(stage.options)
  expect(await second.join()).toMatchObject({ kind: 'unreachable' })
  expect(stage.link.state).toBe('ready')
})
