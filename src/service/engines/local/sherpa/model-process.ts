import { type ChildProcess, fork } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { backoffMs } from '../../../../common/backoff.ts'
import { childEnvironment } from '../../../../common/child-environment.ts'
import { type Clock, setTimer } from '../../../../common/clock.ts'
import { MEMORY_FLAGS } from '../../../../common/memory-flags.ts'
import { killOnParentExit, Watchdog } from '../../../supervision.ts'
import { EngineError } from '../../engine.ts'
import type { ModelReply, ModelRequest, RecognitionLoad, SynthesisLoad } from './messages.ts'

/** Delays between attempts to load a model again. */
const RESTART = { firstMs: 100, maxMs: 5_000 }
/** Failures in a row after which the process rests. */
const MAX_FAILURES = 3
/** Time for which it rests then (ms). */
const COOLDOWN_MS = 60_000
/** Maximum time to load a model (ms): of several gigabytes, from a slow disk. */
const LOAD_TIMEOUT_MS = 120_000
/** Time after which a process counts as stable (ms). */
const STEADY_MS = 10_000
/** Maximum wait of a new user for a process that restarts (ms); then another engine is better. */
const OPEN_WAIT_MS = 2_000
/** Lines and letters of the library's output that an error quotes. */
const OUTPUT = { lines: 3, letters: 400 }

/** A stream or speech that uses a process. */
export interface ModelUser {
  /** A message for this user. */
  reply(message: ModelReply): void
  /** The process has ended and no longer has this user. */
  lost(error: EngineError): void
}

export interface ModelProcessOptions {
  readonly load: RecognitionLoad | SynthesisLoad
  readonly clock: Clock
}

type State = 'loading' | 'ready' | 'waiting' | 'resting' | 'closed'

/**
 * A child process with one model. sherpa-onnx blocks its thread while it decodes, and ends its process when a model is
 * invalid; neither reaches this process. A process that ends is started again after a delay, which grows; after three
 * failures in a row it rests. A process that stops responding is killed.
 *
 *   loading ──ready──▶ ready ──ended──▶ waiting ──▶ loading     three failures: resting ──▶ loading     any ──close──▶ closed
 */
export class ModelProcess {
  readonly #options: ModelProcessOptions
  readonly #users = new Map<number, ModelUser>()
  #state: State = 'loading'
  #child: ChildProcess | undefined
  #nextId = 1
  #failures = 0
  #readyAt = 0
  /** Load timeout, heartbeat, or the next start. */
  #watch: Disposable | undefined
  #output = ''
  #reason = 'is starting'
  #changed = Promise.withResolvers<void>()
  #sampleRate = 0
  #speakers = 0

  private constructor(options: ModelProcessOptions) {
    this.#options = options
  }

