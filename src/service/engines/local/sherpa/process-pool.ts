import { EngineError } from '../../engine.ts'
import { ModelProcess, type ModelProcessOptions } from './model-process.ts'

/** The processes of one engine, all with the same model. */
export class ProcessPool {
  readonly #processes: readonly ModelProcess[]
  readonly #options: ModelProcessOptions
  #closed = false

  private constructor(processes: readonly ModelProcess[], options: ModelProcessOptions) {
    this.#processes = processes
    this.#options = options
  }

  /**
   * Starts `size` processes. The first one loads alone, so that an invalid model fails once. Rejects with an
   * `EngineError` if one cannot load the model.
   */
  static async start(size: number, options: ModelProcessOptions): Promise<ProcessPool> {
    if (!(size >= 1)) throw new RangeError(`a pool has at least 1 process, got ${size}`)
    const first = await ModelProcess.start(options)
    const others = await Promise.allSettled(
      Array.from({ length: size - 1 }, () => ModelProcess.start(options)),
    )
    const processes = [first, ...others.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []))]
    const pool = new ProcessPool(processes, options)
    const failed = others.find(each => each.status === 'rejected')
    if (!failed) return pool
    pool.close()
    throw failed.reason
  }

  /** Ids of the running processes. */
  get pids(): number[] {
    return this.#processes.flatMap(({ pid }) => pid ?? [])
  }

  /** Sample rate of the voices (Hz), and their number. */
  get voices(): { readonly sampleRate: number; readonly speakers: number } {
    const { sampleRate, speakers } = this.#processes[0]!
    return { sampleRate, speakers }
  }

  /**
   * Returns the process with the fewest users. Waits some seconds for a restart; rejects with an `EngineError`
   * if no process is ready then, or if all rest after repeated failures.
   */
  async acquire(): Promise<ModelProcess> {
    const ready = this.#leastUsed()
    if (ready) return ready
    const starting = this.#processes.filter(process => process.starting)
    if (starting.length > 0) await Promise.race(starting.map(process => process.settled()))
    const process = this.#leastUsed()
    if (process) return process
    const reason = this.#closed ? 'is closed' : (this.#processes[0]?.reason ?? 'has no process')
    throw new EngineError(this.#options.load.task, 'sherpa', reason)
  }

  /** Ends the processes. Idempotent. */
  close(): void {
    this.#closed = true
    for (const process of this.#processes) process.close()
  }

  #leastUsed(): ModelProcess | undefined {
    return this.#processes.filter(({ ready }) => ready).toSorted((a, b) => a.users - b.users)[0]
  }
}
