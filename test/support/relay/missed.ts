import type { Observer, ReceptionEvent } from '../../../src/core/model/events.ts'

/** Records when listeners start to miss the translation of a speaker who speaks, and when that ends. */
export function missedBy(observer: Observer): ReceptionEvent[] {
  const seen: ReceptionEvent[] = []
  const missing = new Set<string>()
  observer.on('reception', event => {
    const pair = `${event.speaker} ${event.listener}`
    if (event.missed === missing.has(pair)) return
    if (event.missed) missing.add(pair)
    else missing.delete(pair)
    seen.push(event)
  })
  return seen
}
