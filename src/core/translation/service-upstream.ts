import { Circuit } from './circuit.ts'
import type { Translator } from './translator.ts'

/** Maximum number of connections being opened to one service; further ones wait, which prevents bursts of hundreds. */
const MOST_OPENING = 50

/** One of the services, with its circuit breaker. */
export class ServiceUpstream {
  /** 0 is the preferred service; the others are fallbacks in this order. */
  readonly place: number
  readonly translator: Translator
  readonly circuit: Circuit
  /** Connections currently being opened. */
  opening = 0

  constructor(place: number, translator: Translator, random: () => number) {
    this.place = place
    this.translator = translator
    this.circuit = new Circuit(random)
  }

  /** True if another connection can be opened. */
  get free(): boolean {
    return this.circuit.status === 'closed' && this.opening < MOST_OPENING
  }
}