  /** Starts the process and resolves when the model is loaded. Rejects with an `EngineError` if it cannot be loaded. */
  static async start(options: ModelProcessOptions): Promise<ModelProcess> {
    const process = new ModelProcess(options)
    process.#spawn()
    while (process.#state === 'loading') await process.#changed.promise
    if (process.#state === 'ready') return process
    const error = process.#error(process.#reason)
    process.close()
    throw error
  }

  get ready(): boolean {
    return this.#state === 'ready'
  }

  /** True if a start is near: it loads, or does so after a short delay. */
  get starting(): boolean {
    return this.#state === 'loading' || this.#state === 'waiting'
  }

  /** Id of the running process. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Number of streams or speeches that use it. */
  get users(): number {
    return this.#users.size
  }

  /** Sample rate of the voices (Hz). */
  get sampleRate(): number {
    return this.#sampleRate
  }

  /** Number of voices. */
  get speakers(): number {
    return this.#speakers
  }

  /** Why there is no process. */
  get reason(): string {
    return this.#reason
  }

  /** Resolves when the process is ready, or after some seconds when it is not. */
  async settled(): Promise<void> {
    const late = Promise.withResolvers<void>()
    const timer = setTimer(this.#options.clock, OPEN_WAIT_MS, late.resolve)
    let waiting = true
    void late.promise.then(() => {
      waiting = false
    })
    while (waiting && this.starting) await Promise.race([this.#changed.promise, late.promise])
    timer[Symbol.dispose]()
  }

  /** Adds a user and returns its number in messages. Only while `ready`. */
  add(user: ModelUser): number {
    const id = this.#nextId++
    this.#users.set(id, user)
    return id
  }

  remove(id: number): void {
    this.#users.delete(id)
  }

  /** Sends a message, which is copied before this returns. Without a running process, it is dropped. */
  send(message: ModelRequest): void {
    if (this.#child?.connected) this.#child.send(message, ignore)
  }

  /** Ends the process at once; users are not notified. Idempotent. */
  close(): void {
    this.#users.clear()
    this.#watch?.[Symbol.dispose]()
    this.#change('closed')
    this.#child?.kill('SIGKILL')
  }

  #spawn(): void {
    const { clock, load } = this.#options
    const child = fork(new URL(`./child-main${extension()}`, import.meta.url), {
      serialization: 'advanced',
      execArgv: [...MEMORY_FLAGS],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...childEnvironment(), MALLOC_ARENA_MAX: '2' },
    })
    this.#child = child
    this.#output = ''
    killOnParentExit(child)
    if (child.pid !== undefined) lowerPriority(child.pid)
    child.stderr?.setEncoding('utf8')
    child.stderr?.on('data', (text: string) => this.#print(text))
    child.on('message', (message: ModelReply) => {
      if (child === this.#child) this.#take(message)
    })
    // Fired instead of `exit` if the process cannot be started; `exit` follows in other cases.
    child.on('error', () => child.pid === undefined && this.#ended(child, 'cannot be started'))
    child.once('exit', (code, signal) => this.#ended(child, `ended with ${signal ?? `exit code ${code}`}`))
    this.#watch = setTimer(clock, LOAD_TIMEOUT_MS, () =>
      this.#kill(`the model is not loaded after ${LOAD_TIMEOUT_MS} ms`),
    )
    this.#change('loading')
    this.send({ type: 'load', load })
  }

  #take(message: ModelReply): void {
    switch (message.type) {
      case 'ready':
        this.#sampleRate = message.sampleRate
        this.#speakers = message.speakers
        this.#becomeReady()
        return
      case 'failed':
        this.#kill(message.message)
        return
      case 'alive':
        if (this.#watch instanceof Watchdog) this.#watch.answered()
        return
      default:
        this.#users.get('stream' in message ? message.stream : message.speech)?.reply(message)
    }
  }

  #becomeReady(): void {
    const { clock } = this.#options
    this.#watch?.[Symbol.dispose]()
    const heartbeat = new Watchdog({
      clock,
      ask: () => this.send({ type: 'ask' }),
      lost: silentMs => this.#kill(`did not respond for ${silentMs} ms`),
    })
    heartbeat.start()
    this.#watch = heartbeat
    this.#readyAt = clock.now()
    this.#change('ready')
  }

  /** Output is kept only while the model loads: later, it can contain texts. */
  #print(text: string): void {
    if (this.#state === 'loading') this.#output = (this.#output + text).slice(-4 * OUTPUT.letters)
  }

  #kill(reason: string): void {
    const child = this.#child
    if (!child) return
    child.kill('SIGKILL')
    this.#ended(child, reason)
  }

  #ended(child: ChildProcess, how: string): void {
    if (child !== this.#child || this.#state === 'closed') return
    const { clock } = this.#options
    this.#child = undefined
    this.#watch?.[Symbol.dispose]()
    const loaded = this.#state === 'ready'
    this.#reason = loaded
      ? `its process ${how}`
      : [`cannot load the model: ${how}`, ...quoted(this.#output)].join(': ')
    if (loaded && clock.now() - this.#readyAt > STEADY_MS) this.#failures = 0
    this.#failures++
    const rests = this.#failures >= MAX_FAILURES
    const delay = rests ? COOLDOWN_MS : backoffMs(this.#failures, RESTART)
    this.#watch = setTimer(clock, delay, () => this.#spawn())
    this.#change(rests ? 'resting' : 'waiting')
    const users = [...this.#users.values()]
    this.#users.clear()
    for (const user of users) user.lost(this.#error(this.#reason))
  }

  #change(state: State): void {
    this.#state = state
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }

  #error(message: string): EngineError {
    return new EngineError(this.#options.load.task, 'sherpa', message)
  }
}

/** Returns the last lines of the library's output, which state the reason of a failure. */
function quoted(output: string): string[] {
  const lines = output.split('\n').filter(line => line.trim() !== '')
  // Stack frames of Node.js and native code say nothing about the model.
  const useful = lines.filter(line => !/^\s*(at |\d+: |----)/.test(line)).slice(-OUTPUT.lines)
  return useful.length === 0
    ? []
    : [
        useful
          .join(' ')
          .replace(/[\p{Cc}\s]+/gu, ' ')
          .slice(-OUTPUT.letters),
      ]
}

/** With all cores busy, the audio of calls precedes decoding, which has time until the next chunk. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It has just ended, or the system does not permit it.
  }
}

function ignore(): void {}

/** `.ts` from source, `.js` when built. */
function extension(): string {
  return import.meta.url.slice(import.meta.url.lastIndexOf('.'))
}
