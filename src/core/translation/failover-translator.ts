import type { Clock } from '../../common/clock.ts'
import { BridgeError, type ErrorCode } from '../../common/errors.ts'
import type { EndReason } from '../../common/lifecycle.ts'
import type { ServiceProblem, ServiceStatusChange } from '../model/events.ts'
import { type CircuitBreaker, Upstream } from './circuit-breaker.ts'
import { FailoverConnection, keyRefused, unreachable } from './failover-connection.ts'
import { ServiceHealth } from './service-health.ts'
import {
  type Connection,
  type ConnectionSink,
  inAnyVoice,
  type TranslationRequest,
  type Translator,
} from './translator.ts'

/** A service has to stay connected this long after an outage before sessions return to it (ms). */
const WELL_MS = 2_000

const KEY_REFUSED: ErrorCode = 'SERVICE_KEY_REFUSED'

/** Time for the first speech to show whether a service works (ms). */
const UNHURRIED_MS = 250

/** Above this number of connections being opened, the service is throttled. */
const CROWD = 10

export interface ServiceGateOptions {
  readonly clock: Clock
  /** In [0, 1). */
  readonly random: () => number
  readonly changed?: (change: ServiceStatusChange) => void
}

/**
 * Connects all sessions to the service, with a circuit breaker, so that an unavailable service is probed by one
 * connection at a time; a limit of connections opened concurrently; and fallback services. A connection that finds no
 * service available waits here and is opened as soon as one recovers.
 */
export class FailoverTranslator implements Translator {
  readonly #options: ServiceGateOptions
  readonly #upstreams: readonly Upstream[]
  readonly #line: FailoverConnection[] = []
  /** Connections to a fallback service. */
  readonly #onFallback = new Set<FailoverConnection>()
  /** The problems that were reported. */
  readonly #told: (ServiceProblem | undefined)[]
  /** The latest request; probes repeat it. */
  #request: TranslationRequest | undefined
  /** Next probe of the preferred service that is not made by a waiting connection (ms). */
  #lookAt = 0
  #well: { connection: Connection; timer?: Disposable } | undefined
  #timer: Disposable | undefined
  /** The next connection of `expect`, which any other one replaces. */
  #recheck: Disposable | undefined
  #closed = false
  /** Probes sent so far. */
  probes = 0

