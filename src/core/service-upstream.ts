import { Circuit } from './circuit.ts'
import type { Translator } from './translator.ts'

/** Connections that are being opened to one service at a time; more wait, so that hundreds never come in one moment. */
const MOST_OPENING = 50

/** One of the services behind the gate. */
export class ServiceUpstream {
  /** 0 is the one that is wanted; the others stand in, in this order. */
  readonly place: number
  readonly translator: Translator
  readonly circuit: Circuit
  /** Connections being opened now. */
  opening = 0

  constructor(place: number, translator: Translator, random: () => number) {
    this.place = place
    this.translator = translator
    this.circuit = new Circuit(random)
  }

  /** Whether one more connection may be opened. */
  get free(): boolean {
    return this.circuit.status === 'closed' && this.opening < MOST_OPENING
  }
}
