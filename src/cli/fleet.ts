import type { z } from 'zod'
import { LEASE_MS } from '../fleet/members.ts'
import { fleetAnswerSchema } from '../web/control/operations/fleet.ts'
import { CommandError } from './errors.ts'
import { labeledLine, type Terminal, tableLines } from './terminal.ts'

/** Time for the answer of the server (ms). */
const PATIENCE_MS = 10_000
type FleetAnswer = z.infer<typeof fleetAnswerSchema>

const STATUS = {
  alone: 'alone: no fleet is configured (fleet.nats)',
  up: 'connected',
  away: 'away: NATS cannot be reached; calls in progress continue',
} as const

export interface FleetQuestion {
  /** Address of a node. */
  readonly server: string
  /** API key of the control API. */
  readonly key: string
  readonly json?: boolean | undefined
}

/** Prints the nodes of a fleet, and the homes of its open rooms, as a running node knows them. Throws a `CommandError`. */
export async function showFleet({ server, key, json }: FleetQuestion, terminal: Terminal): Promise<void> {
  const fleet = await ask(server, key)
  if (json) {
    terminal.line(JSON.stringify(fleet))
    return
  }
  terminal.line(labeledLine('node', fleet.node))
  terminal.line(labeledLine('fleet', STATUS[fleet.status]))
  const table = (rows: string[][]) => {
    for (const line of ['', ...tableLines(rows)]) terminal.line(line)
  }
  if (fleet.nodes.length > 0)
    table([
      ['node', 'state', 'legs', 'rooms', 'version', 'address'],
      ...fleet.nodes.map(each => [
        each.node,
        stateOf(each),
        String(each.legs),
        String(each.rooms),
        each.version,
        each.address,
      ]),
    ])
  if (fleet.rooms.length > 0) table([['room', 'home'], ...fleet.rooms.map(({ name, node }) => [name, node])])
  if (fleet.missing.length > 0)
    terminal.line(`\nNo answer from ${fleet.missing.join(', ')}: their rooms are missing.`)
}

function stateOf({ silentMs, draining }: FleetAnswer['nodes'][number]): string {
  if (silentMs > LEASE_MS) return `silent for ${Math.round(silentMs / 1_000)} s`
  return draining ? 'draining' : 'up'
}

async function ask(server: string, key: string): Promise<FleetAnswer> {
  const url = URL.parse('/v1/fleet', server)
  if (!url) throw new CommandError(`--server is "${server}": not an address like http://localhost:8080`)
  let answer: Response
  try {
    answer = await fetch(url, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } }
    throw new CommandError(
      `${url.origin} cannot be reached (${cause?.code ?? (error as Error).name}): is the bridge running there?`,
    )
  }
  if (answer.status === 401)
    throw new CommandError('the key was rejected; pass one of control.keys with --key')
  if (answer.status === 404)
    throw new CommandError('the control API of the server is disabled; set control.keys')
  const { data } = fleetAnswerSchema.safeParse(await answer.json().catch(() => undefined))
  if (!data)
    throw new CommandError(`${url.origin} returned HTTP ${answer.status}, which is not an answer of a bridge`)
  return data
}
