import type { LegFigures } from '../protocol.ts'

/** Interval of a point in the lag curve (ms); its value is the maximum. */
export const LAG_STEP_MS = 5_000
/** Number of points kept: five minutes. */
const LAG_POINTS = 60
/** Number of events, utterances and percentiles kept for the page. */
export const EVENTS_KEPT = 200
export const UTTERANCES_KEPT = 40
export const QUANTILES_KEPT = 90
/** Sample rate of the audio that a simulated phone hears. */
export const SOUND_RATE = 8_000

/** Seconds per point. */
const SECONDS = 5

/** Returns the name of a channel for people. Every channel but these two is a carrier’s. */
export function channelName(channel: string): string {
  if (channel === 'browser') return 'Browser'
  return channel === 'discord' ? 'Discord' : 'Phone'
}

/** Number at the end of the ID of an unnamed phone or visitor: `twilio-12`, or `twilio-<node>-12` in a fleet. */
const NUMBERED = /^([a-z]+)-(?:.*-)?(\d{1,9})$/

/** Returns the name of a participant for people: simulated phones are named as such, unnamed callers by number. */
export function participantName({
  name,
  id,
  simulated,
}: Pick<LegFigures, 'name' | 'id' | 'simulated'>): string {
  if (name !== null) return name
  if (simulated) return `Simulated phone ${simulated.phone + 1}`
  const [, channel, number] = NUMBERED.exec(id) ?? []
  return channel === undefined ? id : `${channelName(channel)} ${number}`
}

/** The lag of a leg over the last minutes: one point per five seconds, with their maximum. */
export class LagCurve {
  readonly #points: number[]
  #seconds = 0

  /** `past`: the points before. */
  constructor(past: readonly number[] = []) {
    this.#points = [...past]
  }

  /** Adds the lag of the next second (ms). */
  add(lagMs: number): void {
    if (this.#seconds++ % SECONDS === 0) {
      this.#points.push(lagMs)
      if (this.#points.length > LAG_POINTS) this.#points.shift()
    } else if (lagMs > this.#points.at(-1)!) this.#points[this.#points.length - 1] = lagMs
  }

  /** Oldest first; the newest can still grow. */
  get points(): readonly number[] {
    return this.#points
  }
}
