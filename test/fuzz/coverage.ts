import { Session } from 'node:inspector'

interface Range {
  startOffset: number
  endOffset: number
  count: number
}
interface Script {
  scriptId: string
  url: string
  functions: { ranges: Range[] }[]
}

/** Records which blocks of the program have run, by V8's counters; requires no installation. */
export class Coverage implements Disposable {
  readonly #session = new Session()
  readonly #seen = new Set<string>()

  constructor() {
    this.#session.connect()
    this.#session.post('Profiler.enable')
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }

  /** Blocks reached so far. */
  get blocks(): number {
    return this.#seen.size
  }

  /** Number of blocks that ran for the first time since the last call. */
  fresh(): number {
    let fresh = 0
    for (const { scriptId, url, functions } of this.#taken()) {
      if (!url.includes('/src/')) continue
      for (const { ranges } of functions)
        for (const { startOffset, endOffset, count } of ranges) {
          // The number of repetitions counts, too, in classes: loops.
          const times = count === 0 ? 0 : count < 3 ? 1 : count < 16 ? 2 : 3
          const key = `${scriptId}:${startOffset}:${endOffset}:${times}`
          if (times === 0 || this.#seen.has(key)) continue
          this.#seen.add(key)
          fresh++
        }
    }
    return fresh
  }

  [Symbol.dispose](): void {
    this.#session.disconnect()
  }

  #taken(): readonly Script[] {
    let scripts: readonly Script[] = []
    // In this process it responds synchronously.
    this.#session.post('Profiler.takePreciseCoverage', (_error: unknown, answer: { result: Script[] }) => {
      scripts = answer.result
    })
    return scripts
  }
}
