import { readFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { FakeClock } from '../../../../simulator/fakes/fake-clock.ts'
import { ANNA, BOT, Stage, type StageOptions } from '../../../support/discord/voice-link-harness.ts'
import { Listener } from '../../../support/discord/voice-listener.ts'
import { sine } from '../../../support/transcode/tone.ts'
import { pause, until } from '../../../support/until.ts'

const opened: AsyncDisposable[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each[Symbol.asyncDispose]()
})

/** A link that is ready, and listens to Anna, who is present. */
async function ready(options: StageOptions = {}) {
  const stage = await Stage.open({ dave: false, ...options })
  opened.push(stage)
  const listener = new Listener()
  stage.link.listen(ANNA, listener)
  expect(await stage.link.join()).toBeUndefined()
  const anna = stage.call.addUser(ANNA)
  await anna.joined
  return { stage, link: stage.link, call: stage.call, anna, listener }
}

const joins = (stage: Stage) => stage.asked.filter(({ channelId }) => channelId !== undefined)
const isReady = (stage: Stage) => until(() => stage.link.state === 'ready', 10_000, 'being ready')

test.each([
  ['is unreachable', false],
  ['does not have the guild', true],
])(
  'a main gateway that %s for a minute, with voice lost too: the link recovers',
  async (_why, hasNoGuild) => {
    let guildThere = true
    const turn = (stage: Stage, up: boolean) => {
      if (hasNoGuild) guildThere = up
      else stage.unreachable = !up
    }
    const clock = new FakeClock()
    const { stage, link, call, anna, listener } = await ready({ clock, gatewayUp: () => guildThere })
    turn(stage, false)
    call.closeSocket(BOT, 4006)
    await until(() => link.state === 'reconnecting', 5_000, 'losing it')
    for (let second = 0; second < 60; second++) {
      clock.advance(1_000)
      await pause(0)
    }
    expect([link.state, joins(stage).length]).toEqual(['reconnecting', 1])
    turn(stage, true)
    link.askAgain()
    await isReady(stage)
    expect(joins(stage).length).toBe(2)
    await anna.say(sine(600, 200))
    await until(() => listener.packets.length >= 10, 5_000, 'packets')
  },
)

test('a main gateway that is unavailable for too long: the link ends', async () => {
  const clock = new FakeClock()
  const { stage, link, call } = await ready({ clock, limits: { outageMs: 20_000 } })
  stage.unreachable = true
  call.closeSocket(BOT, 4006)
  await until(() => link.state === 'reconnecting', 5_000, 'losing it')
  for (let second = 0; second < 19; second++) clock.advance(1_000)
  expect(link.state).toBe('reconnecting')
  clock.advance(3_000)
  expect(await link.ended).toEqual({ kind: 'unreachable', attempts: 1 })
})

test('a main gateway that is unavailable while voice works: no connection is closed', async () => {
  const { stage, link, anna, listener } = await ready()
  stage.unreachable = true
  link.askAgain()
  await anna.say(sine(600, 200))
  await until(() => listener.packets.length >= 10, 5_000, 'packets')
  expect(stage.states).toEqual(['ready'])
})

/** The largest receive buffer that Linux allows (bytes); undefined on other systems. */
function largestReceiveBuffer(): number | undefined {
  try {
    return Number(readFileSync('/proc/sys/net/core/rmem_max', 'utf8'))
  } catch {
    return undefined
  }
}

test.skipIf((largestReceiveBuffer() ?? 0) < 1_048_576)(
  'a process that is busy for two seconds while eight people speak loses none of their packets',
  async () => {
    const { stage, call } = await ready()
    const listeners = Array.from({ length: 8 }, () => new Listener())
    const spoken = listeners.map(async (listener, n) => {
      const id = `40000000000000000${n}`
      stage.link.listen(id, listener)
      const user = call.addUser(id)
      await user.joined
      await user.say(sine(600, 2_400))
    })
    await pause(300)
    // The simulated speakers then send all at once what was due, as the network delivers what has been waiting.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000)
    await Promise.all(spoken)
    const packets = 2_400 / 20 + 5
    await until(() => listeners.every(l => l.packets.length === packets), 5_000, 'all packets')
  },
)
