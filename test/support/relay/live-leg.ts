import { FakeLeg } from '../../../simulator/fakes/fake-leg.ts'
import type { Clock } from '../../../src/common/clock.ts'
import type { EndReason } from '../../../src/common/lifecycle.ts'

/** A minute of audio. */
const GROWTH = 60 * 16_000

/**
 * A leg whose participant hears in real time, as on a phone: audio is played in order, with silence for gaps, and marks
 * return when they are due.
 */
export class LiveLeg extends FakeLeg {
  readonly #clock: Clock
  readonly #since: number
  #pcm = new Int16Array(GROWTH)
  #drainsAt = Number.NEGATIVE_INFINITY
  #generation = 0
  #gone = false
  #endedAt: number | undefined

  constructor(id: string, clock: Clock, call?: string) {
    super(id, call)
    this.#clock = clock
    this.#since = clock.now()
    void this.ended.then(() => {
      this.#gone = true
    })
  }

  override play(frames: Int16Array): void {
    super.play(frames)
    if (this.#gone) return
    const at = Math.max(this.#drainsAt, this.#clock.now())
    const from = this.#sample(at)
    while (from + frames.length > this.#pcm.length) {
      const more = new Int16Array(this.#pcm.length + GROWTH)
      more.set(this.#pcm)
      this.#pcm = more
    }
    this.#pcm.set(frames, from)
    this.#drainsAt = at + frames.length / 16
  }

  override mark(name: string): void {
    super.mark(name)
    const generation = this.#generation
    this.#clock.at(Math.max(this.#drainsAt, this.#clock.now()), () => {
      if (generation === this.#generation && !this.#gone) this.uplink?.marked(name)
    })
  }

  override flush(): void {
    super.flush()
    this.#generation++
    this.#drainsAt = Number.NEGATIVE_INFINITY
    this.#pcm.fill(0, this.#sample(this.#clock.now()))
  }

  /** Audio heard in the last `ms`. */
  lately(ms: number): Int16Array {
    const end = this.#sample(this.#clock.now())
    return this.#pcm.subarray(Math.max(0, end - ms * 16), end)
  }

  /** Audio heard from `from` to `to` (ms since it joined). */
  between(from: number, to: number): Int16Array {
    return this.#pcm.subarray(from * 16, to * 16)
  }

  override async close(reason: EndReason): Promise<void> {
    this.#endedAt ??= this.#clock.now()
    await super.close(reason)
  }

  /** Since it joined, until it ended (ms). */
  get age(): number {
    return (this.#endedAt ?? this.#clock.now()) - this.#since
  }

  #sample(at: number): number {
    return Math.round((at - this.#since) * 16)
  }
}

/** The largest step between two samples. */
export function steepest(pcm: Int16Array): number {
  let most = 0
  for (let n = 1; n < pcm.length; n++) most = Math.max(most, Math.abs(pcm[n]! - pcm[n - 1]!))
  return most
}
