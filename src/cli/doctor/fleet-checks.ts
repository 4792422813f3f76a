import { openFleet } from '../../app/fleet.ts'
import type { Config } from '../../app/settings/load.ts'
import { pause, systemClock } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import { noopLogger } from '../../common/log.ts'
import { howToInstall, missingOf } from '../../common/optional-package.ts'
import { type Check, fail, ok, warn } from './check.ts'

/** Two heartbeats of the other nodes (ms). */
const HEARTBEATS_MS = 1_200

/** Checks the connection to NATS, if this is a node of a fleet. */
export async function fleetChecks(config: Config): Promise<Check[]> {
  const { nats } = config.fleet
  if (!nats) return []
  if (missingOf('fleet').length > 0)
    return [fail('Fleet', 'its packages are not installed', howToInstall('fleet'))]
  const where = nats.servers.join(', ')
  const found: Check[] = []
  try {
    await using fleet = await openFleet(config.fleet, { clock: systemClock, log: noopLogger })
    await pause(systemClock, HEARTBEATS_MS)
    const nodes = fleet.nodes.map(({ node }) => node).filter(node => node !== fleet.node)
    if (fleet.status === 'up')
      found.push(
        ok('NATS', where),
        ok('Fleet', nodes.length > 0 ? `${nodes.join(', ')} running` : 'no other node is running'),
      )
    else
      found.push(
        fail(
          'NATS',
          `${where}: no answer, or not permitted`,
          'check that nats-server runs there with JetStream, and fleet.nats.servers, its credentials and tls;\n' +
            'with replicas: 3, that a majority of the servers runs',
        ),
      )
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error
    found.push(fail('NATS', where, error.message))
  }
  if (nats.replicas === 1 && nats.servers.length > 1)
    found.push(
      warn(
        'NATS replicas',
        '1 of several servers keeps the state',
        'set fleet.nats.replicas to 3 to survive its loss',
      ),
    )
  if (config.publicUrl === undefined)
    found.push(
      fail('Fleet addresses', 'publicUrl is not set', 'set publicUrl, so that calls reach their node'),
    )
  return found
}
