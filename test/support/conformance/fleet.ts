import { expect } from 'vitest'
import { z } from 'zod'
import { BridgeError } from '../../../src/common/errors.ts'
import type { Fleet, Quota } from '../../../src/core/model/fleet.ts'
import { pause, until } from '../until.ts'
import type { Check, Checks } from './suite.ts'

/** Two nodes of one fleet, both up. */
export interface FleetSubject {
  readonly nodes: readonly [Fleet, Fleet]
  /** Maximum time for an effect at the other node (ms). */
  readonly patienceMs: number
  /** Time to wait for something that must not arrive (ms). */
  readonly quietMs: number
}

const counter = z.object({ count: z.number() })
let names = 0
/** A name that no other check uses. */
const fresh = (what: string) => `${what} ${++names}`

/** Code of the error with which `work` rejects. */
async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(BridgeError)
  return (error as BridgeError).code
}

async function epochOf(fleet: Fleet, name: string): Promise<number> {
  const claim = await fleet.registrar.claim(name)
  expect(claim.kind).toBe('home')
  return claim.epoch
}

/** Takes single units in turn until nothing remains, and returns how many. At most 50. */
async function takenOf(quotas: readonly Quota[]): Promise<number> {
  let taken = 0
  for (let failures = 0; failures < 6; failures++) {
    for (const quota of quotas)
      if (taken < 50 && quota.take(1)) {
        taken++
        failures = 0
      }
    if (taken === 50) break
    // Until the next chunk has been leased.
    await pause(10)
  }
  return taken
}

/** The guarantees of one node. */
export const nodeChecks: Checks<Fleet> = {
  async 'keeps the epoch of a name until it is released'(fleet) {
    const name = fresh('room')
    const first = await epochOf(fleet, name)
    expect(await epochOf(fleet, name)).toBe(first)
    expect(await fleet.registrar.confirm(name, first)).toBe(true)
    expect(await fleet.registrar.confirm(name, first + 1)).toBe(false)
    expect(fleet.registrar.held.get(name)).toBe(first)
    await fleet.registrar.release(name, first)
    await fleet.registrar.release(name, first)
    expect(fleet.registrar.held.has(name)).toBe(false)
    expect(await fleet.registrar.confirm(name, first)).toBe(false)
    expect(await epochOf(fleet, name)).toBeGreaterThan(first)
  },
  async 'creates an entry once and replaces it only at its revision'(fleet) {
    const table = fleet.table('day', fresh('table'), counter)
    expect(await table.get('key')).toBeUndefined()
    const first = await table.create('key', { count: 1 })
    expect(first).toBeDefined()
    expect(await table.create('key', { count: 2 })).toBeUndefined()
    const second = await table.replace('key', { count: 3 }, first!)
    expect(await table.replace('key', { count: 4 }, first!)).toBeUndefined()
    expect(await table.get('key')).toEqual({ value: { count: 3 }, revision: second })
    await table.put('key', { count: 5 })
    expect((await table.get('key'))?.value).toEqual({ count: 5 })
  },
  async 'forgets a deleted entry, which can be created again'(fleet) {
    const table = fleet.table('day', fresh('table'), counter)
    await table.delete('key')
    await table.create('key', { count: 1 })
    await table.delete('key')
    expect(await table.get('key')).toBeUndefined()
    expect(await table.create('key', { count: 2 })).toBeDefined()
    expect((await table.get('key'))?.value).toEqual({ count: 2 })
  },
  async 'keeps tables apart'(fleet) {
    const one = fleet.table('week', fresh('table'), counter)
    const two = fleet.table('week', fresh('table'), counter)
    await one.put('key', { count: 1 })
    await two.put('key', { count: 2 })
    await two.put('other', { count: 3 })
    expect((await one.get('key'))?.value).toEqual({ count: 1 })
    expect([...(await one.entries()).keys()]).toEqual(['key'])
    expect([...(await two.entries())].map(([key, { value }]) => [key, value.count]).sort()).toEqual([
      ['key', 2],
      ['other', 3],
    ])
  },
  async 'takes no more than a quota, and starts again with a period'(fleet) {
    let period = 'one'
    await using quota = fleet.quota(fresh('minutes'), { limit: 10, chunk: 5, period: () => period })
    await quota.ready
    const takeAll = () => takenOf([quota])
    expect(await takeAll()).toBe(10)
    quota.giveBack(1)
    expect(quota.take(1)).toBe(true)
    expect(quota.take(1)).toBe(false)
    period = 'two'
    expect(await takeAll()).toBe(10)
  },
  async 'gives as many slots as there are'(fleet) {
    const slots = fleet.slots(fresh('calls'), 2)
    expect([await slots.take(), await slots.take(), await slots.take()]).toEqual([true, true, false])
    await slots.release()
    expect([await slots.take(), await slots.take()]).toEqual([true, false])
  },
  async 'rejects requests that nobody answers at once'(fleet) {
    using _answer = fleet.exchange.answer('double', z.number(), body => body * 2)
    expect(await codeOf(fleet.exchange.ask('nobody', 'double', 4))).toBe('NODE_GONE')
    expect(() => fleet.exchange.answer('double', z.number(), body => body)).toThrow('has a handler already')
  },
  async 'digests a text to 27 characters that tell nothing'(fleet) {
    expect(fleet.digest('+15550100001')).toMatch(/^[\w-]{27}$/)
    expect(fleet.digest('+15550100001')).toBe(fleet.digest('+15550100001'))
    expect(fleet.digest('+15550100002')).not.toBe(fleet.digest('+15550100001'))
  },
}

