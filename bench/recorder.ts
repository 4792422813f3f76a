import type { ScriptedSession } from '../src/simulator/index.ts'
import type { Figures } from './messages.ts'
import { LegProbe, WindowSamples } from './probe.ts'
import { indexOf } from './subject.ts'

/** The probes of all legs, found by the leg's unique language. */
export class Recorder {
  /** Keeps measurements only while this is true. */
  open = false
  #window = new WindowSamples()
  #probes: LegProbe[] = []
  /** A session's language is its listener's; in a pair that is not the speaker. */
  #pairs = false

  /** Clears everything and follows `legs` new legs. */
  reset(legs: number, pairs: boolean): void {
    this.open = false
    this.#pairs = pairs
    this.#window = new WindowSamples()
    this.#probes = Array.from({ length: legs }, () => new LegProbe(this.#window, () => this.open))
  }

  probe(index: number): LegProbe {
    const probe = this.#probes[index]
    if (!probe) throw new RangeError(`unknown leg ${index}`)
    return probe
  }

  indexOf(session: ScriptedSession): number {
    return indexOf(session.to)
  }

  arrived(session: ScriptedSession, pcm: Int16Array): void {
    const listener = indexOf(session.to)
    this.#probes[this.#pairs ? listener ^ 1 : listener]?.arrived(session.samples, pcm, performance.now())
  }

  answered(session: ScriptedSession): void {
    this.#probes[indexOf(session.to)]?.answered(performance.now())
  }

  /** The sessions of pairs start at different times: measuring starts here. */
  calibrate(): void {
    if (this.#pairs) for (const probe of this.#probes) probe.calibrate()
  }

  /** From now on only records missing frames. */
  calm(): void {
    this.open = false
    for (const probe of this.#probes) probe.leastUplinkMs = Number.POSITIVE_INFINITY
  }

  figures(windowMs: number): Omit<Figures, 'kind' | 'legsLost' | 'refused'> {
    const { uplink, uplinkOverPlayback, speechEnd, downlink, lateness, sender } = this.#window
    const { gaps, longestGapMs, messages, soundMs } = this.#window
    let framesLost = 0
    for (const { leastUplinkMs } of this.#probes)
      if (Number.isFinite(leastUplinkMs)) framesLost += Math.max(0, Math.floor(leastUplinkMs / 20))
    return {
      uplinkMs: uplink.summary(),
      speechEndMs: speechEnd.summary(),
      uplinkOverPlaybackMs: uplinkOverPlayback.summary(),
      downlinkMs: downlink.summary(),
      latenessMs: lateness.summary(),
      senderMs: sender.summary(),
      soundPercent: (soundMs / this.#probes.length / windowMs) * 100,
      gaps,
      longestGapMs,
      framesLost,
      messagesPerLegSecond: messages / this.#probes.length / (windowMs / 1000),
    }
  }
}
