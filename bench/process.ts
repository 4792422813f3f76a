import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { availableParallelism, setPriority } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PRIORITY = -15

/** Whether processes can be held on one core here: `taskset` is on PATH and there are two cores. */
export function canPin(): boolean {
  if (availableParallelism() < 2) return false
  return (process.env.PATH ?? '').split(delimiter).some(folder => existsSync(join(folder, 'taskset')))
}

/** Lets `pid` go before what else runs on this machine, where that is allowed. */
function first(pid: number): void {
  try {
    setPriority(pid, PRIORITY)
    // Where the kernel shares out the cores by sessions, the session's own weight decides.
    writeFileSync(`/proc/${pid}/autogroup`, String(PRIORITY))
  } catch {
    // Not root, or another kernel: others' work then shows in the figures, and the share they took is reported.
  }
}

/** Lets `pid` run whenever it can, before every ordinary process. Throws where that is not allowed. */
export function runRealtime(pid: number): void {
  execFileSync('chrt', ['--rr', '--all-tasks', '--pid', '1', String(pid)])
}

/** One of the bench's own programs as a child on one core, spoken to by messages. Whoever starts it stops it. */
export class Child {
  readonly pid: number
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
    this.pid = child.pid!
  }

  /** Starts `bench/<program>` pinned to `core` when that is possible here. */
  static start(
    program: string,
    core: number,
    args: readonly string[],
    nodeArgs: readonly string[] = [],
  ): Child {
    const path = fileURLToPath(new URL(program, import.meta.url))
    const pin = canPin()
      ? { execPath: 'taskset', execArgv: ['-c', String(core), process.execPath, ...nodeArgs] }
      : {}
    const child = fork(path, [...args], {
      execArgv: [...nodeArgs],
      ...pin,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // A session of its own; it ends with the channel all the same.
      detached: true,
    })
    first(child.pid!)
    return new Child(child)
  }

  send(message: object): void {
    this.#child.send(message)
  }

  /** The next message of this `kind`. Rejects when the child ends before. */
  when<T extends { kind: string }>(kind: T['kind']): Promise<T> {
    return new Promise((settle, fail) => {
      const done = (): void => {
        this.#child.off('message', hear)
        this.#child.off('exit', gone)
      }
      const hear = (message: unknown): void => {
        if (typeof message !== 'object' || message === null || !('kind' in message) || message.kind !== kind)
          return
        done()
        settle(message as T)
      }
      const gone = (code: number | null, signal: string | null): void => {
        done()
        fail(new Error(`the process ended (${signal ?? code}) before it said ${kind}`))
      }
      this.#child.on('message', hear)
      this.#child.once('exit', gone)
    })
  }

  /** Asks it to end by closing the channel, and waits; kills it after 5 s. Idempotent. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = new Promise<void>(settle => this.#child.once('exit', () => settle()))
    if (this.#child.connected) this.#child.disconnect()
    const deadline = setTimeout(() => this.#child.kill('SIGKILL'), 5_000)
    await exited
    clearTimeout(deadline)
  }
}
