import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { availableParallelism, setPriority } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PRIORITY = -15

/** The program under load has one core, phones and service the other. */
export const SUBJECT_CORE = 0
export const LOAD_CORE = 1

/** From a bench program: it accepts calls on this port. */
export interface Listening {
  kind: 'listening'
  port: number
}

/** True if processes can be pinned to a core here: requires `taskset` on PATH and two cores. */
export function canPin(): boolean {
  if (availableParallelism() < 2) return false
  return (process.env.PATH ?? '').split(delimiter).some(folder => existsSync(join(folder, 'taskset')))
}

/** `command`, confined to `core` if possible. */
export function pinned(core: number, command: readonly string[]): string[] {
  return canPin() ? ['taskset', '-c', String(core), ...command] : [...command]
}

/** Raises the priority of `pid`, if allowed. */
export function favor(pid: number): void {
  try {
    setPriority(pid, PRIORITY)
    // If the kernel schedules by session groups, the session's own weight decides.
    writeFileSync(`/proc/${pid}/autogroup`, String(PRIORITY))
  } catch {
    // Not root, or another kernel: other work then affects the figures, and its share is reported.
  }
}

/** A bench program as a child process on one core, controlled by messages. The creator stops it. */
export class Child {
  readonly pid: number
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
    this.pid = child.pid!
  }

  /** Starts `program` of this folder, pinned to `core` if possible. */
  static start(
    program: string,
    core: number,
    args: readonly string[],
    nodeArgs: readonly string[] = [],
  ): Child {
    const path = fileURLToPath(new URL(program, import.meta.url))
    const [execPath = '', ...execArgv] = pinned(core, [process.execPath, ...nodeArgs])
    const child = fork(path, [...args], {
      execPath,
      execArgv,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // JSON has no NaN, which stands for figures without measurements.
      serialization: 'advanced',
      // A separate session; it still ends with the channel.
      detached: true,
    })
    favor(child.pid!)
    return new Child(child)
  }

  send(message: object): void {
    this.#child.send(message)
  }

  /** Resolves to the next message of this `kind`. Rejects if the child ends before that. */
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
        fail(new Error(`the process ended (${signal ?? code}) before it sent ${kind}`))
      }
      this.#child.on('message', hear)
      this.#child.once('exit', gone)
    })
  }

  /** Closes the channel and waits for the end; kills the process after 5 s. Idempotent. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = new Promise<void>(settle => this.#child.once('exit', () => settle()))
    if (this.#child.connected) this.#child.disconnect()
    const deadline = setTimeout(() => this.#child.kill('SIGKILL'), 5_000)
    await exited
    clearTimeout(deadline)
  }
}
