import { afterAll, beforeAll, describe } from 'vitest'
import { z } from 'zod'
import type { Exchange, Fleet, Quota, Registrar, Table, TableLife } from '../../src/core/model/fleet.ts'
import { LoneFleet } from '../../src/fleet/lone-fleet.ts'
import { NatsFleet } from '../../src/fleet/nats/nats-fleet.ts'
import { natsSettingsSchema } from '../../src/fleet/settings.ts'
import { failsFor } from '../support/conformance/fails-for.ts'
import { type FleetSubject, fleetChecks, nodeChecks } from '../support/conformance/fleet.ts'
import { conforms } from '../support/conformance/suite.ts'
import { FleetHub } from '../support/fleet/fleet-hub.ts'
import { NATS_SERVER, NatsServers } from '../support/fleet/nats-servers.ts'
import { until } from '../support/until.ts'

const leave = async ({ nodes }: FleetSubject) => {
  await Promise.all(nodes.map(node => node[Symbol.asyncDispose]()))
}

conforms(
  'the fleet of a single process',
  nodeChecks,
  () => new LoneFleet(),
  fleet => fleet[Symbol.asyncDispose](),
)

/** Two nodes of the hub that tests use, with `fault`. */
function ofHub(fault: (fleet: Fleet) => Partial<Fleet> = () => ({})): FleetSubject {
  const hub = new FleetHub()
  const node = (name: string) => {
    const fleet = hub.join(name)
    return withFault<Fleet>(fleet, fault(fleet))
  }
  return { nodes: [node('one'), node('two')], patienceMs: 200, quietMs: 5 }
}

