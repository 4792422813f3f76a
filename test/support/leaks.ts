import { expect } from 'vitest'
import type { FakeClock } from '../../simulator/fakes/fake-clock.ts'
import type { Relay } from '../../src/core/room/relay.ts'
import { until } from './until.ts'

/** Handles that belong to a test; others belong to the test runner itself. */
const OURS = new Set([
  'Timeout',
  'TCPSocketWrap',
  'TCPServerWrap',
  'TCPConnectWrap',
  'TLSWrap',
  'UDPWrap',
  'PipeWrap',
  'ProcessWrap',
  'GetAddrInfoReqWrap',
])

function handles(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo())
    if (OURS.has(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}

/** Watches a whole run: from its creation until `settled`, no new handle can stay open, and no rejection can be unhandled. */
export class LeakWatch implements Disposable {
  readonly #before = handles()
  readonly #unheard: unknown[] = []
  readonly #listen = (reason: unknown) => void this.#unheard.push(reason)

  constructor() {
    process.on('unhandledRejection', this.#listen)
  }

  /** Waits until timers, sockets and children are gone; names the remaining ones. */
  async settled(ms = 10_000): Promise<void> {
    try {
      await until(() => this.left.length === 0, ms, 'that everything is closed')
    } catch {
      expect(this.left).toEqual([])
    }
    expect(this.#unheard).toEqual([])
    this[Symbol.dispose]()
  }

  /** Kinds of handles of which there are more than before, with their number. */
  get left(): string[] {
    return [...handles()].flatMap(([kind, count]) => {
      const more = count - (this.#before.get(kind) ?? 0)
      return more > 0 ? [`${more} × ${kind}`] : []
    })
  }

  [Symbol.dispose](): void {
    process.off('unhandledRejection', this.#listen)
  }
}

/** Invariants of any closed relay: no participants, nothing kept, and every start has its end. */
export function expectEmpty(relay: Relay, clock?: FakeClock): void {
  const { metrics } = relay
  expect(relay.legs, 'legs').toBe(0)
  expect(relay.rooms.size, 'rooms').toBe(0)
  expect(relay.replayFragments, 'fragments in replay rings').toBe(0)
  expect(metrics.legsEnded, 'legs ended').toBe(metrics.legsAdmitted)
  expect(metrics.sessionsEnded, 'sessions ended').toBe(metrics.sessionsOpened)
  if (clock) expect(clock.pending, 'timers').toBe(0)
}
