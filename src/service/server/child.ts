import { type ChildProcess, fork } from 'node:child_process'
import { childEnvironment } from '../../core/child-environment.ts'
import { after, type Clock, systemClock } from '../../core/clock.ts'
import { BridgeError, type EndReason } from '../../core/errors.ts'
import { type Log, silentLog } from '../../core/log.ts'
import { THREADS } from './engines/thread-use.ts'
import { Heartbeat } from './heartbeat.ts'
import type { AskMessage, ProcessMessage, ServiceFigures, StartMessage } from './process-messages.ts'
import { endsWithUs } from './same-end.ts'
import { type ServiceConfig, serviceUrl } from './service-config.ts'

/** Waits between restarts: doubling from the first to the last (ms). */
const BACK_OFF_MS = { first: 100, most: 5_000 }
/** A process that lived this long starts the waits anew (ms). */
const STEADY_MS = 10_000
/** Time to end gracefully before it is killed (ms). */
const GOODBYE_MS = 4_000
/** Time to begin to listen (ms): engines are loaded, perhaps on a machine that is busy. */
const START_MS = 60_000

/** How the process of the embedded service is kept. */
export interface ServiceProcessOptions {
  readonly clock?: Clock
  /** Gets the process's own lines as well. */
  readonly log?: Log
}

/**
 * The embedded service in a process of its own, so that its work never delays the bridge. When it dies it is started
 * again on the same port, after a wait that doubles; sessions are lost, the address stays. One that does not answer any more
 * is killed, and so dies. It never outlives this process.
 *
 *   starting ──listening──▶ running ──died──▶ waiting ──▶ starting     any ──close──▶ ended
 */
export class ServiceProcess {
  /** Settles once: closed, or the settings are refused. Never rejects. */
  readonly ended: Promise<EndReason>
  readonly #config: ServiceConfig
  readonly #clock: Clock
  readonly #log: Log
  readonly #settle: (reason: EndReason) => void
  #child: ChildProcess | undefined
  #port = 0
  #restarts = 0
  #figures: ServiceFigures | undefined
  #listening = false
  #waitMs = BACK_OFF_MS.first
  #timer: Disposable | undefined
  /** Ends a process that takes too long to start, then one that does not answer. */
  #watch: Disposable | undefined
  #heartbeat: Heartbeat | undefined
  #closing: Promise<void> | undefined
  #first: { resolve: () => void; reject: (error: BridgeError) => void } | undefined

  private constructor(
    config: ServiceConfig,
    { clock = systemClock, log = silentLog }: ServiceProcessOptions,
  ) {
    this.#config = config
    this.#clock = clock
    this.#log = log
    const { promise, resolve } = Promise.withResolvers<EndReason>()
    this.ended = promise
    this.#settle = resolve
  }

  /**
   * Starts the process and resolves when it listens. Rejects with `CONFIG` when the settings are refused, with
   * `SERVICE_UNREACHABLE` when it cannot start.
   */
  static async start(config: ServiceConfig, options: ServiceProcessOptions = {}): Promise<ServiceProcess> {
    const process = new ServiceProcess(config, options)
    await process.#begin()
    return process
  }

  /** Address of the service; the same after a restart. */
  get url(): string {
    return serviceUrl(this.#config.host ?? '127.0.0.1', this.#port)
  }

  /** Id of the running process; undefined between two. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** It listens and answers. */
  get running(): boolean {
    return this.#child !== undefined && this.#listening
  }

  /** How often it had to be started again. */
  get restarts(): number {
    return this.#restarts
  }

  /** How it is doing, at most some seconds old; undefined before it has said so, and while it is away. */
  get figures(): ServiceFigures | undefined {
    return this.running ? this.#figures : undefined
  }

  /** Ends the process, gracefully if it can. Idempotent. */
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
      const late = after(this.#clock, GOODBYE_MS, () => child.kill('SIGKILL'))
      child.kill('SIGTERM')
      await gone
      late[Symbol.dispose]()
    }
    this.#settle({ kind: 'hangup', by: 'local' })
  }

  #spawn(): void {
    const started = this.#clock.now()
    const child = fork(new URL(`./process${extension()}`, import.meta.url), {
      execArgv: [],
      env: {
        ...childEnvironment(),
        // Decoders are large and made on the thread pool: with an arena per thread their memory would add up.
        MALLOC_ARENA_MAX: '2',
        UV_THREADPOOL_SIZE: String(THREADS),
      },
    })
    this.#child = child
    endsWithUs(child)
    this.#watch = after(this.#clock, START_MS, () => this.#kill(child, 'does not listen', START_MS))
    child.on('message', (message: ProcessMessage) => this.#heard(message))
    child.on('error', error => this.#log.error({ reason: error.message }, 'service process cannot be run'))
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
    this.#heartbeat = new Heartbeat({
      clock: this.#clock,
      ask: () => void (child.connected && child.send({ type: 'ask' } satisfies AskMessage, () => {})),
      lost: silentMs => this.#kill(child, 'does not answer', silentMs),
    })
    this.#watch = this.#heartbeat
  }

  #kill(child: ChildProcess, why: string, afterMs: number): void {
    this.#log.error({ servicePid: child.pid, why, afterMs }, 'service process killed')
    child.kill('SIGKILL')
  }

  /** It would only fail again. */
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
    this.#timer = after(this.#clock, this.#waitMs, () => {
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
