import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import {
  type CallOptions,
  placeCall,
  ScriptedService,
  type SimulatedCall,
  tone,
  tones,
} from '../../../simulator/index.ts'
import { until } from '../until.ts'
import { FleetProxy } from './fleet-proxy.ts'
import type { NatsServers } from './nats-servers.ts'

/** Public name of the fleet; its proxy is on loopback. */
export const PUBLIC = 'https://bridge.example.com'
const AUTH_TOKEN = '0123456789abcdef0123456789abcdef'
const MAIN = new URL('../../../src/main.ts', import.meta.url).pathname
const READY = /http:\/\/127\.0\.0\.1:(\d+)/

/** A translation is the speaker’s tone, this much higher (Hz) by the language of the listener. */
const HIGHER: Readonly<Record<string, number>> = { 'en-us': 60, 'es-es': 120 }

/** The tone of a speaker of `hz` as heard in `language`. */
export function translated(hz: number, language: string): number {
  return hz + (HIGHER[language] ?? 0)
}

export interface FleetNodesOptions {
  /** Names of the nodes. Default a, b, c. */
  readonly names?: readonly string[]
  /** NATS servers; disposed of with the fleet. */
  readonly nats: NatsServers
  readonly replicas?: 1 | 3
  /** Settings in addition to those of a fleet. */
  readonly settings?: object
  /** Settings of one node, in addition; `fleet` is added to that section. */
  readonly settingsOf?: (name: string) => { readonly fleet?: object }
  /** The port at which the proxy reaches a node. Default: its own. */
  readonly portOf?: (name: string) => number
  /** In [0, 1); selects the nodes of requests. */
  readonly random: () => number
}

/** A node: a real process of `dragoman serve`. */
export class FleetNodeProcess {
  readonly name: string
  readonly folder: string
  port = 0
  #child: ChildProcess
  /** Length of the log when the process started. */
  #logStart = 0

  constructor(name: string, folder: string) {
    this.name = name
    this.folder = folder
    this.#child = this.#spawn()
  }

