import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from './until.ts'

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname
/** Real engines on a busy machine. */
const PATIENCE_MS = 90_000

/** Prevents rejections by a busy machine. */
const NEVER_LATE = {
  DRAGOMAN_EMBEDDED_ADMIT_LAG_MS: '60000',
}

/** An empty working directory, and commands in it as a user types them, without external settings. */
export class Shell implements AsyncDisposable {
  readonly folder: string
  readonly #running = new Set<Command>()

  private constructor(folder: string) {
    this.folder = folder
  }

  static async open(): Promise<Shell> {
    return new Shell(await mkdtemp(join(tmpdir(), 'dragoman-shell-')))
  }

  /** Starts `dragoman …`. */
  start(...args: string[]): Command {
    return this.startWith({}, ...args)
  }

  /** Starts `dragoman …` with these variables in its environment. */
  startWith(settings: Readonly<Record<string, string>>, ...args: string[]): Command {
    const command = new Command(args, this.folder, settings)
    this.#running.add(command)
    void command.ended.then(() => this.#running.delete(command))
    return command
  }

  /** Runs `dragoman …` to its end. */
  async run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    const command = this.start(...args)
    const code = await command.ended
    return { code, out: command.out, err: command.err }
  }

  /** Ends running commands, and deletes the folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(Array.from(this.#running, command => command.end('SIGKILL')))
    await rm(this.folder, { recursive: true, force: true })
  }
}

/** One running command. */
export class Command {
  out = ''
  err = ''
  /** The exit code; −1 if a signal ended it. Never rejects. */
  readonly ended: Promise<number>
  readonly #child: ChildProcess
  #code: number | undefined

  constructor(args: readonly string[], cwd: string, settings: Readonly<Record<string, string>>) {
    const env = Object.fromEntries(
      Object.entries(process.env).filter(
        ([name]) => !/^(dragoman_|vitest|node_env$|node_options$)/i.test(name),
      ),
    )
    this.#child = spawn(process.execPath, [MAIN, ...args], {
      cwd,
      env: { ...env, ...NEVER_LATE, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child.stdout?.on('data', chunk => {
      this.out += chunk
    })
    this.#child.stderr?.on('data', chunk => {
      this.err += chunk
    })
    const limit = setTimeout(() => this.#child.kill('SIGKILL'), PATIENCE_MS)
    this.ended = once(this.#child, 'close').then(([exit]: (number | null)[]) => {
      clearTimeout(limit)
      const code = exit ?? -1
      this.#code = code
      return code
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** The first match of `pattern` in the output; rejects if the command ends without it. */
  says(pattern: RegExp): Promise<RegExpExecArray> {
    const look = () => {
      const found = pattern.exec(this.out)
      if (found) return found
      if (this.#code !== undefined) throw new Error(`ended with ${this.#code} before ${pattern}: ${this.err}`)
      return undefined
    }
    return until(look, PATIENCE_MS, `${pattern}`)
  }

  /** Stops reading its stderr. */
  stopReading(): void {
    this.#child.stderr?.removeAllListeners('data').pause()
  }

  /** Sends `signal` and waits for the exit code. */
  end(signal: NodeJS.Signals): Promise<number> {
    this.#child.kill(signal)
    return this.ended
  }
}
