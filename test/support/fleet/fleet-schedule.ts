import { randomFrom } from '../../../simulator/random.ts'
import { SimulatedFleet } from './simulated-fleet.ts'

const ROOMS = ['one', 'two'] as const
const STEPS = 25

/** The findings of a schedule. */
interface ScheduleResult {
  /** Admissions by nodes that had been replaced before the party asked. */
  readonly faults: number
  readonly admitted: number
  /** Rooms that, after everything was healed, no one could enter, or that have parties at several nodes. */
  readonly lost: string[]
  readonly split: string[]
}

/**
 * Runs one random schedule of `seed`: parties enter two rooms of three nodes, which are paused, killed and started again,
 * and cut off meanwhile, and whose wall clocks jump. In the end, everything is healed.
 */
async function runSchedule(seed: number): Promise<ScheduleResult> {
  const random = randomFrom(seed)
  const fleet = new SimulatedFleet(['a', 'b', 'c'], random)
  for (const node of fleet.nodes) node.start()
  await fleet.pass(600)
  const later = (ms: number, run: () => void) => fleet.schedule(fleet.now + ms, run)
  for (let step = 0; step < STEPS; step++) {
    const node = fleet.nodes[Math.floor(random() * 3)]!
    const room = ROOMS[Math.floor(random() * 2)]!
    const action = random()
    if (action < 0.55) void node.enter(room)
    else if (action < 0.67) {
      node.pause()
      later(200 + random() * 6_000, () => node.wake())
    } else if (action < 0.77) {
      node.kill()
      later(200 + random() * 4_000, () => node.start())
    } else if (action < 0.92) {
      node.cut = true
      later(200 + random() * 14_000, () => node.heal())
    } else node.jumpWallClock((random() - 0.5) * 7_200_000)
    await fleet.pass(random() < 0.4 ? random() * 20 : random() * 1_500)
  }
  await fleet.pass(16_000)
  for (const node of fleet.nodes) {
    if (!node.alive) node.start()
    node.wake()
    node.heal()
  }
  await fleet.pass(12_000)
  const lost: string[] = []
  const split: string[] = []
  for (const room of ROOMS) {
    const homes = fleet.nodes.map(node => node.enter(room))
    await fleet.pass(9_000)
    const at = new Set(await Promise.all(homes))
    if (at.has(undefined)) lost.push(room)
    const withParties = fleet.nodes.filter(({ parties }) => (parties.get(room) ?? 0) > 0)
    if (at.size > 1 || withParties.length > 1) split.push(room)
  }
  return { faults: fleet.faults.length, admitted: fleet.admitted.length, lost, split }
}

/** Runs `count` schedules from seed `first`, and returns those that broke a promise, and how many parties were admitted. */
export async function brokenSchedules(
  first: number,
  count: number,
): Promise<{ broken: object[]; admitted: number }> {
  let admitted = 0
  const broken: object[] = []
  for (let seed = first; seed < first + count; seed++) {
    const result = await runSchedule(seed)
    admitted += result.admitted
    if (result.faults > 0 || result.lost.length > 0 || result.split.length > 0)
      broken.push({ seed, ...result })
  }
  return { broken, admitted }
}
