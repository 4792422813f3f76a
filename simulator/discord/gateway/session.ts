import { type Clock, setTimer } from '../../../src/common/clock.ts'
import type { Json } from '../json.ts'
import type { Guild } from '../model/guild.ts'
import type { World } from '../model/world.ts'

/** Faults of the main gateway. Each method acts at once, on every open connection. */
export interface GatewayFaults {
  /** Closes with this code; 1000 and 1001 end the session, with others it can be resumed, as at Discord. */
  close(code: number, reason?: string): void
  /** Breaks the connection without a close frame. */
  drop(): void
  /** Op 7: reconnect and resume. */
  reconnect(): void
  /** Op 9: the session cannot be resumed, or (`true`) can be. */
  invalidSession(resumable?: boolean): void
  /** While true, heartbeats are not acknowledged. */
  ignoreHeartbeats: boolean
  /** While true, events are not sent although the socket stays open: a zombie. Events are kept for a resume. */
  mute: boolean
  /** While true, no session can be resumed: op 9 with `false`. */
  refuseResume: boolean
  /** While set, Identify is answered by a close with this code. */
  refuseIdentify: number | undefined
  /** Number of sessions that can still be started today; at 0 the token is rejected (Discord: Session Start Limit). */
  identifiesLeft: number
  /** While true, connections are rejected. */
  refuseConnections: boolean
  /** While true, only connections to the resume address from READY are rejected. */
  refuseResumeUrl: boolean
}

/** Snapshot of a bot's session on the gateway. */
export interface SeenGatewaySession {
  readonly sessionId: string
  readonly intents: number
  readonly shard: readonly [number, number]
  /** Number of resumes. */
  readonly resumes: number
  /** Number of dispatches that were sent again on a resume. */
  readonly replayed: number
  readonly connected: boolean
}

/** Discord: Ready. */
export function readyJson(options: {
  world: World
  session: GatewaySession
  guilds: readonly Guild[]
  resumeUrl: string
}): Json {
  const { world, session, guilds, resumeUrl } = options
  return {
    v: 10,
    user: { ...world.bot.json, verified: true, mfa_enabled: false, email: null, flags: 0 },
    guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
    session_id: session.sessionId,
    resume_gateway_url: resumeUrl,
    shard: session.shard,
    application: {
      id: world.application.id,
      flags: world.applicationFlags,
      flags_new: String(world.applicationFlags),
    },
    session_type: 'normal',
    private_channels: [],
    relationships: [],
    presences: [],
    _trace: [],
  }
}

/** An event since the session started, kept for a resume. */
interface Sent {
  readonly seq: number
  readonly text: string
}

/** Transport of a session's messages while it is connected. */
export interface SessionLine {
  send(text: string): void
}

const KEPT = 2_000

/** Numbers and keeps the events for a bot, so that a broken connection loses nothing. */
export class GatewaySession {
  readonly sessionId: string
  readonly intents: number
  readonly shard: readonly [number, number]
  resumes = 0
  replayed = 0
  #seq = 0
  #waiting: Disposable | undefined
  #line: SessionLine | undefined
  readonly #sent: Sent[] = []

  constructor(options: {
    sessionId: string
    intents: number
    shard: readonly [number, number]
    line: SessionLine
  }) {
    this.sessionId = options.sessionId
    this.intents = options.intents
    this.shard = options.shard
    this.#line = options.line
  }

  get connected(): boolean {
    return this.#line !== undefined
  }

  get seen(): SeenGatewaySession {
    const { sessionId, intents, shard, resumes, replayed, connected } = this
    return { sessionId, intents, shard, resumes, replayed, connected }
  }

  get seq(): number {
    return this.#seq
  }

  dispatch(name: string, data: Json | null): void {
    const text = JSON.stringify({ op: 0, t: name, s: ++this.#seq, d: data })
    this.#sent.push({ seq: this.#seq, text })
    if (this.#sent.length > KEPT) this.#sent.shift()
    this.#line?.send(text)
  }

  /** True if everything after `seq` is still kept. */
  canResumeFrom(seq: number): boolean {
    const first = this.#sent[0]?.seq ?? this.#seq + 1
    return seq >= first - 1 && seq <= this.#seq
  }

  /** Continues over `line`: sends everything after `seq` again, then RESUMED. */
  resume(line: SessionLine, seq: number): void {
    this.stop()
    this.#line = line
    this.resumes++
    const missed = this.#sent.filter(sent => sent.seq > seq)
    this.replayed += missed.length
    for (const { text } of missed) line.send(text)
    this.dispatch('RESUMED', {})
  }

  /** Calls `ended` if nothing resumes the session within `ms`. */
  waitForResume(clock: Clock, ms: number, ended: () => void): void {
    this.stop()
    this.#waiting = setTimer(clock, ms, ended)
  }

  /** Stops waiting for a resume. */
  stop(): void {
    this.#waiting?.[Symbol.dispose]()
  }

  /** Its connection is gone; later events are kept. */
  detach(line: SessionLine): void {
    if (this.#line === line) this.#line = undefined
  }
}