  /** Services in order of preference; all are closed together with this object. */
  constructor(translators: readonly Translator[], parts: ServiceGateOptions) {
    if (translators.length === 0) throw new RangeError('at least one service is required')
    this.#options = parts
    this.#upstreams = translators.map((each, place) => {
      const health = new ServiceHealth(parts.clock, () => this.#tell())
      return new Upstream(place, each, health, parts.random)
    })
    this.#told = translators.map(() => undefined)
  }

  /** Connections that wait for a service. */
  get waiting(): number {
    return this.#line.length
  }

  /** Connections to a fallback service. */
  get connectionsOnFallback(): number {
    return this.#onFallback.size
  }

  /** True while many connections are being opened: replays of late speech then wait, because new speech comes first. */
  get throttled(): boolean {
    let opening = 0
    for (const { health } of this.#upstreams) opening += health.opening
    return opening > CROWD
  }

  /** The states of the breakers, in order of the services; `open` also for a service that has another problem. */
  get statuses(): readonly CircuitBreaker['status'][] {
    return this.#upstreams.map(({ circuit, health }) =>
      circuit.status === 'closed' && health.problem ? 'open' : circuit.status,
    )
  }

  /** Why the services cannot be used, in their order; undefined for those that work. */
  get problems(): readonly (ServiceProblem | undefined)[] {
    return this.#upstreams.map(({ health }) => health.problem)
  }

  /** True if no service works. */
  get unavailable(): boolean {
    return this.#upstreams.every(({ health }) => health.problem)
  }

  /** True if only a fallback service works. */
  get onFallback(): boolean {
    return this.#upstreams[0]!.health.problem !== undefined && !this.unavailable
  }

  /**
   * If nobody speaks at once, one connection shows whether a service works, and is repeated while none does, so that a
   * wrong key is reported when the first call arrives.
   */
  expect(request: TranslationRequest): void {
    if (this.#request) return
    const { clock } = this.#options
    this.#recheck ??= clock.at(clock.now() + UNHURRIED_MS, () => this.#check(request))
  }

  #check(request: TranslationRequest): void {
    const { clock } = this.#options
    this.probes++
    const nothing = () => {}
    const connection = this.open(request, {
      ready: () => connection.close(),
      ended: reason => {
        if (!this.#closed && reason.kind === 'failed' && reason.error.retryable)
          this.#recheck = clock.at(clock.now() + WELL_MS, () => this.#check(request))
      },
      acked: nothing,
      result: nothing,
      endOfSpeech: nothing,
      fault: nothing,
    })
  }

  open(request: TranslationRequest, sink: ConnectionSink): Connection {
    this.#request = inAnyVoice(request)
    this.#recheck?.[Symbol.dispose]()
    const connection = new FailoverConnection(request, sink, {
      now: () => this.#options.clock.now(),
      settled: each => this.#settled(each),
      failed: (each, reason) => this.#failed(each, reason),
      over: each => this.#over(each),
    })
    this.#line.push(connection)
    this.#pump()
    return connection
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#timer?.[Symbol.dispose]()
    this.#recheck?.[Symbol.dispose]()
    this.#stopWell()
    for (const { health } of this.#upstreams) health[Symbol.dispose]()
    for (const connection of this.#line.splice(0)) connection.close()
    await Promise.all(this.#upstreams.map(({ translator }) => translator.close()))
  }

  /** Starts the connections that can start, then schedules the next probe. */
  #pump(): void {
    if (this.#closed) return
    for (let at = 0; at < this.#line.length; ) {
      if (!this.#upstreams.some(each => each.free)) break
      const connection = this.#line[at]!
      const upstream = this.#upstreams.find(each => each.free && !connection.refusedBy(each))
      if (upstream) {
        this.#line.splice(at, 1)
        connection.tried.clear()
        connection.start(upstream)
      } else at++
    }
    this.#probe()
    this.#tell()
  }

  /**
   * Sends the first waiting connection as a probe to a service whose breaker is open, or checks if the preferred one
   * has recovered: for connections on a fallback, and so that its status is true while nobody speaks.
   */
  #probe(): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    const now = this.#options.clock.now()
    let next = Number.POSITIVE_INFINITY
    for (const upstream of this.#upstreams) {
      const { circuit, place } = upstream
      const homesick = this.#homesick()
      const looks = place === 0 && !this.#well && (homesick || circuit.status === 'open')
      const probes = circuit.status === 'open' && this.#line.some(each => !each.refusedBy(upstream))
      const at =
        circuit.status === 'closed'
          ? this.#lookAt
          : probes || homesick
            ? circuit.probeAt
            : Math.max(circuit.probeAt, this.#lookAt)
      if (!probes && !(looks && circuit.status !== 'half-open')) continue
      if (at > now) next = Math.min(next, at)
      else if (probes) this.#send(upstream)
      else this.#look(upstream)
    }
    if (next < Number.POSITIVE_INFINITY) this.#timer = this.#options.clock.at(next, () => this.#pump())
  }

  #send(upstream: Upstream): void {
    const at = this.#line.findIndex(each => !each.refusedBy(upstream))
    const [first] = this.#line.splice(at, 1) as [FailoverConnection]
    this.probes++
    upstream.circuit.probe()
    first.tried.clear()
    first.probe = true
    first.start(upstream)
  }

  /** True if a connection is on a fallback and has not yet been notified to return. */
  #homesick(): boolean {
    for (const { told } of this.#onFallback) if (!told) return true
    return false
  }

  /** No connection waits: probes with a separate connection, which has to last for a while. */
  #look(upstream: Upstream): void {
    const { clock } = this.#options
    this.probes++
    if (upstream.circuit.status === 'open') upstream.circuit.probe()
    const lost = (reason: EndReason) => {
      this.#stopWell()
      this.#lookAt = clock.now() + WELL_MS
      if (keyRefused(reason)) upstream.circuit.refused(clock.now())
      else upstream.circuit.failed(clock.now())
      this.#pump()
    }
    const well = () => {
      this.#stopWell()
      upstream.health.answered()
      upstream.circuit.succeeded(clock.now())
      for (const each of this.#onFallback) each.renew()
      this.#pump()
    }
    const nothing = () => {}
    const connection = upstream.translator.open(this.#request!, {
      ready: () => {
        if (this.#line.length > 0) well()
        else if (this.#well) this.#well.timer = clock.at(clock.now() + WELL_MS, well)
      },
      ended: reason => {
        if (!this.#well) return
        // It responds, even if it refuses; but with a refused key, nobody can use it.
        if (!unreachable(reason) && !keyRefused(reason) && !this.#homesick()) well()
        else lost(reason)
      },
      acked: nothing,
      result: nothing,
      endOfSpeech: nothing,
      fault: nothing,
    })
    this.#well = { connection }
  }

  #stopWell(): void {
    const well = this.#well
    this.#well = undefined
    well?.timer?.[Symbol.dispose]()
    well?.connection.close()
  }

  #settled(connection: FailoverConnection): void {
    const { upstream } = connection
    if (connection.ready && upstream && upstream.place > 0) {
      if (this.#onFallback.size === 0) this.#lookAt = this.#options.clock.now() + WELL_MS
      this.#onFallback.add(connection)
    }
    this.#pump()
  }

  /**
   * Tries the next service. If none remains and at least one was unavailable, the connection waits; otherwise its
   * session decides.
   */
  #failed(connection: FailoverConnection, reason: EndReason): void {
    const last = [...connection.tried].at(-1)!
    const wasOpen = last.circuit.status !== 'closed'
    if (keyRefused(reason)) last.circuit.refused(this.#options.clock.now())
    else if (unreachable(reason)) last.circuit.failed(this.#options.clock.now())
    // It responded, so it is available, even if it refuses.
    else if (wasOpen) last.circuit.succeeded(this.#options.clock.now())
    const other = this.#upstreams.find(
      each => each.free && !connection.tried.has(each) && !connection.refusedBy(each),
    )
    if (this.#closed) connection.end(reason)
    else if (other) connection.start(other)
    else if (this.#mayWait(connection, reason)) this.#line.unshift(connection)
    else connection.end(this.#judged(connection, reason))
    this.#pump()
  }

  /** True if every service that has not refused the connection is unavailable, so that waiting makes sense. */
  #mayWait(connection: FailoverConnection, reason: EndReason): boolean {
    const left = this.#upstreams.filter(each => !connection.refusedBy(each))
    const general = unreachable(reason) || keyRefused(reason)
    if (!general && left.length === this.#upstreams.length) return false
    return left.length > 0 && left.every(({ circuit }) => circuit.status !== 'closed')
  }

  /**
   * A fallback can permanently refuse a request that the preferred service accepts: the error is final only when all
   * refuse.
   */
  #judged(connection: FailoverConnection, reason: EndReason): EndReason {
    if (reason.kind !== 'failed' || reason.error.retryable) return reason
    if (this.#upstreams.every(each => connection.refusedBy(each))) return reason
    const { code, message } = reason.error
    return {
      kind: 'failed',
      error: new BridgeError(code, message, { retryable: true, cause: reason.error }),
    }
  }

  #over(connection: FailoverConnection): void {
    this.#onFallback.delete(connection)
    const at = this.#line.indexOf(connection)
    if (at >= 0) this.#line.splice(at, 1)
    this.#pump()
  }

  #tell(): void {
    for (const { place, circuit, health } of this.#upstreams) {
      if (circuit.status !== 'closed' && !health.problem) health.report()
      const { problem } = health
      const told = this.#told[place]
      // Failures of a service that stays away vary; that it refuses the key is new.
      const same =
        told && problem ? told.code === problem.code || problem.code !== KEY_REFUSED : told === problem
      if (same) continue
      this.#told[place] = problem
      this.#options.changed?.({
        upstream: place,
        ...(problem ? { status: 'open', problem } : { status: 'closed' }),
      })
    }
  }
}
