import { type ChildProcess, spawn } from 'node:child_process'
import { childEnvironment } from '../../../../common/child-environment.ts'
import { type Clock, setTimer } from '../../../../common/clock.ts'
import { EngineError } from '../../engine.ts'

const RESERVED = /[\\^$/[\]{}<>@]/g

/** Ends a request: the final period makes a sentence of it, the brackets separate it from the next. */
const END = '.[][\n]'

/** Encodes `text` as one request to a pipeline, without the terminating NUL. */
export function encodeRequest(text: string): string {
  return oneLine(text).replace(RESERVED, '\\$&') + END
}

/** Extracts the translation from a pipeline's answer. */
export function decodeAnswer(answer: string): string {
  return oneLine(answer.replace(/\.?\[\]\[\s*\]\s*$/, '').replace(/\\(.)/g, '$1'))
}

/** Removes NUL, control characters and repeated blanks. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
}

/** Time for the processes to end on their own (ms). */
const GOODBYE_MS = 500

interface Request {
  readonly text: string
  readonly resolve: (translation: string) => void
  readonly reject: (error: Error) => void
  /** Already part of one restart. */
  retried: boolean
}

export interface PipelineOptions {
  readonly clock: Clock
  /** Timeout for the first request in the queue (ms). */
  readonly timeoutMs: number
  /** Maximum number of queued requests. */
  readonly maxWaiting: number
}

/**
 * One mode of Apertium as a persistent pipeline of processes. It starts with the first request, answers in order, and
 * restarts when a member dies or a request hangs; later requests are not affected.
 */
export class ApertiumPipeline {
  readonly #command: string
  readonly #options: PipelineOptions
  #waiting: Request[] = []
  #shell: ChildProcess | undefined
  #answer: Buffer[] = []
  #deadline: Disposable | undefined
  #closed = false

  constructor(command: string, options: PipelineOptions) {
    this.#command = command
    this.#options = options
  }

  /** Process group of the running pipeline. */
  get pid(): number | undefined {
    return this.#shell?.pid
  }

  /** Starts the processes and loads their data, unless they are running. */
  async prepare(): Promise<void> {
    if (!this.#shell) await this.translate('.')
  }

  translate(text: string): Promise<string> {
    if (this.#closed) return Promise.reject(failure('is closed'))
    if (this.#waiting.length >= this.#options.maxWaiting)
      return Promise.reject(failure(`${this.#waiting.length} translations are waiting already`))
    return new Promise((resolve, reject) => {
      const request: Request = { text, resolve, reject, retried: false }
      this.#waiting.push(request)
      if (this.#shell) this.#send(request)
      else this.#start()
      if (this.#waiting.length === 1) this.#watch()
    })
  }

  /** Ends the processes and rejects queued requests. Idempotent. */
  close(): void {
    this.#closed = true
    this.#stop()
    for (const request of this.#waiting.splice(0)) request.reject(failure('is closed'))
  }

  #start(): void {
    const shell = spawn('/bin/sh', ['-c', this.#command], {
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
      env: childEnvironment(),
    })
    this.#shell = shell
    this.#answer = []
    const lost = () => this.#lost(shell)
    shell.on('error', lost)
    shell.on('exit', lost)
    shell.stdin?.on('error', lost)
    shell.stdout?.on('end', lost)
    shell.stdout?.on('data', (bytes: Buffer) => {
      if (shell === this.#shell) this.#take(bytes)
    })
    for (const request of this.#waiting) this.#send(request)
  }

  #send(request: Request): void {
    this.#shell?.stdin?.write(`${encodeRequest(request.text)}\0`)
  }

  #take(bytes: Buffer): void {
    let from = 0
    for (let nul = bytes.indexOf(0); nul >= 0; nul = bytes.indexOf(0, from)) {
      this.#answer.push(bytes.subarray(from, nul))
      from = nul + 1
      const answer = decodeAnswer(Buffer.concat(this.#answer.splice(0)).toString('utf8'))
      const first = this.#waiting[0]
      // An empty answer is the first sign of a dead member.
      if (answer === '' && first && /[\p{L}\p{N}]/u.test(first.text) && !first.retried && this.#shell) {
        this.#lost(this.#shell)
        return
      }
      this.#waiting.shift()?.resolve(answer)
      this.#watch()
    }
    if (from < bytes.length) this.#answer.push(bytes.subarray(from))
  }

  /** Applies the deadline to the first request in the queue. */
  #watch(): void {
    this.#deadline?.[Symbol.dispose]()
    this.#deadline = undefined
    if (this.#waiting.length === 0) return
    this.#deadline = setTimer(this.#options.clock, this.#options.timeoutMs, () => {
      this.#waiting.shift()?.reject(failure(`no answer within ${this.#options.timeoutMs} ms`))
      this.#restart()
    })
  }

  /** A member died. Queued requests are sent again once; those sent twice are rejected. */
  #lost(shell: ChildProcess): void {
    if (shell !== this.#shell) return
    const again = this.#waiting.filter(request => !request.retried)
    for (const request of this.#waiting) if (request.retried) request.reject(failure('died'))
    for (const request of again) request.retried = true
    this.#waiting = again
    this.#restart()
  }

  #restart(): void {
    this.#stop()
    if (this.#waiting.length > 0 && !this.#closed) this.#start()
    this.#watch()
  }

  /**
   * Closes the input, so that all members end and the shell reaps them. After a delay the whole process group is
   * killed: killing only the shell would leave its members behind.
   */
  #stop(): void {
    const shell = this.#shell
    this.#shell = undefined
    this.#deadline?.[Symbol.dispose]()
    this.#deadline = undefined
    if (shell?.pid === undefined) return
    shell.stdin?.destroy()
    if (shell.exitCode !== null || shell.signalCode !== null) return
    const group = -shell.pid
    const late = setTimer(this.#options.clock, GOODBYE_MS, () => {
      try {
        process.kill(group, 'SIGKILL')
      } catch {
        // Already ended.
      }
    })
    shell.once('exit', () => late[Symbol.dispose]())
  }
}

function failure(what: string): EngineError {
  return new EngineError('translation', 'apertium', what)
}
