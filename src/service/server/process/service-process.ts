import { type ChildProcess, fork } from 'node:child_process'
import { childEnvironment } from '../../../common/child-environment.ts'
import { type Clock, setTimer, systemClock } from '../../../common/clock.ts'
import { BridgeError } from '../../../common/errors.ts'
import type { EndReason } from '../../../common/lifecycle.ts'
import { type Logger, noopLogger } from '../../../common/log.ts'
import { MEMORY_FLAGS } from '../../../common/memory-flags.ts'
import { reachableUrl } from '../../../net/client-address.ts'
import { THREADS } from '../../engines/thread-budget.ts'
import { killOnParentExit, Watchdog } from '../../supervision.ts'
import type { ServiceConfig } from '../settings.ts'
import type { AskMessage, ProcessMessage, ServiceFigures, StartMessage } from './messages.ts'

/** Restart delays: doubling from the first to the maximum (ms). */
const BACK_OFF_MS = { first: 100, most: 5_000 }
/** Uptime after which the restart delay is reset (ms). */
const STEADY_MS = 10_000
/** Time to shut down gracefully before the process is killed (ms). */
const GOODBYE_MS = 4_000
/** Time to start listening (ms): engines are loaded before, each model within 120 s. */
const START_MS = 150_000

/** Options of the embedded service's process. */
export interface ServiceProcessOptions {
  readonly clock?: Clock
  /** Also receives the log lines of the process. */
  readonly log?: Logger
}

/**
 * Runs the embedded service in a separate process, so that its work never delays the bridge. A process that dies is
 * restarted on the same port with an exponential delay; its sessions are lost, its address stays. A process that stops
 * responding is killed and then restarted. It never outlives this process.
 *
 *   starting ──listening──▶ running ──died──▶ waiting ──▶ starting     any ──close──▶ ended
 */
export class ServiceProcess {
  /** Settles once: closed, or the settings are rejected. Never rejects. */
  readonly ended: Promise<EndReason>
  readonly #config: ServiceConfig
  readonly #clock: Clock
  readonly #log: Logger
  readonly #settle: (reason: EndReason) => void
  #child: ChildProcess | undefined
  #port = 0
  #restarts = 0
  #figures: ServiceFigures | undefined
  #listening = false
  #waitMs = BACK_OFF_MS.first
  #timer: Disposable | undefined
  /** Kills a process that takes too long to start, later a process that does not respond. */
  #watch: Disposable | undefined
  #heartbeat: Watchdog | undefined
  #closing: Promise<void> | undefined
  #first: { resolve: () => void; reject: (error: BridgeError) => void } | undefined

  private constructor(
    config: ServiceConfig,
    { clock = systemClock, log = noopLogger }: ServiceProcessOptions,
  ) {
    this.#config = config
    this.#clock = clock
    this.#log = log
    const { promise, resolve } = Promise.withResolvers<EndReason>()
    this.ended = promise
    this.#settle = resolve
  }

  /**
   * Starts the process and resolves when it listens. Rejects with `CONFIG` when the settings are invalid, with
   * `SERVICE_UNREACHABLE` when the process cannot start.
   */
  static async start(config: ServiceConfig, options: ServiceProcessOptions = {}): Promise<ServiceProcess> {
    const process = new ServiceProcess(config, options)
    await process.#begin()
    return process
  }

