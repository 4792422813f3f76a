import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SimulatedCall } from '../../simulator/index.ts'
import { randomFrom } from '../../simulator/random.ts'
import { showFleet } from '../../src/cli/fleet.ts'
import type { Terminal } from '../../src/cli/terminal.ts'
import type { DashboardState } from '../../src/web/dashboard/state.ts'
import { hears } from '../support/e2e/phone-listener.ts'
import { FleetNodes, heardBy } from '../support/fleet/fleet-nodes.ts'
import { NATS_SERVER, NatsServers } from '../support/fleet/nats-servers.ts'
import { until } from '../support/until.ts'

const KEY = 'a-key-of-the-desk-0123456789'
const ROOM = '/v1/rooms/desk%200'

describe.skipIf(NATS_SERVER === undefined)('the control API of a fleet', () => {
  let nats: NatsServers
  let fleet: FleetNodes
  let calls: SimulatedCall[]
  /** The node at which the room is, and another one. */
  let home: string
  let other: string

  beforeAll(async () => {
    nats = await NatsServers.start()
    const control = { keys: [{ name: 'desk', key: KEY }] }
    fleet = await FleetNodes.start({ nats, names: ['a', 'b'], settings: { control }, random: randomFrom(4) })
    calls = await Promise.all([fleet.call('desk 0', 'en-us'), fleet.call('desk 0', 'es-es')])
    await heardBy(calls[0]!, 400, calls[1]!, 'es-es', hears)
    const { rooms } = await get('a', '/v1/fleet')
    expect(rooms).toHaveLength(1)
    home = rooms[0].node
    other = home === 'a' ? 'b' : 'a'
  })
  afterAll(async () => {
    await fleet?.[Symbol.asyncDispose]()
    await nats?.[Symbol.asyncDispose]()
  })

  const ask = (node: string, path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${fleet.node(node).port}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${KEY}`, ...init.headers },
    })
  // biome-ignore lint/suspicious/noExplicitAny: answers are checked by what the test reads.
  const get = async (node: string, path: string): Promise<any> => {
    const answer = await ask(node, path)
    expect(answer.status, path).toBe(200)
    return answer.json()
  }

  test('lists the nodes and the homes of rooms', async () => {
    for (const node of ['a', 'b']) {
      const answer = await get(node, '/v1/fleet')
      expect(answer).toMatchObject({
        node,
        status: 'up',
        rooms: [{ name: 'desk 0', node: home }],
        missing: [],
      })
      expect(answer.nodes.map((each: { node: string }) => each.node)).toEqual(['a', 'b'])
      const { nodes } = answer as { nodes: { node: string; legs: number; rooms: number }[] }
      expect(nodes.find(each => each.node === home)).toMatchObject({ legs: 2, rooms: 1 })
    }
  })

  test('prints them on the command line', async () => {
    const lines: string[] = []
    const terminal = { line: (text: string) => void lines.push(text) } as unknown as Terminal
    await showFleet({ server: `http://127.0.0.1:${fleet.node(other).port}`, key: KEY }, terminal)
    const text = lines.join('\n')
    expect(text).toMatch(new RegExp(`node +${other}`))
    expect(text).toMatch(new RegExp(`${home} +up +2 +1 `))
    expect(text).toMatch(new RegExp(`desk 0 +${home}`))
    const wrong = showFleet({ server: `http://127.0.0.1:${fleet.node('a').port}`, key: 'wrong' }, terminal)
    await expect(wrong).rejects.toThrow('the key was rejected')
  })

  test('answers at any node about a room and its participants', async () => {
    for (const node of ['a', 'b']) {
      expect(await get(node, ROOM)).toMatchObject({ state: 'open', participants: 2 })
      const { rooms } = await get(node, '/v1/rooms')
      expect(rooms).toMatchObject([{ name: 'desk 0', state: 'open', participants: 2 }])
    }
    const { participants } = await get(other, `${ROOM}/participants`)
    expect(participants).toHaveLength(2)
    const [{ id }] = participants
    expect(id).toContain(`-${home}-`)
    expect(await get(other, `/v1/participants/${id}`)).toMatchObject({ id, room: 'desk 0' })
    expect((await ask(other, '/v1/participants/twilio-z-1')).status).toBe(404)
    expect((await ask(other, '/v1/rooms/nowhere')).status).toBe(404)
  })

  test('lists rooms page by page, wherever they are', async () => {
    // A second room at the same node.
    fleet.proxy.unhealthy.add(other)
    const late = await fleet.call('desk 1', 'en-us')
    fleet.proxy.unhealthy.clear()
    await until(
      async () => (await ask(other, '/v1/rooms/desk%201')).status === 200,
      10_000,
      'the second room',
    )
    const first = await get(other, '/v1/rooms?limit=1')
    expect(first).toMatchObject({ rooms: [{ name: 'desk 0' }], next: 'desk 0' })
    const second = await get(other, '/v1/rooms?limit=1&after=desk%200')
    expect(second).toMatchObject({ rooms: [{ name: 'desk 1' }] })
    await late.hangUp()
  })

  test('reads captions and transcripts at any node', async () => {
    const captions = await ask(other, `${ROOM}/captions`)
    expect(captions.headers.get('content-type')).toContain('text/event-stream')
    const reader = captions.body!.getReader()
    let text = ''
    const reading = (async () => {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        text += Buffer.from(value).toString()
      }
    })()
    await until(() => text.includes('event: caption'), 10_000, 'captions')
    await reader.cancel()
    await reading
    const { transcripts } = await get(other, '/v1/transcripts')
    const desk = transcripts.find(({ room }: { room: string }) => room === 'desk 0')
    expect(desk).toBeDefined()
    expect((await get(other, `/v1/transcripts/${desk.id}`)).room).toBe('desk 0')
  })

  test('lists the join codes of a room, whichever node has issued them', async () => {
    const codes: string[] = []
    for (const node of [home, other]) {
      const made = await ask(node, `${ROOM}/codes`, { method: 'POST' })
      expect(made.status).toBe(201)
      codes.push(((await made.json()) as { code: string }).code)
    }
    for (const node of ['a', 'b']) {
      const { codes: listed } = await get(node, `${ROOM}/codes`)
      expect(listed.map(({ code }: { code: string }) => code).sort()).toEqual(codes.toSorted())
    }
    expect((await ask(other, `${ROOM}/codes/${codes[0]}`, { method: 'DELETE' })).status).toBe(200)
    const { codes: left } = await get(home, `${ROOM}/codes`)
    expect(left).toMatchObject([{ code: codes[1], room: 'desk 0' }])
  })

  test('shows the rooms and participants of all nodes on the dashboard of each', async () => {
    for (const node of ['a', 'b']) {
      const { nodes }: DashboardState = await get(node, '/dashboard/state')
      expect(nodes.map(each => each.node)).toEqual(node === 'a' ? ['a', 'b'] : ['b', 'a'])
      expect(nodes).toMatchObject([{ status: 'up' }, { status: 'up' }])
      const rooms = nodes.find(each => each.node === home)!.state!.rooms
      expect(rooms.find(({ name }) => name === 'desk 0')?.participants).toHaveLength(2)
    }
  })

  test('rejects a wrong key before it asks another node', async () => {
    const answer = await ask(other, ROOM, { headers: { authorization: 'Bearer wrong-key-0123456789012345' } })
    expect(answer.status).toBe(401)
  })

  test('changes a participant and ends the room from another node', async () => {
    const { participants } = await get(other, `${ROOM}/participants`)
    const change = await ask(other, `/v1/participants/${participants[0].id}`, {
      method: 'PATCH',
      body: JSON.stringify({ name: 'Ann' }),
      headers: { 'content-type': 'application/json' },
    })
    expect(change.status).toBe(200)
    expect(await get(home, `/v1/participants/${participants[0].id}`)).toMatchObject({ name: 'Ann' })
    expect((await ask(other, ROOM, { method: 'DELETE' })).status).toBe(200)
    await until(() => calls.every(({ live }) => !live), 10_000, 'the end of the calls')
  })

  test('counts in the metrics', async () => {
    const metrics = await (await ask(home, '/metrics')).text()
    expect(metrics).toMatch(/^dragoman_fleet_up 1$/m)
    expect(metrics).toMatch(/^dragoman_fleet_nodes\{state="up"\} 2$/m)
    expect(metrics).toMatch(/^dragoman_fleet_claims_total\{result="home"\} [1-9]/m)
  })
})