  /** Path of everything it has written. */
  get log(): string {
    return join(this.folder, `${this.name}.log`)
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Resolves when the process that runs now has ended. */
  get ended(): Promise<unknown> {
    return this.running ? once(this.#child, 'exit') : Promise.resolve()
  }

  /** Resolves when it listens. */
  async listening(ms = 60_000): Promise<void> {
    const deadline = performance.now() + ms
    for (;;) {
      const lines = (await readFile(this.log, 'utf8')).slice(this.#logStart)
      const [, port] = READY.exec(lines) ?? []
      if (port !== undefined && (await this.#answers(Number(port)))) {
        this.port = Number(port)
        return
      }
      if (!this.running) throw new Error(`node ${this.name} ended: ${lines.slice(-2_000)}`)
      if (performance.now() > deadline)
        throw new Error(`node ${this.name} does not listen: ${lines.slice(-2_000)}`)
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }

  /** Sends a signal. `SIGKILL` and `SIGTERM` wait for the end of the process. */
  async signal(signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    if (!this.running) return
    const ended = once(this.#child, 'exit')
    this.#child.kill(signal)
    if (signal === 'SIGKILL' || signal === 'SIGTERM') await ended
  }

  /** Starts the process again after it has ended. */
  async restart(): Promise<void> {
    this.#logStart = (await readFile(this.log, 'utf8')).length
    this.#child = this.#spawn()
    await this.listening()
  }

  #spawn(): ChildProcess {
    const file = openSync(this.log, 'a')
    const child = spawn(
      process.execPath,
      [MAIN, 'serve', '--config', join(this.folder, `${this.name}.yaml`)],
      {
        stdio: ['ignore', file, file],
        env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, NO_COLOR: '1' },
      },
    )
    return child
  }

  async #answers(port: number): Promise<boolean> {
    try {
      return (await fetch(`http://127.0.0.1:${port}/live`)).ok
    } catch {
      return false
    }
  }
}

/** A fleet on loopback: nodes as processes, NATS, a proxy in front, and a scripted translation service. */
export class FleetNodes implements AsyncDisposable {
  readonly nats: NatsServers
  readonly nodes: readonly FleetNodeProcess[]
  readonly proxy: FleetProxy
  readonly service: ScriptedService
  readonly #folder: string

  private constructor(
    options: FleetNodesOptions,
    parts: { nodes: FleetNodeProcess[]; proxy: FleetProxy; service: ScriptedService; folder: string },
  ) {
    this.nats = options.nats
    this.nodes = parts.nodes
    this.proxy = parts.proxy
    this.service = parts.service
    this.#folder = parts.folder
  }

  static async start(options: FleetNodesOptions): Promise<FleetNodes> {
    const { names = ['a', 'b', 'c'], nats, replicas = 1, settings = {}, settingsOf, portOf, random } = options
    const folder = await mkdtemp(join(tmpdir(), 'fleet-'))
    const service = await ScriptedService.listen({
      answer: tones({ hz: (to, heardHz) => translated(Math.round(heardHz / 50) * 50, to), silenceMs: 200 }),
    })
    const nodes: FleetNodeProcess[] = []
    for (const name of names) {
      const config = {
        host: '127.0.0.1',
        port: 0,
        publicUrl: PUBLIC,
        trustProxy: ['127.0.0.1'],
        service: { url: service.url, apiKey: service.apiKey },
        languages: { speaks: 'en-us', hears: 'es-es' },
        relay: { echoSuppression: false },
        // Regardless of the machine’s load.
        limits: { maxEventLoopLagMs: 60_000, exemptAddresses: ['loopback'] },
        drain: { seconds: 0 },
        log: { level: 'info', format: 'text' },
        twilio: { authToken: [AUTH_TOKEN] },
        ...settings,
        fleet: {
          ...{ node: name, key: 'a key for tests only', nats: { servers: nats.addresses, replicas } },
          ...settingsOf?.(name).fleet,
        },
      }
      await writeFile(join(folder, `${name}.yaml`), stringify(config))
      nodes.push(new FleetNodeProcess(name, folder))
    }
    const targets = () =>
      nodes.filter(({ port }) => port > 0).map(({ name, port }) => ({ name, port: portOf?.(name) ?? port }))
    const proxy = await FleetProxy.listen(targets, random)
    const fleet = new FleetNodes(options, { nodes, proxy, service, folder })
    try {
      await Promise.all(nodes.map(node => node.listening()))
    } catch (error) {
      await fleet[Symbol.asyncDispose]()
      throw error
    }
    return fleet
  }

  /** Returns the node of this name. */
  node(name: string): FleetNodeProcess {
    const node = this.nodes.find(each => each.name === name)
    if (!node) throw new RangeError(`there is no node ${name}`)
    return node
  }

  /** A phone calls `room`; its request reaches a random node. */
  call(
    room: string,
    language: 'en-us' | 'es-es',
    options: Partial<CallOptions> = {},
  ): Promise<SimulatedCall> {
    const query = new URLSearchParams({ room, speaks: language, hears: language })
    return placeCall({
      webhook: `${this.proxy.url}/twilio/voice?${query}`,
      publicUrl: PUBLIC,
      resolve: { [new URL(PUBLIC).host]: this.proxy.url },
      authToken: AUTH_TOKEN,
      proxied: true,
      ...options,
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of this.nodes) {
      await node.signal('SIGCONT')
      await node.signal('SIGKILL')
    }
    await this.proxy[Symbol.asyncDispose]()
    await this.service.close()
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/**
 * Says a tone of 800 ms until `listener` has heard its translation, since speech without a stream is lost. Rejects after
 * `ms`.
 */
export async function heardBy(
  speaker: SimulatedCall,
  hz: number,
  listener: SimulatedCall,
  language: string,
  hears: (pcm: Int16Array, hz: number) => boolean,
  ms = 30_000,
): Promise<void> {
  const before = listener.heard().length
  const wanted = translated(hz, language)
  let quiet = true
  let said = 0
  const speak = async () => {
    quiet = false
    said++
    await speaker.say(tone(hz, 800, 8_000), 8_000)
    await speaker.quietFor(2_000)
    quiet = true
  }
  await until(
    () => {
      if (hears(listener.heard().subarray(before), wanted)) return true
      if (!speaker.live || !listener.live) throw new Error(`a call of ${wanted} Hz is over`)
      if (quiet) void speak()
      return false
    },
    ms,
    `${wanted} Hz after ${said}`,
  )
}
