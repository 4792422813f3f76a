import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../until.ts'

const UNPACKED = new URL('../../../.programs/usr/sbin/nats-server', import.meta.url).pathname

/** The server that setup has unpacked, or an installed one that is recent enough for a cluster; undefined: none. */
export const NATS_SERVER = [UNPACKED, '/usr/sbin/nats-server'].find(path => existsSync(path))

export interface NatsServersOptions {
  /** Default 1. */
  readonly size?: 1 | 3
  /** Lines added to the configuration of every server: users, TLS. */
  readonly configuration?: string | undefined
  /** Path of the program. */
  readonly program?: string
}

interface Launched {
  readonly file: string
  readonly port: number
  readonly monitor: number
  child: ChildProcess | undefined
}

/** Real nats-server processes on loopback with JetStream, alone or as a cluster. Disposing ends them and their data. */
export class NatsServers implements AsyncDisposable {
  readonly #program: string
  readonly #folder: string
  readonly #servers: readonly Launched[]

  private constructor(program: string, folder: string, servers: readonly Launched[]) {
    this.#program = program
    this.#folder = folder
    this.#servers = servers
  }

  static async start(options: NatsServersOptions = {}): Promise<NatsServers> {
    const { size = 1, configuration = '', program = NATS_SERVER } = options
    if (program === undefined) throw new Error('nats-server is not installed')
    const folder = await mkdtemp(join(tmpdir(), 'nats-'))
    const ports = await freePorts(size * 3)
    const routes = Array.from({ length: size }, (_, index) => `nats://127.0.0.1:${ports[index * 3 + 1]}`)
    const servers: Launched[] = []
    for (let index = 0; index < size; index++) {
      const [port = 0, route = 0, monitor = 0] = ports.slice(index * 3)
      const file = join(folder, `${index}.conf`)
      const cluster = `cluster { name: test, listen: "127.0.0.1:${route}", routes: [${routes.map(each => `"${each}"`).join(', ')}] }`
      await writeFile(
        file,
        `server_name: n${index}
listen: "127.0.0.1:${port}"
http: "127.0.0.1:${monitor}"
ping_interval: "2s"
ping_max: 2
write_deadline: "2s"
jetstream { store_dir: "${join(folder, `data${index}`)}", max_mem: 128MB, max_file: 512MB, sync_interval: always }
${size > 1 ? cluster : ''}
${configuration}
`,
      )
      servers.push({ file, port, monitor, child: undefined })
    }
    const nats = new NatsServers(program, folder, servers)
    for (let index = 0; index < size; index++) nats.launch(index)
    await nats.ready()
    return nats
  }

  /** `127.0.0.1:<port>` of each server. */
  get addresses(): string[] {
    return this.#servers.map(({ port }) => `127.0.0.1:${port}`)
  }

  /** Process IDs of the servers that were started. */
  get pids(): number[] {
    return this.#servers.flatMap(({ child }) => child?.pid ?? [])
  }

  /** Starts a server that was ended, with its data. */
  launch(index: number): void {
    const server = this.#server(index)
    const log = join(this.#folder, `${index}.log`)
    server.child = spawn(this.#program, ['-c', server.file, '-l', log], { stdio: 'ignore' })
  }

  /** Sends a signal to a server; `SIGKILL` waits for its end. */
  async signal(index: number, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    const { child } = this.#server(index)
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    if (signal === 'SIGKILL') await ended
  }

  /** Resolves when all servers report to be healthy. */
  async ready(ms = 30_000): Promise<void> {
    const healthy = async ({ monitor }: Launched) => {
      try {
        const answer = await fetch(`http://127.0.0.1:${monitor}/healthz`, {
          signal: AbortSignal.timeout(1_000),
        })
        return answer.ok
      } catch {
        return false
      }
    }
    const deadline = performance.now() + ms
    while (!(await Promise.all(this.#servers.map(healthy))).every(Boolean)) {
      if (performance.now() > deadline) throw new Error(`nats-server is not ready: ${this.#logs()}`)
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }

  /** Index of the leader of a bucket. */
  async leaderOf(bucket: string): Promise<number> {
    let leader: string | undefined
    const look = async () => {
      for (const { monitor } of this.#servers) {
        const answer = await fetch(`http://127.0.0.1:${monitor}/jsz?streams=1`).catch(() => undefined)
        const { account_details: accounts = [] } = ((await answer?.json()) ?? {}) as {
          account_details?: { stream_detail?: { name: string; cluster?: { leader?: string } }[] }[]
        }
        for (const { stream_detail: streams = [] } of accounts)
          for (const { name, cluster } of streams) if (name === `KV_${bucket}`) leader ??= cluster?.leader
      }
    }
    await until(
      () => {
        if (leader === undefined) void look()
        return leader !== undefined
      },
      15_000,
      `a leader of ${bucket}`,
    )
    return Number(leader?.slice(1))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const index of this.#servers.keys()) {
      await this.signal(index, 'SIGCONT')
      await this.signal(index, 'SIGKILL')
    }
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 3 })
  }

  #server(index: number): Launched {
    const server = this.#servers[index]
    if (!server) throw new RangeError(`there are ${this.#servers.length} servers, got ${index}`)
    return server
  }

  #logs(): string {
    return this.#servers
      .map((_, index) => {
        const path = join(this.#folder, `${index}.log`)
        return existsSync(path) ? readFileSync(path, 'utf8').slice(-500) : ''
      })
      .join('\n')
  }
}

/** Ports that are free now, all different. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer()
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      return server
    }),
  )
  const ports = servers.map(server => (server.address() as AddressInfo).port)
  await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))))
  return ports
}
