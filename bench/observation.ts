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

/** Memory of a process at one time, as V8 and the process itself see it (MiB). */
export interface ObservedMemory {
  /** Since the start of the process. */
  readonly seconds: number
  readonly rss: number
  /** Objects, with the garbage among them, and what V8 holds for them. */
  readonly heapUsed: number
  readonly heapTotal: number
  /** Part of `heapTotal` for objects that survived two collections of the young generation, and for single large ones. */
  readonly oldSpace: number
  readonly largeObjects: number
  /** Memory outside the heap that belongs to objects; buffers are part of it. */
  readonly external: number
  readonly arrayBuffers: number
}

/** Garbage collection, event loop and memory of a process under load, in one window. */
export interface Observed {
  collections: number
  /** Time of all collections, and of the longest one. */
  gcMs: number
  longestGcMs: number
  /** Delay of a timer of 10 ms. */
  loopP50Ms: number
  loopP99Ms: number
  loopMaxMs: number
  /** Every ten seconds. */
  memory: ObservedMemory[]
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
