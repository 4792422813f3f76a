import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { family, listenerOf } from './listener.ts'
import { languageOf, numberOf } from './numbers.ts'
import { favor, pinned, SUBJECT_CORE } from './process.ts'

/** First line of its output, with the address. */
const LISTENS = /on the line at (http:\/\/\S+)/
const POLL_MS = 50
const START_MS = 60_000
const STOP_MS = 20_000

/** The data with which calls pass the signature check of the bridge. */
export interface Signature {
  authToken: string
  /** The public address that the bridge is configured with. */
  publicUrl: string
}

const SIGNATURE: Signature = {
  publicUrl: 'https://bridge.example.com',
  authToken: '0123456789abcdef0123456789abcdef',
}

export interface ServedOptions {
  /** Folder of the project, or of another checkout with its dependencies. */
  readonly root: string
  /** Address of the scripted service. */
  readonly service: string
  readonly legs: number
  /** Additional Node flags, passed as NODE_OPTIONS. */
  readonly flags: readonly string[]
}

/** `dragoman serve` as `npm start` runs it, with its settings in its own folder. The creator stops it. */
export class Served {
  /** The process that accepts calls. */
  readonly pid: number
  readonly port: number
  readonly signature = SIGNATURE
  readonly #child: ChildProcess
  readonly #folder: string

  private constructor(child: ChildProcess, port: number, folder: string) {
    this.#child = child
    this.#folder = folder
    this.port = port
    this.pid = listenerOf(port, child.pid!)
  }

  /** Resolves when it accepts calls. Rejects with its output if it does not. */
  static async start(options: ServedOptions): Promise<Served> {
    const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-'))
    writeFileSync(join(folder, 'dragoman.yaml'), JSON.stringify(settings(options)))
    const log = join(folder, 'output.log')
    const output = openSync(log, 'w')
    const [program = '', ...args] = pinned(SUBJECT_CORE, startCommand(options.root))
    const child = spawn(program, args, {
      cwd: folder,
      env: environment(options.flags),
      stdio: ['ignore', output, output],
      detached: true,
    })
    closeSync(output)
    if (child.pid !== undefined) favor(child.pid)
    try {
      return new Served(child, await portIn(log, child), folder)
    } catch (error) {
      if (child.pid !== undefined) kill(family(child.pid))
      rmSync(folder, { recursive: true, force: true })
      throw error
    }
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

/** Everything that the bridge needs to be called, and defaults for the rest. */
function settings({ service, legs }: ServedOptions): object {
  const numbers = Array.from({ length: legs }, (_, index) => [
    numberOf(index),
    { speaks: 'en-us', hears: languageOf(index) },
  ])
  return {
    host: '127.0.0.1',
    port: 0,
    publicUrl: SIGNATURE.publicUrl,
    service: { url: service, apiKey: 'simulated-key' },
    // The default admits 300.
    ...(legs > 300 ? { relay: { maxLegs: legs } } : {}),
    twilio: { authToken: SIGNATURE.authToken, numbers: Object.fromEntries(numbers) },
  }
}

/** What `npm start` runs in the folder `root`, with absolute paths. */
function startCommand(root: string): string[] {
  const { scripts = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts?: Record<string, string>
  }
  if (scripts.start === undefined) throw new Error(`there is no scripts.start in ${root}/package.json`)
  const words = scripts.start.split(' ').filter(word => word !== '')
  return words.map(word => (/\.[mc]?[jt]s$/.test(word) ? resolve(root, word) : word))
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

/** The environment of a user: this version of Node first, and nothing that changes the settings or Node. */
function environment(flags: readonly string[]): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _, ...own } = process.env
  const kept = Object.entries(own).filter(([name]) => !name.startsWith('DRAGOMAN_'))
  return {
    ...Object.fromEntries(kept),
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    ...(flags.length > 0 ? { NODE_OPTIONS: flags.map(flag => JSON.stringify(flag)).join(' ') } : {}),
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
