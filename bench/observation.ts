import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** Environment variable with the folder for the files of an observed process. */
export const OBSERVE_FOLDER = 'BENCH_OBSERVE_FOLDER'

/** Node flag that loads the observer. */
const FLAG = `--import=${fileURLToPath(new URL('observer.ts', import.meta.url))}`
const POLL_MS = 20
const PATIENCE_MS = 5_000

/** Garbage collection and event loop of a process under load, in one window. */
export interface Observed {
  collections: number
  /** Time of all collections, and of the longest one. */
  gcMs: number
  longestGcMs: number
  /** Delay of a timer of 10 ms. */
  loopP50Ms: number
  loopP99Ms: number
  loopMaxMs: number
}

/** Observes one process from inside. The creator disposes of it, after the end of the process. */
export class Observation implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-'))
  #taken = 0

  /** Node flags of the process. */
  readonly flags: readonly string[] = [FLAG]

  /** Environment of the process. */
  get env(): Record<string, string> {
    return { [OBSERVE_FOLDER]: this.#folder }
  }

  /** Returns what happened in process `pid` since the last call, or since its start. Rejects if it does not answer. */
  async take(pid: number): Promise<Observed> {
    const path = join(this.#folder, `${pid}.${++this.#taken}.json`)
    process.kill(pid, 'SIGUSR2')
    for (let waited = 0; !existsSync(path); waited += POLL_MS) {
      if (waited > PATIENCE_MS) throw new Error(`process ${pid} did not report its event loop`)
      await sleep(POLL_MS)
    }
    return JSON.parse(readFileSync(path, 'utf8')) as Observed
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
