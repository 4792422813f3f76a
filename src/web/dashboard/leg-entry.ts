import type { Interpretation } from '../../core/room/interpretation.ts'
import type { Participant } from '../../core/room/participant.ts'
import { FRAME_MS } from '../../transcode/pcm.ts'
import { LagCurve } from './page/lag-curve.ts'
import type { LegFigures } from './protocol.ts'

/** Levels below this are zero (dBFS). */
const FLOOR_DB = -60
/** Resolution of lags (ms), so that small changes are not sent. */
const LAG_STEP = 10

/** Data about a leg from other parts. */
export interface LegContext {
  readonly interpretations: readonly Interpretation[]
  readonly simulated: LegFigures['simulated']
}

/** A leg on the dashboard. Its JSON is created when something changes, and shared by all viewers. */
export class LegEntry {
  readonly n: number
  readonly curve = new LagCurve()
  /** As last sent. */
  json = ''
  /** Number of the last update in which it was in the room. */
  seen = 0
  /** Maximum level since the last level message, 0 to 1. */
  loudest = 0
  level = 0
  lagMs = 0
  readonly #participant: Participant
  /** Milliseconds since 1970. */
  readonly #since: number

  constructor(n: number, participant: Participant, since: number) {
    this.n = n
    this.#participant = participant
    this.#since = since
  }

  get id(): string {
    return this.#participant.id
  }

  /** Updates the entry; returns true if there is something to send. */
  look(context: LegContext): boolean {
    const json = JSON.stringify(this.#figures(context))
    if (json === this.json) return false
    this.json = json
    return true
  }

  /** Updates the lag, that of its slowest listener link; returns true if it changed. */
  lookAtLag(): boolean {
    let most = 0
    for (const { translation } of this.#participant.playout.voices.values())
      most = Math.max(most, translation.lagMs)
    const lagMs = Math.round(most / LAG_STEP) * LAG_STEP
    this.curve.add(lagMs)
    if (lagMs === this.lagMs) return false
    this.lagMs = lagMs
    return true
  }

  /** Updates the level; returns true if it changed. */
  lookAtLevel(): boolean {
    const level = levelOf(this.loudest)
    this.loudest = 0
    if (level === this.level) return false
    this.level = level
    return true
  }

  /** Includes its history, for new viewers. */
  get whole(): string {
    return `${this.json.slice(0, -1)},"level":${this.level},"lag":[${this.curve.points.join()}]}`
  }

  #figures({ interpretations, simulated }: LegContext): LegFigures {
    const { id, channel, invitation, state, present, leg, returns } = this.#participant
    let lostMs = 0
    const sessions = interpretations.map(({ to, session }) => {
      lostMs += session.lostMs
      return { to, status: session.state.status, drops: session.drops }
    })
    return {
      n: this.n,
      id,
      room: invitation.room,
      channel,
      name: state.name ?? null,
      speaks: state.speaks ?? null,
      hears: state.hears ?? null,
      original: state.original,
      muted: state.muted,
      interpreting: state.interpreting,
      present,
      since: this.#since,
      sessions,
      lost: { line: framesOf(leg.lostMs ?? 0), service: framesOf(lostMs) },
      returns,
      simulated,
    }
  }
}

function framesOf(ms: number): number {
  return Math.round(ms / FRAME_MS)
}

/** Converts a level of 0 to 1 to the display scale: 0 to 100, in decibels. */
export function levelOf(level: number): number {
  if (!(level > 0)) return 0
  const db = 20 * Math.log10(level)
  return Math.max(0, Math.min(100, Math.round(100 - (db / FLOOR_DB) * 100)))
}
