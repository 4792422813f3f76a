import type { Observer } from '../model/events.ts'
import type { Interpretation } from './interpretation.ts'

/** An outage of one interpretation, for one of its listeners. */
interface Outage {
  readonly interpretation: Interpretation
  readonly listener: string
  /** Clock ms. */
  readonly since: number
}

/**
 * Detects speakers who speak without being translated, and emits an `outage` event for each of their listeners who needs
 * the translation. A speaker who is silent misses nothing, whatever the state of the service. An outage lasts until the
 * translation is available again.
 */
export class OutageMonitor {
  readonly #room: string
  readonly #observer: Observer
  /** By interpretation and listener. */
  readonly #outages = new Map<string, Outage>()

  constructor(room: string, observer: Observer) {
    this.#room = room
    this.#observer = observer
  }

  /** The interpretations with an outage. */
  get current(): readonly Interpretation[] {
    return [...new Set(Array.from(this.#outages.values(), ({ interpretation }) => interpretation))]
  }

  /** Checks all interpretations of the room; call it a few times a second. */
  check(interpretations: Iterable<Interpretation>, now: number): void {
    const lasting = new Set<string>()
    for (const interpretation of interpretations) {
      if (interpretation.gets !== 'unavailable') continue
      const { speaker, to, listeners, speaking } = interpretation
      for (const listener of listeners) {
        const key = `${speaker.id}\n${to}\n${listener}`
        if (!speaking && !this.#outages.has(key)) continue
        lasting.add(key)
        if (this.#outages.has(key)) continue
        const outage = { interpretation, listener, since: now }
        this.#outages.set(key, outage)
        this.#tell(outage, true, 0)
      }
    }
    for (const [key, outage] of this.#outages)
      if (!lasting.has(key)) {
        this.#outages.delete(key)
        this.#tell(outage, false, now - outage.since)
      }
  }

  #tell({ interpretation: { speaker, to }, listener }: Outage, active: boolean, durationMs: number): void {
    const { name } = speaker.state
    this.#observer.emit('outage', {
      room: this.#room,
      speaker: speaker.id,
      name,
      participant: listener,
      to,
      active,
      durationMs,
    })
  }
}
