import type { Observer } from '../../core/observer.ts'
import type { Labelled } from './family.ts'

/** Combinations of values that are told apart; what comes later is `other`. */
const MOST_VALUES = 100

const OTHER = 'other'

/** Counts by label values. However many different ones come, so many are told apart. */
export class Tally {
  readonly #most: number
  readonly #counts = new Map<string, { readonly labels: readonly string[]; count: number }>()

  constructor(most = MOST_VALUES) {
    this.#most = most
  }

  add(labels: readonly string[]): void {
    const key = labels.join('\n')
    if (this.#counts.has(key) || this.#counts.size < this.#most) this.#count(key, labels)
    else
      this.#count(
        OTHER,
        labels.map(() => OTHER),
      )
  }

  get all(): Labelled {
    return Array.from(this.#counts.values(), ({ labels, count }) => [labels, count] as const)
  }

  #count(key: string, labels: readonly string[]): void {
    const known = this.#counts.get(key)
    if (known) known.count++
    else this.#counts.set(key, { labels, count: 1 })
  }
}

/** What onlookers see that is rare enough to be counted one by one: arrivals, endings, captions, recordings, keys. */
export class EventTally implements Disposable {
  /** By channel. */
  readonly joined = new Tally()
  /** By channel and kind of end. */
  readonly left = new Tally()
  /** By error code. */
  readonly failures = new Tally()
  /** Final captions, by the language spoken and the one wanted. */
  readonly captions = new Tally()
  /** By what was asked for. */
  readonly commands = new Tally()
  /** By how far they came. */
  readonly notices = new Tally()
  /** By outcome. */
  readonly dials = new Tally()
  /** By state. */
  readonly recordings = new Tally()
  keysPressed = 0
  /** Times that somebody heard originals since the translation was away, and for how long in all (ms). */
  outages = 0
  outageMs = 0
  readonly #recordings = new Map<string, string>()
  readonly #subscriptions: readonly Disposable[]

  constructor(observer: Observer) {
    this.#subscriptions = [
      observer.on('admitted', ({ channel }) => this.joined.add([channel])),
      observer.on('left', ({ channel, reason }) => {
        this.left.add([channel, reason.kind])
        if (reason.kind === 'failed') this.failures.add([reason.error.code])
      }),
      observer.on('caption', ({ final, from, to }) => {
        if (final) this.captions.add([from, to])
      }),
      observer.on('command', ({ action }) => this.commands.add([action])),
      observer.on('notice', ({ stage }) => this.notices.add([stage])),
      observer.on('dial', ({ outcome }) => this.dials.add([outcome])),
      observer.on('dtmf', () => {
        this.keysPressed++
      }),
      observer.on('away', ({ away, forMs }) => {
        if (away) this.outages++
        else this.outageMs += forMs
      }),
      observer.on('recording', ({ recording, state }) => {
        this.recordings.add([state])
        if (state === 'ended') this.#recordings.delete(recording)
        else this.#recordings.set(recording, state)
      }),
    ]
  }

  /** Recordings of this moment. */
  get recordingsNow(): number {
    return this.#recordings.size
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]()
  }
}
