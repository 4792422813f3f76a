import { BoundedMap } from '../../common/bounded-map.ts'
import type { WallClock } from '../../common/wall-clock.ts'
import type { RelayEvents } from '../../core/model/events.ts'
import type { Participant } from '../../core/room/participant.ts'
import type { Relay } from '../../core/room/relay.ts'
import { languageName } from '../../pages/page/languages.ts'
import { EVENT_WORDS } from './event-words.ts'
import { channelName } from './page/names.ts'
import type { EventLine, Latency, Stages } from './state.ts'

/** Number of events kept. */
const EVENTS_KEPT = 100
/** Maximum number of participants whose names are remembered after they left. */
const NAMES_KEPT = 1_000
/** Utterances whose latency counts: at most this many, and not older than this (ms). */
const UTTERANCES_KEPT = 500
const LATENCY_MS = 300_000

const STAGES = ['recognitionMs', 'translationMs', 'synthesisMs', 'networkMs', 'bridgeMs'] as const

/** Number at the end of the ID of an unnamed phone or visitor: `twilio-12`, or `twilio-<node>-12` in a fleet. */
const NUMBERED = /^([a-z]+)-(?:.*-)?(\d{1,9})$/

export interface ActivityLogOptions {
  readonly relay: Relay
  readonly wall: WallClock
  /** Returns the simulated call and the number of the phone to which the peer’s `call` belongs. */
  readonly simulated: (call: string | undefined) => { readonly call: string; readonly phone: number } | null
}

interface Heard {
  readonly at: number
  readonly latencyMs: number
  readonly stages: Stages
}

/**
 * The latest events and latencies, recorded from the start of the process, so that a dashboard opened during a call shows
 * its past. The creator starts it, and disposes of it.
 */
export class ActivityLog implements Disposable {
  readonly #options: ActivityLogOptions
  readonly #events: EventLine[] = []
  readonly #heard: Heard[] = []
  /** Ear–voice spans. */
  readonly #spans: { readonly at: number; readonly spanMs: number }[] = []
  readonly #names = new BoundedMap<string, string>(NAMES_KEPT)
  #subscriptions: readonly Disposable[] = []
  #lines = 0

  constructor(options: ActivityLogOptions) {
    this.#options = options
  }

  /** Records from now on. Call it once. */
  start(): void {
    const { relay, wall } = this.#options
    this.#subscriptions = [
      ...(Object.keys(EVENT_WORDS) as (keyof typeof EVENT_WORDS)[]).map(name => this.#reads(name)),
      relay.observer.on('utterance', ({ stage, latencyMs, stages = {} }) => {
        if (stage === 'begun' && latencyMs !== undefined)
          keep(this.#heard, { at: wall(), latencyMs, stages }, UTTERANCES_KEPT)
      }),
      relay.observer.on('earVoice', ({ spanMs }) =>
        keep(this.#spans, { at: wall(), spanMs }, UTTERANCES_KEPT),
      ),
    ]
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]()
  }

  /** The latest events, oldest first. */
  get events(): readonly EventLine[] {
    return this.#events
  }

  /** Median time from a word to its translation in the last minutes (ms), of speech that is translated while it is spoken. */
  get earVoiceMs(): number | null {
    const since = this.#options.wall() - LATENCY_MS
    const spans = this.#spans.flatMap(({ at, spanMs }) => (at >= since ? spanMs : []))
    return quantile(spans, 0.5) ?? null
  }

  /** Latency of the utterances of the last minutes. */
  get latency(): Latency | null {
    const since = this.#options.wall() - LATENCY_MS
    const heard = this.#heard.filter(({ at }) => at >= since)
    const p50Ms = quantile(
      heard.map(({ latencyMs }) => latencyMs),
      0.5,
    )
    const p90Ms = quantile(
      heard.map(({ latencyMs }) => latencyMs),
      0.9,
    )
    if (p50Ms === undefined || p90Ms === undefined) return null
    const stages = STAGES.flatMap(stage => {
      const median = quantile(
        heard.flatMap(each => each.stages[stage] ?? []),
        0.5,
      )
      return median === undefined ? [] : [[stage, median]]
    })
    return { utterances: heard.length, p50Ms, p90Ms, stages: Object.fromEntries(stages) }
  }

  /** Returns the name that people know the participant `id` by, also after they left. */
  nameOf(id: string): string {
    const participant = this.#options.relay.find(id)
    if (!participant) return this.#names.get(id) ?? id
    const name = this.#nameNow(participant)
    this.#names.set(id, name)
    return name
  }

  #nameNow({ id, isAudience, leg, state }: Participant): string {
    if (isAudience && state.hears !== undefined) return `Listeners in ${languageName(state.hears)}`
    const phone = this.#options.simulated(leg.call)
    const [, channel, number] = NUMBERED.exec(id) ?? []
    const unnamed = channel === undefined ? id : `${channelName(channel)} ${number}`
    return state.name ?? (phone ? `Simulated phone ${phone.phone + 1}` : unnamed)
  }

  #reads<K extends keyof typeof EVENT_WORDS>(name: K): Disposable {
    const { relay, wall } = this.#options
    return relay.observer.on(name, (event: RelayEvents[K]) => {
      const words = EVENT_WORDS[name](event)
      if (!words) return
      const who = words.who === null ? null : this.nameOf(words.who)
      keep(this.#events, { id: ++this.#lines, at: wall(), ...words, who }, EVENTS_KEPT)
    })
  }
}

function keep<T>(items: T[], item: T, most: number): void {
  items.push(item)
  if (items.length > most) items.shift()
}

function quantile(values: readonly number[], q: number): number | undefined {
  const value = values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(q * values.length) - 1)]
  return value === undefined ? undefined : Math.max(0, Math.round(value))
}
