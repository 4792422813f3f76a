import { describe, expect, test } from 'vitest'
import { PhoneLine, type SimulatedCall } from '../../simulator/index.ts'
import { randomFrom } from '../../simulator/random.ts'
import { hears } from '../support/e2e/phone-listener.ts'
import { FleetNodes, heardBy } from '../support/fleet/fleet-nodes.ts'
import { NATS_SERVER, NatsServers } from '../support/fleet/nats-servers.ts'
import { SilentLink } from '../support/fleet/silent-link.ts'
import { pause, until } from '../support/until.ts'

const ROOMS = 6
const NAMES = ['a', 'b', 'c'] as const
/** Time for which a node stays lost after its calls stream again (ms). */
const LOST_MS = 10_000

const KEY = 'a-key-of-the-desk-0123456789'

const SETTINGS = { control: { keys: [{ name: 'desk', key: KEY }] } }
/** The proxy tests each node every second, and gives it up after three failures. */
const CHECK_MS = 1_000
const FALL = 3

type Pair = readonly [SimulatedCall, SimulatedCall]

/** A fleet behind a proxy with health checks. Each node is reached, and reaches NATS, over links that can be cut. */
class LossyFleet implements AsyncDisposable {
  readonly fleet: FleetNodes
  readonly #links: ReadonlyMap<string, readonly SilentLink[]>
  readonly #line = new PhoneLine()
  readonly #stack: AsyncDisposableStack

  private constructor(
    fleet: FleetNodes,
    links: ReadonlyMap<string, readonly SilentLink[]>,
    stack: AsyncDisposableStack,
  ) {
    this.fleet = fleet
    this.#links = links
    this.#stack = stack
  }

  static async start(): Promise<LossyFleet> {
    await using stack = new AsyncDisposableStack()
    const nats = stack.use(await NatsServers.start())
    const natsPort = Number(nats.addresses[0]!.split(':')[1])
    const links = new Map<string, readonly [SilentLink, SilentLink]>()
    for (const name of NAMES)
      links.set(name, [stack.use(await SilentLink.open()), stack.use(await SilentLink.open(natsPort))])
    const fleet = stack.use(
      await FleetNodes.start({
        ...{ nats, random: randomFrom(8), settings: SETTINGS },
        portOf: name => links.get(name)![0].port,
        settingsOf: name => {
          const [way, toNats] = links.get(name)!
          return {
            fleet: {
              address: `http://127.0.0.1:${way.port}`,
              nats: { servers: [`127.0.0.1:${toNats.port}`], replicas: 1 },
            },
          }
        },
      }),
    )
    for (const { name, port } of fleet.nodes) links.get(name)?.[0].leadTo(port)
    fleet.proxy.startHealthChecks(CHECK_MS, FALL)
    return new LossyFleet(fleet, links, stack.move())
  }

  call(room: string, language: 'en-us' | 'es-es'): Promise<SimulatedCall> {
    return this.fleet.call(room, language, { line: this.#line })
  }

  async pairs(): Promise<Pair[]> {
    const pairs: Pair[] = []
    for (let at = 0; at < ROOMS; at++)
      pairs.push(await Promise.all([this.call(`room ${at}`, 'en-us'), this.call(`room ${at}`, 'es-es')]))
    return pairs
  }

  /** Numbers of the rooms whose home is node `a`. */
  async roomsAtA(): Promise<Set<number>> {
    const answer = await fetch(`http://127.0.0.1:${this.fleet.node('b').port}/v1/fleet`, {
      headers: { authorization: `Bearer ${KEY}` },
    })
    const { rooms } = (await answer.json()) as { rooms: { name: string; node: string }[] }
    return new Set(rooms.filter(({ node }) => node === 'a').map(({ name }) => Number(name.split(' ')[1])))
  }

  /** The network of the node is lost, without a reset. */
  async cut(name: string): Promise<void> {
    await Promise.all(this.#links.get(name)!.map(link => link.cut()))
  }

  restore(name: string): void {
    for (const link of this.#links.get(name)!) link.restore()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync()
  }
}

/** In all rooms, both hear each other translated. */
async function allTalk(pairs: readonly Pair[]): Promise<void> {
  await Promise.all(
    pairs.map(async ([one, other]) => {
      for (const call of [one, other]) call.forget(performance.now() - 1_000)
      await heardBy(one, 400, other, 'es-es', hears)
      await heardBy(other, 700, one, 'en-us', hears)
    }),
  )
}

const streamsOf = (call: SimulatedCall) => call.report().streams.length

/** Loses node `a` by `lose`; resolves to the times until each of its calls had a new stream (ms). */
async function lossOfA(
  lossy: LossyFleet,
  pairs: readonly Pair[],
  lose: () => Promise<void>,
): Promise<number[]> {
  const rooms = await lossy.roomsAtA()
  const atA = pairs.filter((_, room) => rooms.has(room)).flat()
  expect(atA.length).toBeGreaterThan(0)
  const before = new Map(atA.map(call => [call, streamsOf(call)]))
  const times = new Map<SimulatedCall, number>()
  const lostAt = performance.now()
  await lose()
  // New callers do not wait for the streams.
  const caller = await lossy.call('a new room', 'en-us')
  await until(
    () => {
      for (const call of atA) {
        if (!call.live) throw new Error('a call is over')
        if (!times.has(call) && streamsOf(call) > before.get(call)!)
          times.set(call, performance.now() - lostAt)
      }
      return times.size === atA.length
    },
    60_000,
    'new streams',
  )
  await caller.hangUp()
  return [...times.values()]
}

describe.skipIf(NATS_SERVER === undefined)('a node that is lost without a reset', () => {
  test('because of its network: its calls continue elsewhere, and no room is split after its return', async () => {
    await using lossy = await LossyFleet.start()
    const pairs = await lossy.pairs()
    await allTalk(pairs)
    const times = await lossOfA(lossy, pairs, () => lossy.cut('a'))
    await allTalk(pairs)
    await pause(LOST_MS)
    lossy.restore('a')
    await pause(5_000)
    await allTalk(pairs)
    expect(pairs.flat().every(({ live }) => live)).toBe(true)
    expect(Math.max(...times)).toBeLessThan(10_000)
  })

  test('because its process is stopped: likewise', async () => {
    await using lossy = await LossyFleet.start()
    const pairs = await lossy.pairs()
    await allTalk(pairs)
    const node = lossy.fleet.node('a')
    const times = await lossOfA(lossy, pairs, () => node.signal('SIGSTOP'))
    await allTalk(pairs)
    await pause(LOST_MS)
    await node.signal('SIGCONT')
    await pause(5_000)
    await allTalk(pairs)
    expect(pairs.flat().every(({ live }) => live)).toBe(true)
    expect(Math.max(...times)).toBeLessThan(10_000)
  })
})
