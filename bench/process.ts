import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Ticks of /proc/<pid>/stat a second: 100 on every Linux that Node runs on. */
const MS_PER_TICK = 10

/** Processor time of one process so far, in milliseconds. */
export interface CpuTime {
  user: number
  system: number
}

/** Processor time of `pid` with all its threads, resolution 10 ms. Linux only: throws elsewhere. */
export function cpuOf(pid: number): CpuTime {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // The name in brackets may hold spaces: count fields from after it (utime is field 14, stime 15).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { user: Number(fields[11]) * MS_PER_TICK, system: Number(fields[12]) * MS_PER_TICK }
}

/** Resident memory of `pid`, in KiB. */
export function rssOf(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))
  return Number(line?.[1] ?? Number.NaN)
}

/** Whether processes can be held on one core here: `taskset` is on PATH and there are two cores. */
export function canPin(): boolean {
  if (availableParallelism() < 2) return false
  return (process.env.PATH ?? '').split(delimiter).some(folder => exists(join(folder, 'taskset')))
}

function exists(path: string): boolean {
  try {
    readFileSync(path, { flag: 'r' })
    return true
  } catch {
    return false
  }
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
    })
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