/** Asks, again while `node` does not listen yet. */
async function asked(from: Fleet, node: Fleet, what: string, body: unknown): Promise<unknown> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await from.exchange.ask(node.node, what, body)
    } catch (error) {
      if (attempt === 50 || (error as BridgeError).code !== 'NODE_GONE') throw error
      await pause(20)
    }
  }
}

/** Both nodes know each other. */
async function join({ nodes: [one, two], patienceMs }: FleetSubject, draining = () => false): Promise<void> {
  one.join(() => ({ address: 'http://127.0.0.1:1', legs: 3, rooms: 2, draining: draining() }))
  two.join(() => ({ address: 'http://127.0.0.1:2', legs: 0, rooms: 0, draining: false }))
  const sees = (from: Fleet, other: Fleet) =>
    from.nodes.some(({ node, address }) => node === other.node && address !== '')
  await until(() => sees(one, two) && sees(two, one), patienceMs, 'heartbeats')
}

/** The guarantees of all nodes together. */
const togetherChecks: Checks<FleetSubject> = {
  async 'makes one of two nodes home'({ nodes: [one, two] }) {
    for (let round = 0; round < 5; round++) {
      const name = fresh('room')
      const claims = await Promise.all([one.registrar.claim(name), two.registrar.claim(name)])
      expect(claims.map(({ kind }) => kind).sort()).toEqual(['elsewhere', 'home'])
      const home = claims[0]!.kind === 'home' ? one : two
      const other = claims.find(({ kind }) => kind === 'elsewhere')
      const { node, incarnation } = home
      expect(other).toMatchObject({ node, incarnation, epoch: home.registrar.held.get(name) })
    }
  },
  async 'moves a name to another node'(subject) {
    const [one, two] = subject.nodes
    await join(subject)
    const name = fresh('room')
    const epoch = await epochOf(one, name)
    const lost: string[] = []
    using _lost = one.registrar.onLost(each => void lost.push(each))
    expect(await one.registrar.move(name, epoch, 'nobody')).toBe(false)
    expect(await one.registrar.move(name, epoch, two.node)).toBe(true)
    expect(one.registrar.held.has(name)).toBe(false)
    expect(await one.registrar.confirm(name, epoch)).toBe(false)
    expect(await epochOf(two, name)).toBeGreaterThan(epoch)
    expect(await one.registrar.claim(name)).toMatchObject({ kind: 'elsewhere', node: two.node })
    await pause(subject.quietMs)
    expect(lost).toEqual([])
  },
  async 'replaces a home that its claimant knows to have ended, which then admits nobody'({
    nodes: [one, two],
    patienceMs,
  }) {
    const name = fresh('room')
    const epoch = await epochOf(one, name)
    const lost: string[] = []
    using _lost = one.registrar.onLost(each => void lost.push(each))
    const { node, incarnation } = one
    expect(await two.registrar.claim(name, { node, incarnation: 'another' })).toMatchObject({
      kind: 'elsewhere',
    })
    const claim = await two.registrar.claim(name, { node, incarnation })
    expect(claim.kind).toBe('home')
    expect(claim.epoch).toBeGreaterThan(epoch)
    expect(await one.registrar.confirm(name, epoch)).toBe(false)
    await until(() => lost.includes(name), patienceMs, 'the loss')
  },
  async 'tells others who is home'({ nodes: [one, two], patienceMs }) {
    const name = fresh('room')
    const epoch = await epochOf(one, name)
    await until(() => two.registrar.homeOf(name)?.node === one.node, patienceMs, 'the home')
    await one.registrar.release(name, epoch)
    await until(() => two.registrar.homeOf(name) === undefined, patienceMs, 'the release')
    expect(await epochOf(two, name)).toBeGreaterThan(epoch)
  },
  async 'frees the names and slots of a node that leaves'({ nodes: [one, two], patienceMs }) {
    const name = fresh('room')
    const scope = fresh('calls')
    await epochOf(one, name)
    expect(await one.slots(scope, 1).take()).toBe(true)
    const slots = two.slots(scope, 1)
    expect(await slots.take()).toBe(false)
    await one[Symbol.asyncDispose]()
    await epochOf(two, name)
    const until = performance.now() + patienceMs
    while (!(await slots.take())) {
      expect(performance.now()).toBeLessThan(until)
      await pause(20)
    }
  },
  async 'takes requests and answers across nodes'({ nodes: [one, two] }) {
    using _answer = two.exchange.answer('greet', z.object({ name: z.string() }), ({ name }, from) => ({
      text: `${name} of ${from}`,
    }))
    expect(await asked(one, two, 'greet', { name: 'Ann' })).toEqual({ text: `Ann of ${one.node}` })
  },
  async 'passes errors with their codes, and no details of others'({ nodes: [one, two] }) {
    using _known = two.exchange.answer('known', z.unknown(), () => {
      throw new BridgeError('DIAL_QUOTA_EXCEEDED', 'no minutes are left', { retryable: true })
    })
    using _unknown = two.exchange.answer('unknown', z.unknown(), () => {
      throw new Error('password 123')
    })
    const error = (await asked(one, two, 'known', 1).catch((reason: unknown) => reason)) as BridgeError
    expect(error).toMatchObject({
      code: 'DIAL_QUOTA_EXCEEDED',
      message: 'no minutes are left',
      retryable: true,
    })
    const other = (await asked(one, two, 'unknown', 1).catch((reason: unknown) => reason)) as BridgeError
    expect(other.code).toBe('FLEET_FAILED')
    expect(other.message).not.toContain('password')
  },
  async 'rejects invalid requests before their handler'({ nodes: [one, two] }) {
    const seen: unknown[] = []
    using _answer = two.exchange.answer('count', counter, body => void seen.push(body))
    expect(await codeOf(asked(one, two, 'count', { count: 'many' }))).toBe('FLEET_FAILED')
    await one.exchange.ask(two.node, 'count', { count: 1 })
    expect(seen).toEqual([{ count: 1 }])
  },
  async 'gives up waiting for an answer in time'({ nodes: [one, two] }) {
    const { promise, resolve } = Promise.withResolvers<void>()
    using _ready = two.exchange.answer('ready', z.unknown(), () => true)
    using _answer = two.exchange.answer('wait', z.unknown(), () => promise)
    await asked(one, two, 'ready', 1)
    expect(await codeOf(one.exchange.ask(two.node, 'wait', 1, 100))).toBe('NODE_LATE')
    resolve()
  },
  async 'tells all others, and skips what they cannot read'({ nodes: [one, two], patienceMs, quietMs }) {
    const heard: unknown[] = []
    const own: unknown[] = []
    using _theirs = two.exchange.hear('news', counter, (body, from) => void heard.push([body, from]))
    using _own = one.exchange.hear('news', counter, body => void own.push(body))
    // A subscription takes a moment to reach the servers.
    await pause(quietMs)
    one.exchange.tell('news', { count: 'many' })
    one.exchange.tell('news', { count: 1 })
    await until(() => heard.length > 0, patienceMs, 'news')
    expect(heard).toEqual([[{ count: 1 }, one.node]])
    expect(own).toEqual([])
  },
  async 'shares tables, whose writes are never lost'({ nodes: [one, two] }) {
    const name = fresh('table')
    const tables = [one.table('day', name, counter), two.table('day', name, counter)] as const
    await tables[0].create('key', { count: 0 })
    const add = async (table: (typeof tables)[number]) => {
      for (let attempt = 0; attempt < 100; attempt++) {
        const entry = await table.get('key')
        if (!entry) throw new Error('the entry is gone')
        const { value, revision } = entry
        if ((await table.replace('key', { count: value.count + 1 }, revision)) !== undefined) return
      }
      throw new Error('the entry was never written')
    }
    await Promise.all(Array.from({ length: 20 }, (_, index) => add(tables[index % 2]!)))
    expect((await tables[1].get('key'))?.value).toEqual({ count: 20 })
    const created = await Promise.all(tables.map(table => table.create('new', { count: 1 })))
    expect(created.filter(revision => revision !== undefined)).toHaveLength(1)
  },
  async 'counts an entry of another shape as absent'({ nodes: [one, two] }) {
    const name = fresh('table')
    await one.table('day', name, z.object({ other: z.string() })).put('key', { other: 'release' })
    const table = two.table('day', name, counter)
    expect(await table.get('key')).toBeUndefined()
    expect([...(await table.entries())]).toEqual([])
  },
  async 'limits all nodes together'({ nodes: [one, two] }) {
    const scope = fresh('minutes')
    const terms = { limit: 20, chunk: 4, period: () => 'day' }
    await using first = one.quota(scope, terms)
    await using second = two.quota(scope, terms)
    await Promise.all([first.ready, second.ready])
    expect(await takenOf([first, second])).toBe(20)
    const calls = fresh('calls')
    const takes = await Promise.all(
      Array.from({ length: 8 }, (_, index) => [one, two][index % 2]!.slots(calls, 3).take()),
    )
    expect(takes.filter(Boolean)).toHaveLength(3)
  },
  async 'gives back what a node has leased and not used'({ nodes: [one, two] }) {
    const scope = fresh('minutes')
    const terms = { limit: 4, chunk: 4, period: () => 'day' }
    const first = one.quota(scope, terms)
    await first.ready
    expect(first.take(1)).toBe(true)
    await first[Symbol.asyncDispose]()
    await using second = two.quota(scope, terms)
    await second.ready
    expect([second.take(3), second.take(1)]).toEqual([true, false])
  },
  async 'lists its nodes with what they report'(subject) {
    const [one, two] = subject.nodes
    let draining = false
    await join(subject, () => draining)
    const seen = () => two.nodes.find(({ node }) => node === one.node)
    const { incarnation } = one
    expect(seen()).toMatchObject({ incarnation, address: 'http://127.0.0.1:1', legs: 3, rooms: 2 })
    expect(two.nodes.map(({ node }) => node)).toContain(two.node)
    draining = true
    await until(() => seen()?.draining === true, subject.patienceMs, 'draining')
  },
  async 'digests a text alike everywhere'({ nodes: [one, two] }) {
    expect(one.digest('text')).toBe(two.digest('text'))
  },
}

const eachAlone: [string, Check<FleetSubject>][] = Object.entries(nodeChecks).map(([name, check]) => [
  name,
  ({ nodes: [one] }) => check(one),
])

export const fleetChecks: Checks<FleetSubject> = { ...Object.fromEntries(eachAlone), ...togetherChecks }
