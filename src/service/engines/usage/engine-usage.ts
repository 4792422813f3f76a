import { type Clock, systemClock } from '../../../common/clock.ts'
import { type Logger, noopLogger } from '../../../common/log.ts'
import { systemWallClock, type WallClock } from '../../../common/wall-clock.ts'
import { UsageLedger } from '../../usage-ledger.ts'
import type { EngineKind } from '../engine.ts'
import { InterpretationFigures } from '../interpret/interpretation-figures.ts'
import type { Billing } from './billing.ts'
import type { EngineFigures, MissingEngine, StandIn } from './engine-figures.ts'
import { EngineMeter } from './engine-meter.ts'

export interface EngineUsageOptions {
  readonly clock?: Clock
  readonly wallClock?: WallClock
  readonly log?: Logger
  /** Keeps what the budgets count; default: in memory. */
  readonly ledger?: UsageLedger
}

/** The use and cost of a service’s engines, and the replacements in use. */
export class EngineUsage {
  /** Of recognizer, translator and voice together. */
  readonly interpretation = new InterpretationFigures()
  readonly #clock: Clock
  readonly #wallClock: WallClock
  readonly #log: Logger
  readonly #ledger: UsageLedger
  readonly #meters: EngineMeter[] = []
  /** By kind and name of the preferred engine. */
  readonly #standIns = new Map<string, StandIn>()
  /** Engines that always replace an unavailable engine, by kind and name. */
  readonly #substitutes = new Set<string>()
  /** Engines of the settings, and models, that are not available until the next start. */
  readonly missing: MissingEngine[] = []

  constructor({
    clock = systemClock,
    wallClock = systemWallClock,
    log = noopLogger,
    ledger,
  }: EngineUsageOptions = {}) {
    this.#clock = clock
    this.#wallClock = wallClock
    this.#log = log
    this.#ledger = ledger ?? new UsageLedger(clock, wallClock() - clock.now())
  }

  /** Adds a meter for one more engine. The second engine of a name is called `name-2`. */
  meter(kind: EngineKind, name: string, billing: Billing = {}): EngineMeter {
    const others = this.#meters.filter(meter => meter.kind === kind)
    let engine = name
    for (let number = 2; others.some(meter => meter.engine === engine); number++) engine = `${name}-${number}`
    const meter = new EngineMeter({
      ...{ kind, engine, billing, clock: this.#clock, log: this.#log, ledger: this.#ledger },
    })
    this.#meters.push(meter)
    return meter
  }

  /** Figures of all engines, in the order in which they were added. */
  get figures(): EngineFigures[] {
    return this.#meters.map(meter => meter.figures)
  }

  /** Current replacements, oldest first. */
  get standIns(): StandIn[] {
    return Array.from(this.#standIns.values())
  }

  /**
   * Returns the name of the engine that serves instead of `engine`, which is `engine` itself if it serves instead of one
   * that is not available; undefined while it serves itself.
   */
  standIn(kind: EngineKind, engine: string): string | undefined {
    const instead = this.#standIns.get(key(kind, engine))?.instead
    return instead ?? (this.#substitutes.has(key(kind, engine)) ? engine : undefined)
  }

  /** Records that `engine` of the settings is not available. `always`: `instead` only serves as its replacement. */
  absent(kind: EngineKind, engine: string, instead: string, { always }: { always: boolean }): void {
    this.replaced(kind, engine, instead, 'failed')
    if (always) this.#substitutes.add(key(kind, instead))
  }

  /** Records that `engine` was to serve, and `instead` did. */
  replaced(kind: EngineKind, engine: string, instead: string, why: StandIn['why']): void {
    const known = this.#standIns.get(key(kind, engine))
    if (known?.instead === instead && known.why === why) return
    const since = known?.since ?? this.#wallClock()
    this.#standIns.set(key(kind, engine), { kind, engine, instead, why, since })
  }

  /** Records that `engine` has served. */
  served(kind: EngineKind, engine: string): void {
    if (!this.#standIns.delete(key(kind, engine))) return
    this.#log.info({ kind, engine }, 'engine serves again')
  }
}

function key(kind: EngineKind, engine: string): string {
  return `${kind} ${engine}`
}
