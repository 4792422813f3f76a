import { expect, test } from 'vitest'
import { Board } from '../../../src/web/dashboard/page/board.ts'
import type { Delta, LegFigures, NodeView, Snapshot } from '../../../src/web/dashboard/protocol.ts'

const leg = (n: number, room: string) => ({ n, id: `leg ${n}`, room }) as LegFigures
const event = (id: number, at: number, text: string) =>
  ({ id, at, text, kind: 'room', room: null, who: null, bad: false }) as const
const utterance = (id: number, at: number) =>
  ({ id, at, room: 'r', speaker: 's', listener: 'l', latencyMs: 1, stages: null }) as const

function snapshot(changes: Partial<Snapshot>): Snapshot {
  const health = { cpuPercent: 1 } as Snapshot['health']
  const nothing = { rooms: [], legs: [], events: [], utterances: [], quantiles: [], calls: [] }
  return { at: 1, ...nothing, health, ...changes }
}

function delta(changes: Partial<Delta>): Delta {
  const health = { cpuPercent: 2 } as Delta['health']
  const lists = { rooms: [], legs: [], goneRooms: [], goneLegs: [], lag: [], events: [], utterances: [] }
  return { at: 2, ...lists, missed: 0, quantiles: [], health, ...changes }
}

const room = (name: string) => ({ name, since: 0, sessions: 0, recording: null })
const nodeView = (node: string, self: boolean) => ({ node, self }) as NodeView

test('merges rooms and legs of nodes that number them alike', () => {
  const board = new Board()
  board.snapshot(snapshot({ rooms: [room('one')], legs: [{ ...leg(1, 'one'), level: 10, lag: [] }] }))
  board.snapshot(snapshot({ rooms: [room('two')], legs: [{ ...leg(1, 'two'), level: 20, lag: [] }] }), 'b')
  expect([...board.rooms.keys()]).toEqual(['one', 'two'])
  const legs = [...board.legs.values()]
  expect(legs.map(({ figures, level }) => [figures.room, level])).toEqual([
    ['one', 10],
    ['two', 20],
  ])
  expect(new Set(legs.map(({ figures }) => figures.n)).size).toBe(2)
  for (const [n, { figures }] of board.legs) expect(figures.n).toBe(n)

  board.levels([1, 70], 'b')
  board.delta(delta({ lag: [1, 300], legs: [{ ...leg(1, 'two'), name: 'Ann' }] }), 'b')
  const [own, other] = [...board.legs.values()]
  expect([own!.level, own!.lagMs, own!.curve.points.length]).toEqual([10, 0, 0])
  expect([other!.level, other!.lagMs, other!.figures.name, other!.curve.points.length]).toEqual([
    70,
    300,
    'Ann',
    1,
  ])

  board.delta(delta({ goneLegs: [1], goneRooms: ['two'] }))
  expect([...board.rooms.keys()]).toEqual(['one', 'two'])
  board.delta(delta({ goneLegs: [1], goneRooms: ['two'] }), 'b')
  expect([[...board.rooms.keys()], board.legs.size]).toEqual([['one'], 0])
})

test('merges events by time and then by arrival, each once', () => {
  const board = new Board()
  board.snapshot(snapshot({ events: [event(7, 10, 'a'), event(8, 30, 'c')], utterances: [utterance(3, 10)] }))
  board.snapshot(snapshot({ events: [event(1, 20, 'b')], utterances: [utterance(1, 5)] }), 'b')
  expect(board.events.map(({ text }) => text)).toEqual(['a', 'b', 'c'])
  expect(board.utterances.map(({ at }) => at)).toEqual([5, 10])
  board.delta(delta({ events: [event(1, 20, 'b'), event(2, 40, 'd')] }), 'b')
  board.delta(delta({ events: [event(8, 30, 'c'), event(9, 35, 'e')], utterances: [utterance(4, 36)] }))
  expect(board.events.map(({ text }) => text)).toEqual(['a', 'b', 'c', 'd', 'e'])
  const ids = board.events.map(({ id }) => id)
  expect(ids).toEqual(ids.toSorted((a, b) => a - b))
  expect(new Set(ids).size).toBe(5)
  board.gone('b')
  expect(board.events.map(({ text }) => text)).toEqual(['a', 'c', 'e'])
  expect(board.utterances.map(({ at }) => at)).toEqual([10, 36])
})

test('keeps percentiles and health of its own server, and knows those of others by name', () => {
  const board = new Board()
  board.snapshot(snapshot({ at: 100 }))
  board.nodes = [nodeView('a', true), nodeView('b', false)]
  board.snapshot(snapshot({ at: 900, quantiles: [{ at: 5, count: 1, p50: 1, p90: 1, p99: 1 }] }), 'b')
  board.delta(delta({ at: 901 }), 'b')
  expect([board.at, board.quantiles, board.health.map(({ cpuPercent }) => cpuPercent)]).toEqual([
    100,
    [],
    [1],
  ])
  expect(board.nodes.map(each => board.healthOf(each)?.cpuPercent)).toEqual([1, 2])
  expect([board.nameOf(''), board.nameOf('b')]).toEqual(['a', 'b'])
  board.gone('b')
  expect(board.healthOf(board.nodes[1]!)).toBeUndefined()
})

test('starts anew with the first message of another connection', () => {
  const board = new Board()
  board.snapshot(snapshot({ rooms: [room('one')] }))
  board.nodes = [nodeView('a', true)]
  board.snapshot(snapshot({ rooms: [room('two')], events: [event(1, 1, 'x')] }), 'b')
  board.snapshot(snapshot({ rooms: [room('two')] }))
  expect([[...board.rooms.values()].map(({ node }) => node), board.events, board.nodes]).toEqual([
    [''],
    [],
    [],
  ])
  expect(board.nameOf('')).toBeUndefined()
})
