import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { family, listenerOf } from './listener.ts'
import type { Signature } from './messages.ts'
import { favor, pinned } from './process.ts'
import { type Carrier, SERVED_SIGNATURE, type ServedOptions, servedSettings } from './served-settings.ts'
import { type Start, startCommand } from './starts.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** First line of its output, with the address. */
const LISTENS = /on the line at (http:\/\/\S+)/
const POLL_MS = 50
/** File with the certificate of Discord's voice servers. */
const CERTIFICATE = 'discord.pem'
const START_MS = 60_000
const STOP_MS = 20_000

export interface ServedStart extends ServedOptions {
  readonly start: Start
  readonly core: number
  /** Additional Node flags, passed as NODE_OPTIONS: of profiler and observer. */
  readonly flags: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** `dragoman serve` as a user starts it, with its settings in its own folder. The creator stops it. */
export class Served {
  /** The process that accepts calls. */
  readonly pid: number
  readonly port: number
  readonly signature: Signature
  readonly #child: ChildProcess
  readonly #folder: string

  private constructor(child: ChildProcess, port: number, folder: string, carrier?: Carrier) {
    this.signature = { ...SERVED_SIGNATURE, carrier }
    this.#child = child
    this.#folder = folder
    this.port = port
    this.pid = listenerOf(port, child.pid!)
  }

  /** Resolves when it accepts calls. Rejects with its output if it does not. */
  static async start(options: ServedStart): Promise<Served> {
    const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-'))
    writeFileSync(join(folder, 'dragoman.yaml'), JSON.stringify(servedSettings(options)))
    const { certificate } = options.discord ?? {}
    if (certificate !== undefined) writeFileSync(join(folder, CERTIFICATE), certificate)
    const log = join(folder, 'output.log')
    const output = openSync(log, 'w')
    const [program = '', ...args] = pinned(options.core, commandOf(options.start))
    const child = spawn(program, args, {
      cwd: folder,
      env: environment(options),
      stdio: ['ignore', output, output],
      detached: true,
    })
    closeSync(output)
    if (child.pid !== undefined) favor(child.pid)
    try {
      return new Served(child, await portIn(log, child), folder, options.carrier)
    } catch (error) {
      if (child.pid !== undefined) kill(family(child.pid))
      rmSync(folder, { recursive: true, force: true })
      throw error
    }
  }

  /** Not available without changing the process. */
  memory(): Promise<undefined> {
    return Promise.resolve(undefined)
  }

  /** Ends it like Ctrl-C, and kills it after 20 s. Idempotent. */
  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exited = new Promise<void>(settle => this.#child.once('exit', () => settle()))
      const processes = family(this.#child.pid!)
      process.kill(this.pid, 'SIGINT')
      const deadline = setTimeout(() => kill(processes), STOP_MS)
      await exited
      clearTimeout(deadline)
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Ends processes that we started; some have possibly ended already. */
function kill(pids: readonly number[]): void {
  for (const pid of pids)
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
}

function commandOf(start: Start): string[] {
  const text = (path: string) => readFileSync(join(ROOT, path), 'utf8')
  return startCommand(start, {
    root: ROOT,
    packageJson: text('package.json'),
    dockerfile: text('deploy/docker/Dockerfile'),
  })
}

/** The environment of a user: this version of Node first, and nothing that changes the settings or Node. */
function environment({ flags, env, discord }: ServedStart): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, ...own } = process.env
  const kept = Object.entries(own).filter(([name]) => !name.startsWith('DRAGOMAN_'))
  return {
    ...Object.fromEntries(kept),
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    ...(flags.length > 0 ? { NODE_OPTIONS: flags.map(flag => JSON.stringify(flag)).join(' ') } : {}),
    ...(discord ? { NODE_EXTRA_CA_CERTS: CERTIFICATE } : {}),
    ...env,
  }
}

/** Waits for the address in the output. */
async function portIn(log: string, child: ChildProcess): Promise<number> {
  let failure: string | undefined
  child.once('error', error => {
    failure = error.message
  })
  for (let waited = 0; waited < START_MS; waited += POLL_MS) {
    const text = readFileSync(log, 'utf8')
    const address = LISTENS.exec(text)?.[1]
    if (address !== undefined) return Number(new URL(address).port)
    if (child.exitCode !== null || child.signalCode !== null) failure ??= `it ended (${child.exitCode})`
    if (failure !== undefined) throw new Error(`dragoman serve did not start: ${failure}\n${text}`)
    await sleep(POLL_MS)
  }
  throw new Error(`dragoman serve printed no address within ${START_MS / 1000} s`)
}
