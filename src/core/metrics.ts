import { STAGES, type Stage } from './stages.ts'

/** A distribution in buckets that grow by a tenth: quantiles within 5 % from 0.1 to over 10 million, in 2 kB. */
export class Histogram {
  readonly #buckets = new Uint32Array(256)
  #count = 0
  #sum = 0
  #max = 0

  /** Adds one value; a negative one counts as 0, what is no number not at all. */
  record(value: number): void {
    if (Number.isNaN(value)) return
    const at = value <= 0.1 ? 0 : Math.min(255, 1 + Math.floor(Math.log(value / 0.1) / Math.log(1.1)))
    this.#buckets[at]!++
    this.#count++
    this.#sum += Math.max(0, value)
    if (value > this.#max) this.#max = value
  }

  get count(): number {
    return this.#count
  }

  get sum(): number {
    return this.#sum
  }

  get max(): number {
    return this.#max
  }

  get mean(): number {
    return this.#count === 0 ? 0 : this.#sum / this.#count
  }

  /** How many values were up to `value`; where that lies within a bucket, up to the nearer of its edges. */
  countUpTo(value: number): number {
    const last = value < 0.1 ? -1 : Math.round(Math.log(value / 0.1) / Math.log(1.1))
    let count = 0
    for (let at = 0; at <= last && at < this.#buckets.length; at++) count += this.#buckets[at]!
    return count
  }

  /** The value below which the share `q` (0 to 1) lies; 0 when empty. */
  quantile(q: number): number {
    let left = Math.ceil(q * this.#count)
    if (left <= 0) return 0
    for (let at = 0; at < this.#buckets.length; at++) {
      left -= this.#buckets[at]!
      if (left <= 0) return at === 0 ? 0.1 : Math.min(this.#max, 0.1 * 1.1 ** (at - 0.5))
    }
    return this.#max
  }
}

/** What the relay counts, as plain fields; exporters read them. */
export class RelayMetrics {
  legsAdmitted = 0
  legsEnded = 0
  legsRefused = 0
  /** Legs by which a party came back whose leg had broken. */
  legsReturned = 0
  /** 20 ms frames from parties. */
  framesIn = 0
  /** … of these, in whose place the service heard silence, as they held the tone of a key. */
  keyFramesMasked = 0
  /** … of these, in whose place the service heard silence, as they were the echo of what the party was played. */
  echoFramesMasked = 0
  /** Utterances that were such an echo by their words. */
  utterancesEchoed = 0
  /** 20 ms frames to parties. */
  framesOut = 0
  sessionsOpened = 0
  sessionsEnded = 0
  /** Connections of sessions that were lost or did not come. */
  sessionsDropped = 0
  /** Connections that were replaced while they still served: before they end, or by a better one. */
  sessionsRenewed = 0
  /** Times the breaker before a service opened. */
  circuitsOpened = 0
  /** Connections that were let through an open breaker to see whether the service is back. */
  probes = 0
  /** Services whose breaker is open, sessions that wait for one, and those at one that stands in (gauges, 1 a second). */
  servicesAwayNow = 0
  sessionsWaitingNow = 0
  sessionsElsewhereNow = 0
  fragmentsSent = 0
  fragmentsReplayed = 0
  /** Audio that left the replay ring before the service took it (ms). */
  lostMs = 0
  utterances = 0
  utterancesHeard = 0
  utterancesDropped = 0
  /** Utterances that came as text alone where a voice was wanted. */
  utterancesVoiceless = 0
  /** Pieces of a voice that came twice, and were heard once. */
  resultsRepeated = 0
  /** Times a listener who spoke dropped what they had not heard (`interrupt: clear`). */
  interruptions = 0
  /** Times a translation ran dry in mid utterance. */
  starved = 0
  /** Frames of an original voice dropped to keep it close to live. */
  originalFramesDropped = 0
  /** Frames not sent because the far side reads too slowly. */
  congestedFrames = 0
  /** Exceptions that cost one leg, session, utterance or onlooker, and nothing else. */
  faultsContained = 0
  /** mp3 bytes that were no audio. */
  junkBytes = 0
  /** Time won by trimming pauses of translations that were late, over all listeners (ms). */
  trimmedMs = 0
  /** Time won by playing them faster than spoken (ms). */
  hastenedMs = 0
  /** The largest lag of a translation now, and the number of listeners' translations that are late (gauges, 1 a second). */
  lagNowMs = 0
  lateNow = 0
  /** Lag of every translation being played, once a second and listener (ms). */
  readonly lagMs = new Histogram()
  /** End of speech to first translated frame (ms): the figure this product is judged by. */
  readonly speechToTranslationMs = new Histogram()
  /** … and where that time went, by stage (ms). */
  readonly stagesMs: Readonly<Record<Stage, Histogram>> = byStage()
  /** Lateness of the relay's own tick (ms). */
  readonly tickLateMs = new Histogram()
}

function byStage(): Record<Stage, Histogram> {
  return Object.fromEntries(STAGES.map(stage => [stage, new Histogram()])) as Record<Stage, Histogram>
}
