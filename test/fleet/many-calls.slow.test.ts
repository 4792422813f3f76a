import { describe, expect, test } from 'vitest'
import { PhoneLine, type SimulatedCall } from '../../src/simulator/index.ts'
import { randomFrom } from '../../src/simulator/random.ts'
import { hears } from '../support/e2e/phone-listener.ts'
import { FleetNodes, heardBy } from '../support/fleet/fleet-nodes.ts'
import { NATS_SERVER, NatsServers } from '../support/fleet/nats-servers.ts'
import { pause, until } from '../support/until.ts'

const ROOMS = Number(process.env.FLEET_ROOMS ?? 150)
const KILLS = Number(process.env.FLEET_KILLS ?? 20)
/** Rooms in which people talk at the same time: the machine has to synthesize all translations. */
const TALKING = 10

/** A phone in a room, and the interruptions of its stream. */
interface Caller {
  readonly call: SimulatedCall
  /** Time at which media last left the phone for the bridge (ms of `performance.now`). */
  sentAt: number
  /** Intervals without media since the last look (ms). */
  readonly gaps: number[]
  /** Streams at the last look. */
  streams: number
}

interface Room {
  readonly callers: readonly [Caller, Caller]
}

/** Media leaves a phone every 20 ms; a longer interval than this is an interruption of its stream (ms). */
const INTERRUPTED_MS = 80

async function caller(
  fleet: FleetNodes,
  line: PhoneLine,
  room: string,
  language: 'en-us' | 'es-es',
): Promise<Caller> {
  const caller: Omit<Caller, 'call'> = { sentAt: 0, gaps: [], streams: 1 }
  const call = await fleet.call(room, language, {
    line,
    onSent: (_due, now) => {
      if (caller.sentAt > 0 && now - caller.sentAt > INTERRUPTED_MS) caller.gaps.push(now - caller.sentAt)
      caller.sentAt = now
    },
  })
  return Object.assign(caller, { call })
}

async function gather(fleet: FleetNodes, line: PhoneLine): Promise<Room[]> {
  const rooms: Room[] = []
  for (let first = 0; first < ROOMS; first += 10)
    rooms.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(10, ROOMS - first) }, async (_, at) => {
          const name = `room ${first + at}`
          return {
            callers: await Promise.all([
              caller(fleet, line, name, 'en-us'),
              caller(fleet, line, name, 'es-es'),
            ]),
          }
        }),
      )),
    )
  return rooms
}

/** In all rooms, some at a time, both hear each other translated. */
async function allTalk(rooms: readonly Room[]): Promise<void> {
  for (let first = 0; first < rooms.length; first += TALKING)
    await Promise.all(
      rooms.slice(first, first + TALKING).map(async ({ callers: [one, other] }) => {
        for (const { call } of [one, other]) call.forget(performance.now() - 1_000)
        await heardBy(one.call, 400, other.call, 'es-es', hears)
        await heardBy(other.call, 700, one.call, 'en-us', hears)
      }),
    )
}

const callersOf = (rooms: readonly Room[]) => rooms.flatMap(({ callers }) => callers)

/** Resolves when all phones have sent media within the last moment. */
function streaming(rooms: readonly Room[], ms: number): Promise<unknown> {
  const over = () => callersOf(rooms).filter(({ call }) => !call.live)
  return until(
    () => {
      if (over().length > 0) throw new Error(`${over().length} calls are over`)
      const now = performance.now()
      return callersOf(rooms).every(({ sentAt }) => now - sentAt < INTERRUPTED_MS)
    },
    ms,
    'that all stream again',
  )
}

/** Takes the gaps seen since the last time: the longest of each phone. */
function takeGaps(rooms: readonly Room[]): number[] {
  return callersOf(rooms).flatMap(caller => {
    const { gaps } = caller
    const longest = Math.max(0, ...gaps)
    gaps.length = 0
    const streams = caller.call.report().streams.length
    const renewed = streams > caller.streams
    caller.streams = streams
    return renewed ? [longest] : []
  })
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0)
}

const summary = (gaps: readonly number[]) =>
  `${gaps.length} calls, p50 ${quantile(gaps, 0.5)}, p99 ${quantile(gaps, 0.99)}, max ${quantile(gaps, 1)} ms`

describe.skipIf(NATS_SERVER === undefined)('many calls on three nodes and three NATS servers', () => {
  test('survive the loss of nodes, rolling restarts and the loss of NATS', async () => {
    await using nats = await NatsServers.start({ size: 3 })
    await using fleet = await FleetNodes.start({ nats, replicas: 3, random: randomFrom(5) })
    const line = new PhoneLine()
    const random = randomFrom(6)
    const began = performance.now()
    const rooms = await gather(fleet, line)
    console.log(`${rooms.length * 2} calls placed in ${Math.round(performance.now() - began)} ms`)
    await allTalk(rooms)
    const live = () => callersOf(rooms).filter(({ call }) => call.live).length
    expect(live()).toBe(rooms.length * 2)
    await pause(1_000)
    takeGaps(rooms)

    const killed: number[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      const node = fleet.nodes[Math.floor(random() * 3)]!
      await node.signal('SIGKILL')
      await streaming(rooms, 30_000)
      await pause(1_000)
      await streaming(rooms, 30_000)
      const gaps = takeGaps(rooms)
      killed.push(...gaps)
      console.log(`kill ${kill + 1} of ${node.name}: ${summary(gaps)}`)
      await node.restart()
      if (kill % 5 === 0) await allTalk(rooms)
    }
    await allTalk(rooms)
    console.log(`kill -9: ${summary(killed)}`)
    expect(live()).toBe(rooms.length * 2)
    expect(quantile(killed, 0.99)).toBeLessThan(2_000)

    takeGaps(rooms)
    for (let round = 0; round < 2; round++)
      for (const node of fleet.nodes) {
        await node.signal('SIGTERM')
        await node.restart()
        await streaming(rooms, 30_000)
        console.log(`restart of ${node.name}: ${summary(takeGaps(rooms))}`)
      }
    await allTalk(rooms)
    expect(live()).toBe(rooms.length * 2)

    takeGaps(rooms)
    for (const index of [0, 1, 2]) await nats.signal(index, 'SIGKILL')
    await pause(60_000)
    for (const index of [0, 1, 2]) nats.launch(index)
    await nats.ready()
    await allTalk(rooms)
    console.log(`all NATS servers away for 60 s: ${summary(takeGaps(rooms))}`)
    expect(live()).toBe(rooms.length * 2)
    await Promise.all(callersOf(rooms).map(({ call }) => call.hangUp()))
  })
})
