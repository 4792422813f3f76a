/**
 * `npm run fleet`: a fleet on this machine. Starts nats-server, three nodes of `dragoman serve` with the embedded
 * service, and a proxy in front of them, and restarts nodes that end. Ctrl-C ends everything.
 *
 *   npm run fleet [-- --port 8080]
 *
 * For trying it out: everything listens on loopback, phones need no signature, and all data is temporary.
 */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { parseArgs } from 'node:util'
import { stringify } from 'yaml'
import { FleetNodeProcess } from '../test/support/fleet/fleet-nodes.ts'
import { FleetProxy } from '../test/support/fleet/fleet-proxy.ts'
import { NATS_SERVER, NatsServers } from '../test/support/fleet/nats-servers.ts'

const NAMES = ['a', 'b', 'c']
/** Time until a node that has ended is started again (ms). */
const RESTART_MS = 1_000

const { values } = parseArgs({ options: { port: { type: 'string', default: '8080' } } })

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** The installed nats-server, or the one that setup has unpacked. */
function natsServer(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  return folders.map(folder => join(folder, 'nats-server')).find(path => existsSync(path)) ?? NATS_SERVER
}

function settingsOf(node: string, publicUrl: string, servers: readonly string[], key: string): object {
  return {
    host: '127.0.0.1',
    port: 0,
    publicUrl,
    drain: { seconds: 0 },
    log: { level: 'warn', format: 'text' },
    // Requests from this machine need no signature; there is no account.
    twilio: { insecure: true },
    control: { keys: [{ name: 'fleet', key }] },
    fleet: { node, key: 'only on this machine', nats: { servers } },
  }
}

async function run(program: string): Promise<void> {
  await using nats = await NatsServers.start({ program })
  const nodes: FleetNodeProcess[] = []
  const listening = () => nodes.filter(({ port }) => port > 0)
  await using proxy = await FleetProxy.listen(listening, Math.random, Number(values.port))
  const url = proxy.url.replace('127.0.0.1', 'localhost')
  const key = randomBytes(18).toString('hex')
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-fleet-'))
  const stopped = Promise.withResolvers<void>()
  let stopping = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      stopping = true
      stopped.resolve()
    })

  const keepRunning = async (node: FleetNodeProcess) => {
    for (;;) {
      await node.ended
      if (stopping) return
      say(
        `Node ${node.name} has ended. Its calls continue at the others; it starts again in ${RESTART_MS / 1_000} s.`,
      )
      await Promise.race([new Promise(resolve => setTimeout(resolve, RESTART_MS)), stopped.promise])
      if (stopping) return
      await node.restart()
      say(`Node ${node.name} runs again, process ${node.pid}`)
    }
  }

  say('Starting nats-server and three nodes…')
  try {
    for (const name of NAMES) {
      const settings = stringify(settingsOf(name, url, nats.addresses, key))
      await writeFile(join(folder, `${name}.yaml`), settings)
      nodes.push(new FleetNodeProcess(name, folder))
    }
    await Promise.race([Promise.all(nodes.map(node => node.listening())), stopped.promise])
    if (!stopping) say(whereabouts(url, nodes, key))
    await Promise.race([stopped.promise, ...nodes.map(keepRunning)])
  } finally {
    stopping = true
    say('Ending…')
    await Promise.all(nodes.map(node => node.signal('SIGTERM')))
    await rm(folder, { recursive: true, force: true })
  }
}

function whereabouts(url: string, nodes: readonly FleetNodeProcess[], key: string): string {
  return [
    '',
    `The fleet is on the line at ${url}`,
    '',
    `  Talk         ${url}/`,
    `  Phones       ${url}/twilio/voice`,
    ...nodes.map(
      ({ name, pid, port }) => `  Node ${name}       ${url}/n/${name}/, port ${port}, process ${pid}`,
    ),
    '',
    'Its nodes and rooms:',
    `  npm run dragoman -- fleet --server ${url} --key ${key}`,
    '',
    'Ctrl-C to stop.',
  ].join('\n')
}

const program = natsServer()
if (program === undefined) {
  process.stderr.write(
    'nats-server is not installed. Install it (sudo apt-get install nats-server) and run npm run fleet again.\n',
  )
  process.exitCode = 1
} else
  await run(program).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    process.stderr.write(
      `Port ${values.port} is in use. Choose another one: npm run fleet -- --port ${Number(values.port) + 10}\n`,
    )
    process.exitCode = 1
  })
