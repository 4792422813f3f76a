import { z } from 'zod'
import type { ControlContext } from '../control-context.ts'
import { operation } from '../operation.ts'

const nodeSchema = z.object({
  node: z.string(),
  incarnation: z.string().describe('Changes when the node starts again.'),
  address: z
    .string()
    .describe('Address at which the other nodes reach it; empty for a server without a fleet.'),
  version: z.string(),
  legs: z.number(),
  rooms: z.number(),
  draining: z.boolean().describe('It is shutting down and takes no new rooms.'),
  silentMs: z
    .number()
    .describe('Time since its last heartbeat (ms). From 2 000 on, other nodes take its rooms.'),
  skewMs: z.number().describe('Its wall clock minus that of the node that answers (ms).'),
})

const roomSchema = z.object({ name: z.string(), node: z.string() })

/** The answer, as clients read it: nodes of other releases can add fields. */
export const fleetAnswerSchema = z.object({
  node: z.string().describe('The node that answers.'),
  status: z
    .enum(['alone', 'up', 'away'])
    .describe('`alone`: not part of a fleet; `away`: NATS cannot be reached.'),
  nodes: z.array(nodeSchema),
  rooms: z.array(roomSchema),
  missing: z.array(z.string()).describe('Nodes that did not answer: their rooms are not listed.'),
})

/** The answer of this release. */
const strictAnswerSchema = z.strictObject({
  ...fleetAnswerSchema.shape,
  nodes: z.array(nodeSchema.strict()),
  rooms: z.array(roomSchema.strict()).describe('Open rooms and their homes.'),
})

const ALONE = 'alone'

/** Name of the question which rooms are open at a node. */
export const ROOMS = 'control.rooms'
export const roomsAskedSchema = z.object({})
const roomsSchema = z.array(z.string())
const ANSWER_MS = 1_000

export const getFleet = operation({
  id: 'getFleet',
  method: 'GET',
  path: '/fleet',
  group: 'Fleet',
  summary: 'Gets the nodes of the service',
  about: 'The nodes that share the calls, and at which of them each open room is.',
  status: 200,
  answer: strictAnswerSchema,
  errors: [],
  async run({ fleet, relay }: ControlContext): Promise<z.input<typeof strictAnswerSchema>> {
    const here = fleet?.node ?? ALONE
    const rooms = Array.from(relay.rooms.keys(), name => ({ name, node: here }))
    if (!fleet) return { node: here, status: 'alone', nodes: [], rooms, missing: [] }
    const others = fleet.nodes.filter(({ node }) => node !== fleet.node)
    const missing: string[] = []
    await Promise.all(
      others.map(async ({ node }) => {
        try {
          const names = roomsSchema.parse(await fleet.exchange.ask(node, ROOMS, {}, ANSWER_MS))
          for (const name of names) rooms.push({ name, node })
        } catch {
          missing.push(node)
        }
      }),
    )
    rooms.sort((a, b) => a.name.localeCompare(b.name))
    const nodes = fleet.nodes
      .map(({ silentMs, ...node }) => ({ ...node, silentMs: Math.round(silentMs) }))
      .sort((a, b) => a.node.localeCompare(b.node))
    return { node: fleet.node, status: fleet.status, nodes, rooms, missing: missing.sort() }
  },
})