  /** Address of the service; it stays the same after a restart. */
  get url(): string {
    return reachableUrl(this.#config.host ?? '127.0.0.1', this.#port)
  }

  /** Id of the running process; undefined between two processes. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** True while the service listens and responds. */
  get running(): boolean {
    return this.#child !== undefined && this.#listening
  }

  /** Number of restarts. */
  get restarts(): number {
    return this.#restarts
  }

  /**
   * Latest figures, at most some seconds old; undefined before the first report and while the service is unavailable.
   */
  get figures(): ServiceFigures | undefined {
    return this.running ? this.#figures : undefined
  }

  /** Ends the process, gracefully if possible. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#shutDown()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #begin(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#first = { resolve, reject }
    this.#spawn()
    await promise
  }

  async #shutDown(): Promise<void> {
    this.#timer?.[Symbol.dispose]()
    this.#watch?.[Symbol.dispose]()
    const child = this.#child
    if (child && child.exitCode === null && child.signalCode === null) {
      const gone = new Promise(resolve => child.once('exit', resolve))
      const late = setTimer(this.#clock, GOODBYE_MS, () => child.kill('SIGKILL'))
      child.kill('SIGTERM')
      await gone
      late[Symbol.dispose]()
    }
    this.#settle({ kind: 'hangup', by: 'local' })
  }

  #spawn(): void {
    const started = this.#clock.now()
    const child = fork(new URL(`./child-main${extension()}`, import.meta.url), {
      execArgv: [...MEMORY_FLAGS],
      env: {
        ...childEnvironment(),
        // Decoders are large and created on the thread pool; with one malloc arena per thread their memory would add
        // up.
        MALLOC_ARENA_MAX: '2',
        UV_THREADPOOL_SIZE: String(THREADS),
      },
    })
    this.#child = child
    killOnParentExit(child)
    this.#watch = setTimer(this.#clock, START_MS, () => this.#kill(child, 'does not listen', START_MS))
    child.on('message', (message: ProcessMessage) => this.#heard(message))
    child.on('error', error => this.#log.error({ reason: error.message }, 'service process error'))
    child.once('exit', (code, signal) => this.#died({ code, signal }, this.#clock.now() - started))
    const config = { ...this.#config, port: this.#port || (this.#config.port ?? 0) }
    child.send({ type: 'start', config } satisfies StartMessage, () => {})
  }

  #heard(message: ProcessMessage): void {
    switch (message.type) {
      case 'alive':
        this.#heartbeat?.answered()
        this.#figures = message.figures
        return
      case 'listening':
        this.#port = message.port
        this.#listening = true
        this.#log.info({ port: message.port, servicePid: this.pid }, 'service process listening')
        this.#listenToHeart()
        this.#first?.resolve()
        this.#first = undefined
        return
      case 'failed':
        this.#log.error({ code: message.code, reason: message.message }, 'service process failed')
        if (message.code === 'config' || this.#first) this.#giveUp(message)
        return
      case 'log':
        this.#log[message.level](message.fields, message.message)
        return
      default:
        message satisfies never
    }
  }

  #listenToHeart(): void {
    const child = this.#child
    this.#watch?.[Symbol.dispose]()
    if (!child || this.#closing) return
    this.#heartbeat = new Watchdog({
      clock: this.#clock,
      ask: () => void (child.connected && child.send({ type: 'ask' } satisfies AskMessage, () => {})),
      lost: silentMs => this.#kill(child, 'does not answer', silentMs),
    })
    this.#heartbeat.start()
    this.#watch = this.#heartbeat
  }

  #kill(child: ChildProcess, why: string, afterMs: number): void {
    this.#log.error({ servicePid: child.pid, why, afterMs }, 'service process killed')
    child.kill('SIGKILL')
  }

  /** A retry would fail again. */
  #giveUp(failed: { code: 'config' | 'start'; message: string }): void {
    const error = new BridgeError(failed.code === 'config' ? 'CONFIG' : 'SERVICE_UNREACHABLE', failed.message)
    this.#closing ??= Promise.resolve()
    this.#first?.reject(error)
    this.#first = undefined
    this.#settle({ kind: 'failed', error })
  }

  #died(how: object, livedMs: number): void {
    this.#child = undefined
    this.#listening = false
    this.#figures = undefined
    this.#watch?.[Symbol.dispose]()
    if (this.#closing) return
    if (this.#first) {
      this.#giveUp({ code: 'start', message: 'the service process died before it listened' })
      return
    }
    if (livedMs > STEADY_MS) this.#waitMs = BACK_OFF_MS.first
    this.#log.warn({ ...how, livedMs: Math.round(livedMs), waitMs: this.#waitMs }, 'service process died')
    this.#timer = setTimer(this.#clock, this.#waitMs, () => {
      this.#restarts++
      this.#spawn()
    })
    this.#waitMs = Math.min(BACK_OFF_MS.most, this.#waitMs * 2)
  }
}

/** `.ts` from source, `.js` when built. */
function extension(): string {
  return import.meta.url.slice(import.meta.url.lastIndexOf('.'))
}