/** `subject` with some members replaced. */
function withFault<T extends object>(subject: T, fault: Partial<T>): T {
  return new Proxy(subject, {
    get: (target, name) => {
      const value: unknown = Reflect.get(name in fault ? fault : target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

const registrar = (fault: (registrar: Registrar) => Partial<Registrar>) => () =>
  ofHub(fleet => ({ registrar: withFault(fleet.registrar, fault(fleet.registrar)) }))
const exchange = (fault: (exchange: Exchange) => Partial<Exchange>) => () =>
  ofHub(fleet => ({ exchange: withFault(fleet.exchange, fault(fleet.exchange)) }))
const table = (fault: (table: Table<unknown>) => Partial<Table<unknown>>) => () =>
  ofHub(fleet => ({
    table: <T>(life: TableLife, name: string, schema: z.ZodType<T>) => {
      const made = fleet.table(life, name, schema) as Table<unknown>
      return withFault(made, fault(made)) as Table<T>
    },
  }))
const quota = (fault: Partial<Quota>) => () =>
  ofHub(fleet => ({ quota: (scope, terms) => withFault(fleet.quota(scope, terms), fault) }))
const nothing = async () => {}

conforms('the fleet in memory', fleetChecks, () => ofHub(), leave)

describe('the suite for fleets', () => {
  failsFor(fleetChecks, () => ofHub(), [
    [
      'keeps released names',
      registrar(() => ({ release: nothing })),
      'keeps the epoch of a name until it is released',
    ],
    [
      'creates over what is there',
      table(made => ({ create: (key, value) => made.put(key, value).then(() => 1) })),
      'creates an entry once and replaces it only at its revision',
    ],
    [
      'keeps deleted entries',
      table(() => ({ delete: nothing })),
      'forgets a deleted entry, which can be created again',
    ],
    [
      'has one table for all names',
      () => ofHub(fleet => ({ table: (life, _name, schema) => fleet.table(life, 'all', schema) })),
      'keeps tables apart',
    ],
    [
      'takes without limit',
      quota({ take: () => true }),
      'takes no more than a quota, and starts again with a period',
    ],
    [
      'has endless slots',
      () => ofHub(fleet => ({ slots: scope => fleet.slots(scope, 100) })),
      'gives as many slots as there are',
    ],
    [
      'accepts requests that nobody answers',
      exchange(() => ({ ask: async () => undefined })),
      'rejects requests that nobody answers at once',
    ],
    [
      'stores texts as they are',
      () => ofHub(() => ({ digest: text => text })),
      'digests a text to 27 characters that tell nothing',
    ],
    [
      'makes every claimant home',
      registrar(() => ({ claim: async () => ({ kind: 'home', epoch: 1 }) })),
      'makes one of two nodes home',
    ],
    [
      'stays home after a move',
      registrar(() => ({ move: async () => true })),
      'moves a name to another node',
    ],
    [
      'confirms from memory',
      registrar(() => ({ confirm: async () => true })),
      'replaces a home that its claimant knows to have ended, which then admits nobody',
    ],
    ['does not know homes', registrar(() => ({ homeOf: () => undefined })), 'tells others who is home'],
    [
      'leaves silently',
      () => ofHub(() => ({ [Symbol.asyncDispose]: nothing })),
      'frees the names and slots of a node that leaves',
    ],
    [
      'answers itself',
      exchange(() => ({ ask: async (_node, _what, body) => body })),
      'takes requests and answers across nodes',
    ],
    [
      'loses the codes of errors',
      exchange(made => ({
        ask: (...asked) => made.ask(...asked).catch(() => Promise.reject(new Error('failed'))),
      })),
      'passes errors with their codes, and no details of others',
    ],
    [
      'does not validate requests',
      exchange(made => ({ answer: (what, _schema, handler) => made.answer(what, z.any(), handler) })),
      'rejects invalid requests before their handler',
    ],
    [
      'never gives up',
      exchange(made => ({
        ask: (node, what, body) => made.ask(node, what, body, 400).catch(() => undefined),
      })),
      'gives up waiting for an answer in time',
    ],
    [
      'does not validate messages',
      exchange(made => ({ hear: (subject, _schema, listener) => made.hear(subject, z.any(), listener) })),
      'tells all others, and skips what they cannot read',
    ],
    [
      'replaces entries blindly',
      table(made => ({ replace: (key, value) => made.put(key, value).then(() => 1) })),
      'shares tables, whose writes are never lost',
    ],
    [
      'does not validate entries',
      () => ofHub(fleet => ({ table: (life, name) => fleet.table(life, name, z.any()) })),
      'counts an entry of another shape as absent',
    ],
    [
      'counts for itself',
      () => ofHub(fleet => ({ quota: (scope, terms) => fleet.quota(`${fleet.node} ${scope}`, terms) })),
      'limits all nodes together',
    ],
    [
      'keeps what it has leased',
      quota({ [Symbol.asyncDispose]: nothing }),
      'gives back what a node has leased and not used',
    ],
    ['does not announce itself', () => ofHub(() => ({ join() {} })), 'lists its nodes with what they report'],
    [
      'digests with a key of its own',
      () => ofHub(fleet => ({ digest: text => (fleet.node + text).padEnd(27, '-') })),
      'digests a text alike everywhere',
    ],
  ])
})

describe.skipIf(NATS_SERVER === undefined).each([1, 3] as const)('with %d NATS servers', size => {
  let servers: NatsServers
  let made = 0
  beforeAll(async () => {
    servers = await NatsServers.start({ size })
  }, 60_000)
  afterAll(() => servers[Symbol.asyncDispose]())

  const open = (node: string) =>
    NatsFleet.open({
      settings: natsSettingsSchema.parse({ servers: servers.addresses, replicas: size }),
      ...{ node, key: 'a key for tests only', version: '1.0.0' },
    })
  conforms(
    'the fleet on NATS',
    fleetChecks,
    async () => {
      const first = ++made * 2
      const nodes = await Promise.all([open(`node-${first}`), open(`node-${first + 1}`)])
      // Creating the buckets can take longer than an opening waits.
      await until(() => nodes.every(({ status }) => status === 'up'), 20_000, 'buckets')
      return { nodes, patienceMs: 5_000, quietMs: 100 } as FleetSubject
    },
    leave,
  )
})
