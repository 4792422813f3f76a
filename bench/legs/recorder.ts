import type { ScriptedSession } from '../../simulator/index.ts'
import type { Summary } from '../stats.ts'
import { indexOf } from './numbers.ts'
import { LegProbe, WindowSamples } from './probe.ts'

/** What phones and service measured in a window. */
export interface Figures {
  /**
   * Time from the newest 20 ms frame of a fragment at the phone to the fragment at the service, while nothing plays at the
   * phone. The duration of the frame and of the fragment are not included.
   */
  uplinkMs: Summary
  /** The same while a translation plays, when frames without clear speech wait at the echo gate. */
  uplinkOverPlaybackMs: Summary
  /** End of speech: 500 ms of silence spoken → received by the service, which then knows; while nothing plays. */
  speechEndMs: Summary
  /** Time from sending a result to its first sound at the phone. */
  downlinkMs: Summary
  /** Lateness of the phones themselves: caused by the load. */
  senderMs: Summary
  /** Share of the time with audio; a difference to the answers' share was dropped or is late. */
  soundPercent: number
  /** Underruns: gaps within a stretch of sound, all legs. */
  gaps: number
  longestGapMs: number
  /** Frames sent by the phones and never received by the service, all legs. */
  framesLost: number
  /** Legs whose call ended before the window did, or that were always silent. */
  legsLost: number
}

/** The probes of all legs, found by the leg's unique language. */
export class Recorder {
  /** Keeps measurements only while this is true. */
  open = false
  #window = new WindowSamples()
  #probes: LegProbe[] = []

  /** Clears everything and follows `legs` new legs. */
  reset(legs: number): void {
    this.open = false
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
    this.#probes[indexOf(session.to)]?.arrived(session.samples, pcm, performance.now())
  }

  answered(session: ScriptedSession): void {
    this.#probes[indexOf(session.to)]?.answered(performance.now())
  }

  /** From now on only records missing frames. */
  calm(): void {
    this.open = false
    for (const probe of this.#probes) probe.leastUplinkMs = Number.POSITIVE_INFINITY
  }

  figures(windowMs: number): Omit<Figures, 'legsLost'> {
    const { uplink, uplinkOverPlayback, speechEnd, downlink, sender, gaps, longestGapMs, soundMs } =
      this.#window
    let framesLost = 0
    for (const { leastUplinkMs } of this.#probes)
      if (Number.isFinite(leastUplinkMs)) framesLost += Math.max(0, Math.floor(leastUplinkMs / 20))
    return {
      uplinkMs: uplink.summary(),
      uplinkOverPlaybackMs: uplinkOverPlayback.summary(),
      speechEndMs: speechEnd.summary(),
      downlinkMs: downlink.summary(),
      senderMs: sender.summary(),
      soundPercent: (soundMs / this.#probes.length / windowMs) * 100,
      gaps,
      longestGapMs,
      framesLost,
    }
  }
}
