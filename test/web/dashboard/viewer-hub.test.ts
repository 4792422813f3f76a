import { expect, test } from 'vitest'
import { FakeClock } from '../../../src/simulator/fakes/fake-clock.ts'
import { ViewerHub } from '../../../src/web/dashboard/viewer-hub.ts'

/** A viewer: accepts all writes, or none. */
class Viewer {
  read: string[] = []
  unread = 0
  state: 'open' | 'ended' | 'destroyed' = 'open'

  write(text: string): void {
    this.read.push(text)
  }

  end(): void {
    this.state = 'ended'
  }

  destroy(): void {
    this.state = 'destroyed'
  }

  get names(): string[] {
    return this.read.map(text => /^event: (\w+)\ndata: .+\n\n$/.exec(text)?.[1] ?? text)
  }
}

function audience(maxViewers = 3) {
  const clock = new FakeClock()
  const made = { lookouts: 0, disposed: 0, snapshots: 0, deltas: 0, levels: 0 }
  const it = new ViewerHub({
    clock,
    maxViewers,
    feed: () => {
      made.lookouts++
      return {
        get snapshot() {
          return `{"snapshot":${++made.snapshots}}`
        },
        levels: () => (++made.levels % 2 === 0 ? undefined : '[1,2]'),
        delta: () => `{"delta":${++made.deltas}}`,
        [Symbol.dispose]: () => {
          made.disposed++
        },
      }
    },
  })
  return { clock, made, it }
}

test('computes nothing and runs no timer without viewers', () => {
  const { clock, made, it } = audience()
  expect([made.lookouts, clock.pending, it.looking]).toEqual([0, 0, false])
})

test('all viewers receive the same: a snapshot, changed levels four times a second, the rest every second', () => {
  const { clock, made, it } = audience()
  const [first, second] = [new Viewer(), new Viewer()]
  it.add(first)
  it.add(second)
  clock.advance(2_000)
  expect(first.names).toEqual([
    'snapshot',
    ...['levels', 'levels', 'delta'],
    ...['levels', 'levels', 'delta'],
  ])
  expect(second.read.slice(1)).toEqual(first.read.slice(1))
  expect(made).toMatchObject({ lookouts: 1, deltas: 2, levels: 8 })
})

test('keeps the activity feed for viewers that reconnect at once, and closes it a while after the last one left', () => {
  const { clock, made, it } = audience()
  it.add(new Viewer())?.[Symbol.dispose]()
  clock.advance(14_000)
  const back = it.add(new Viewer())
  clock.advance(20_000)
  expect([made.lookouts, made.disposed]).toEqual([1, 0])
  back?.[Symbol.dispose]()
  back?.[Symbol.dispose]()
  clock.advance(15_000)
  expect([made.disposed, clock.pending, it.looking]).toEqual([1, 0, false])
})

test('sends no levels to a slow viewer and finally disconnects it, without affecting others', () => {
  const { clock, it } = audience()
  const [slow, quick] = [new Viewer(), new Viewer()]
  it.add(slow)
  it.add(quick)
  slow.unread = 65_537
  clock.advance(1_000)
  expect(slow.names).toEqual(['snapshot', 'delta'])
  expect(it.stats).toEqual({ viewers: 2, cutOff: 0, skipped: 2, refused: 0 })
  slow.unread = 1_048_577
  clock.advance(1_000)
  expect([slow.state, quick.state, it.stats.viewers]).toEqual(['destroyed', 'open', 1])
  expect(quick.names.filter(name => name === 'delta')).toHaveLength(2)
})

test('rejects viewers above the limit and after the end', () => {
  const { clock, it } = audience(1)
  const viewer = new Viewer()
  expect(it.add(viewer)).toBeDefined()
  expect(it.add(new Viewer())).toBeUndefined()
  it[Symbol.dispose]()
  expect([viewer.state, clock.pending, it.add(new Viewer())]).toEqual(['ended', 0, undefined])
  expect(it.stats.refused).toBe(2)
})
