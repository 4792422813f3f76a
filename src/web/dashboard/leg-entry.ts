import type { Interpretation } from '../../core/interpretation.ts'
import type { Participant } from '../../core/participant.ts'
import { FRAME_MS } from '../../transcode/pcm.ts'
import { LagCurve } from './page/lag-curve.ts'
import type { LegFigures } from './wire.ts'

/** Softer than this is nothing (dBFS). */
const FLOOR_DB = -60
/** Lags are told in steps of this (ms), so that what hardly changes is not told again. */
const LAG_STEP = 10

/** What is known of a leg that only others know. */
export interface LegContext {
  readonly interpretations: readonly Interpretation[]
  readonly simulated: LegFigures['simulated']
}

/** One leg on the dashboard. Its JSON is made when something of it changes, and told to everybody. */
export class LegEntry {
  readonly n: number
  readonly curve = new LagCurve()
  /** As it was told last. */
  json = ''
  /** In the room at the last look with this number. */
  seen = 0
  /** The loudest since levels were told, 0 to 1. */
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

  /** Looks again; true when there is something new to tell. */
  look(context: LegContext): boolean {
    const json = JSON.stringify(this.#figures(context))
    if (json === this.json) return false
    this.json = json
    return true
  }

  /** The lag now, as one who listens has it; true when it is another. */
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

  /** The level since the last look; true when it is another. */
  lookAtLevel(): boolean {
    const level = levelOf(this.loudest)
    this.loudest = 0
    if (level === this.level) return false
    this.level = level
    return true
  }

  /** With its past, for who has just come. */
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

/** A level of 0 to 1 as it is shown: 0 to 100, in decibels. */
export function levelOf(level: number): number {
  if (!(level > 0)) return 0
  const db = 20 * Math.log10(level)
  return Math.max(0, Math.min(100, Math.round(100 - (db / FLOOR_DB) * 100)))
}
