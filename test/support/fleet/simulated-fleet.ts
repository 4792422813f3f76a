import { WriteConflict } from '../../../src/fleet/key-value-store.ts'
import { keyOf, SimulatedNode } from './simulated-node.ts'

/** Awaits that let all promises of one event settle. */
const SETTLING = 40

interface Due {
  readonly at: number
  readonly order: number
  readonly run: () => void
}

/** An admission of a party to a room. */
export interface Admitted {
  readonly room: string
  readonly node: string
  readonly epoch: number | undefined
  /** Time of the request (simulated ms). */
  readonly began: number
}

/** A write to the store that made a node home. */
interface HomeWrite {
  readonly key: string
  readonly incarnation: string
  readonly epoch: number
  readonly at: number
}

/**
 * A fleet in simulated time: real registrars, members and room homes on a simulated store and bus, whose messages are
 * late, lost or answered in vain. Nodes can be paused, killed, cut off, and have their own clocks.
 */
export class SimulatedFleet {
  now = 0
  readonly nodes: SimulatedNode[]
  readonly random: () => number
  readonly admitted: Admitted[] = []
  readonly writes: HomeWrite[] = []
  readonly entries = new Map<string, { value: string | undefined; revision: number }>()
  revision = 0
  readonly #due: Due[] = []
  #order = 0

  constructor(names: readonly string[], random: () => number) {
    this.random = random
    this.nodes = names.map(name => new SimulatedNode(this, name))
  }

  /** Runs `run` at `at` (simulated ms). */
  schedule(at: number, run: () => void): Due {
    const due = { at: Math.max(at, this.now), order: this.#order++, run }
    let index = this.#due.length
    while (index > 0 && this.#due[index - 1]!.at > due.at) index--
    this.#due.splice(index, 0, due)
    return due
  }

  cancel(due: Due): void {
    const index = this.#due.indexOf(due)
    if (index >= 0) this.#due.splice(index, 1)
  }

  /** Lets `ms` of simulated time pass. */
  async pass(ms: number): Promise<void> {
    const until = this.now + ms
    for (;;) {
      const next = this.#due[0]
      if (!next || next.at > until) break
      this.#due.shift()
      this.now = next.at
      next.run()
      for (let turn = 0; turn < SETTLING; turn++) await null
    }
    this.now = until
  }

  /** Admissions under an epoch that had been superseded before the party asked. */
  get faults(): Admitted[] {
    return this.admitted.filter(({ room, epoch, began }) =>
      this.writes.some(
        write =>
          write.key === keyOf(`room ${room}`) &&
          epoch !== undefined &&
          write.epoch > epoch &&
          write.at < began,
      ),
    )
  }

  /** Changes an entry as the store does. Throws `WriteConflict`. */
  change(key: string, value: string | undefined, revision: number | undefined): number {
    const before = this.entries.get(key)
    if (revision !== undefined && (before?.revision ?? 0) !== revision) throw new WriteConflict(key, revision)
    const next = ++this.revision
    this.entries.set(key, { value, revision: next })
    if (value !== undefined) {
      const { incarnation, epoch = next } = JSON.parse(value) as { incarnation: string; epoch?: number }
      this.writes.push({ key, incarnation, epoch, at: this.now })
    }
    for (const node of this.nodes) node.watched(key, { value, revision: next })
    return next
  }
}
