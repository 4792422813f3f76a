import { randomBytes } from 'node:crypto'
import { type Clock, Ticker } from '../../common/clock.ts'
import type { EndReason } from '../../common/lifecycle.ts'
import { errorFields, type Logger } from '../../common/log.ts'
import { sameSecret } from '../../common/secrets.ts'
import type { KeptVisit, RoomVisits } from '../../core/calls/room-visits.ts'
import type { Audience } from '../../core/model/audience.ts'
import type { Participant } from '../../core/room/participant.ts'
import type { BrowserLeg } from './browser-leg.ts'
import { BrowserLegCounters } from './leg-counters.ts'
import type { BrowserBridgeOptions } from './options.ts'
import type { PartyView } from './protocol.ts'
import { BrowserSession, type HeardLanguages } from './session.ts'

/** Interval between checks of quiet connections (ms). */
const WATCH_MS = 200
/** Yields the length that the wire format requires of tokens. */
const TOKEN_BYTES = 18

/** A session that this process does not have (any more), and its credentials. */
export interface EarlierSession extends KeptVisit {
  readonly call: string
  readonly secret: string
}

export interface SessionsOptions {
  readonly relay: BrowserBridgeOptions['relay']
  readonly visits: RoomVisits
  readonly clock: Clock
  readonly log: Logger
  /** Maximum length of a visit (ms). */
  readonly maxMs: number
}

/** All current sessions; keeps their pages informed of their rooms. */
export class BrowserSessions implements Disposable {
  readonly #relay: BrowserBridgeOptions['relay']
  readonly #clock: Clock
  readonly #visits: RoomVisits
  readonly #log: Logger
  readonly #maxMs: number
  readonly #byCall = new Map<string, BrowserSession>()
  readonly #byRoom = new Map<string, Set<BrowserSession>>()
  readonly #legs = new Set<BrowserLeg>()
  readonly #ended = new BrowserLegCounters()
  readonly #stale = new Set<string>()
  readonly #staleReceptions = new Set<BrowserSession>()
  #subscriptions: readonly Disposable[] = []
  #ticker: Ticker | undefined

  constructor({ relay, visits, clock, log, maxMs }: SessionsOptions) {
    this.#relay = relay
    this.#visits = visits
    this.#clock = clock
    this.#log = log
    this.#maxMs = maxMs
  }

  /** Observes rooms from now on. Call it once. */
  start(): void {
    const { observer } = this.#relay
    const touch = ({ room }: { room: string }) => this.#touch(room)
    this.#subscriptions = [
      observer.on('admitted', touch),
      observer.on('disconnected', touch),
      observer.on('reconnected', touch),
      observer.on('audience', touch),
      observer.on('left', ({ room, participant, reason }) => {
        this.#left(room, participant, reason)
        this.#touch(room)
      }),
      observer.on('changed', ({ room, participant, state, changes }) => {
        if (changes.includes('hears')) this.#of(room, participant)?.overruled(state.hears, this.company(room))
        this.#touch(room)
      }),
      observer.on('caption', caption => {
        const parties = this.#relay.rooms.get(caption.room)?.everyone
        for (const session of this.#byRoom.get(caption.room) ?? [])
          session.read(caption, parties?.values() ?? [])
      }),
      observer.on('utterance', ({ room, listener, stage, latencyMs }) => {
        if (stage === 'begun' && latencyMs !== undefined)
          this.#of(room, listener)?.tell({ kind: 'latency', ms: Math.round(latencyMs) })
      }),
      observer.on('earVoice', ({ room, listener, spanMs }) =>
        this.#of(room, listener)?.tell({ kind: 'latency', ms: Math.round(spanMs), heard: true }),
      ),
      observer.on('reception', ({ room, listener }) => {
        const session = this.#of(room, listener)
        if (session) this.#touchReceptions(session)
      }),
    ]
  }

  get size(): number {
    return this.#byCall.size
  }

  /** Returns the number of sessions from one group of addresses: all, or those with an invitation. */
  of(group: string, invited: boolean): number {
    let count = 0
    for (const session of this.#byCall.values())
      if (session.group === group && (session.invited || !invited)) count++
    return count
  }

  /** Number of sessions without an invitation. */
  get uninvited(): number {
    let count = 0
    for (const { invited } of this.#byCall.values()) if (!invited) count++
    return count
  }

  /** Ends the sessions in `rooms`, whose home is another node now: their pages follow. */
  releaseRooms(rooms: ReadonlySet<string>): void {
    for (const room of rooms)
      for (const { leg } of [...(this.#byRoom.get(room) ?? [])]) void leg?.close({ kind: 'parent-closed' })
  }

  /** Current connections. */
  get legs(): ReadonlySet<BrowserLeg> {
    return this.#legs
  }

  /** Totals of all legs, ended and current. */
  counters(): BrowserLegCounters {
    const sum = new BrowserLegCounters()
    sum.add(this.#ended)
    for (const leg of this.#legs) sum.add(leg.counters)
    return sum
  }

  /** Creates a session in `room`, without a connection yet; `earlier`: the one that it continues. */
  begin(
    about: Pick<BrowserSession, 'room' | 'invited' | 'group' | 'rejoin' | 'unnamed'>,
    hearing: HeardLanguages,
    accompanied: boolean,
    earlier: EarlierSession | undefined,
  ): BrowserSession {
    const session = new BrowserSession({
      call: earlier?.call ?? randomBytes(TOKEN_BYTES).toString('base64url'),
      secret: earlier?.secret ?? randomBytes(TOKEN_BYTES).toString('base64url'),
      ...about,
      ...{ hearing, accompanied, clock: this.#clock },
      participant: leg => this.#relay.find(leg),
      endsAt: this.#clock.now() + (earlier?.leftMs ?? this.#maxMs),
    })
    session.start()
    const { room } = session
    this.#byCall.set(session.call, session)
    const there = this.#byRoom.get(room) ?? new Set()
    this.#byRoom.set(room, there.add(session))
    return session
  }

  /** Returns the session to resume, or undefined if it does not exist or the secret is wrong. */
  find(call: string, secret: string): BrowserSession | undefined {
    const session = this.#byCall.get(call)
    return session && sameSecret(secret, session.secret) ? session : undefined
  }

  /** Keeps the visit of a session whose participant is in the room, so that it survives this process. */
  keep({ call, secret, room, invited, endsAt, participantId: participant }: BrowserSession): void {
    const leftMs = endsAt - this.#clock.now()
    if (participant === undefined || leftMs <= 0) return
    this.#visits
      .keep(credentials(call, secret), { room, participant, invited, leftMs })
      .catch(error => this.#log.warn(errorFields(error), 'visit cannot be kept'))
  }

  /** Returns the visit of a session that this process does not have, or undefined if it is over. */
  async kept(call: string, secret: string): Promise<EarlierSession | undefined> {
    const visit = await this.#visits.find(credentials(call, secret))
    return visit && { call, secret, ...visit }
  }

  /** Registers a leg that is about to be admitted. */
  own(leg: BrowserLeg): void {
    this.#legs.add(leg)
    this.#ticker ??= new Ticker(this.#clock, WATCH_MS, now => {
      for (const each of this.#legs) each.watch(now)
    })
    void leg.ended.then(() => {
      this.#legs.delete(leg)
      this.#ended.add(leg.counters)
      if (this.#legs.size > 0) return
      this.#ticker?.[Symbol.dispose]()
      this.#ticker = undefined
    })
  }

  forget(session: BrowserSession): void {
    session.close()
    this.#byCall.delete(session.call)
    const there = this.#byRoom.get(session.room)
    there?.delete(session)
    if (there?.size === 0) this.#byRoom.delete(session.room)
  }

  /** Returns true if someone in `room`, including `newcomers` about to join, has company there. */
  company(room: string, newcomers = 0): boolean {
    const { participants, audiences = [] } = this.#relay.rooms.get(room) ?? {}
    return (participants?.size ?? 0) + newcomers > 1 || audiences.length > 0
  }

  /** The audiences of `room`. */
  listeners(room: string): readonly Audience[] {
    return this.#relay.rooms.get(room)?.audiences ?? []
  }

  /** Returns the names of the participants of `room`, without that of `session`. */
  names(room: string, session?: BrowserSession): ReadonlySet<string> {
    const there = this.#relay.rooms.get(room)?.participants.values() ?? []
    const others = Array.from(there).filter(({ id }) => id !== session?.participantId)
    return new Set(others.flatMap(({ state }) => state.name ?? []))
  }

  parties(session: BrowserSession): PartyView[] {
    const there = this.#relay.rooms.get(session.room)?.participants.values() ?? []
    const spaces = new Set<string>()
    return Array.from(there)
      .filter(({ invitation: { sharedSpace }, state: { speaks } }) => {
        // A voice channel listens with one leg per language; others see it as one participant.
        if (sharedSpace === undefined || speaks !== undefined) return true
        const known = spaces.has(sharedSpace)
        spaces.add(sharedSpace)
        return !known
      })
      .map(each => partyView(each, session))
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]()
    for (const session of this.#byCall.values()) session.close()
    this.#ticker?.[Symbol.dispose]()
  }

  #of(room: string, participant: string): BrowserSession | undefined {
    for (const session of this.#byRoom.get(room) ?? [])
      if (session.participantId === participant) return session
    return undefined
  }

  #left(room: string, participant: string, reason: EndReason): void {
    const session = this.#of(room, participant)
    if (!session) return
    this.forget(session)
    // They hung up, or were removed. After anything else they can return.
    if (reason.kind !== 'hangup') return
    this.#visits
      .end(credentials(session.call, session.secret))
      .catch(error => this.#log.warn(errorFields(error), 'visit cannot be ended'))
  }

  /** Tells the page of `session` what it gets from each speaker. */
  tellReceptions(session: BrowserSession): void {
    const { participantId } = session
    const room = this.#relay.rooms.get(session.room)
    if (participantId === undefined || !room) return
    session.receive(
      room.receptionsOf(participantId).map(({ listener, ...reception }) => ({
        ...reception,
        name: room.participants.get(reception.speaker)?.state.name,
        you: reception.speaker === listener,
      })),
    )
  }

  /** Schedules that after the current events, which can concern many speakers. */
  #touchReceptions(session: BrowserSession): void {
    if (this.#staleReceptions.size === 0)
      queueMicrotask(() => {
        const sessions = [...this.#staleReceptions]
        this.#staleReceptions.clear()
        for (const each of sessions) this.tellReceptions(each)
      })
    this.#staleReceptions.add(session)
  }

  /** Schedules an update of `room` after the current events: a newly admitted participant is not fully in it yet. */
  #touch(room: string): void {
    if (!this.#byRoom.has(room)) return
    if (this.#stale.size === 0) queueMicrotask(() => this.#refresh())
    this.#stale.add(room)
  }

  #refresh(): void {
    const rooms = [...this.#stale]
    this.#stale.clear()
    for (const room of rooms)
      for (const session of this.#byRoom.get(room) ?? []) {
        session.fit(this.company(room))
        const self = session.view(this.company(room))
        if (self) session.tell({ kind: 'self', self })
        session.tell({ kind: 'parties', parties: this.parties(session), listeners: this.listeners(room) })
      }
  }
}

function credentials(call: string, secret: string): string {
  return `${call} ${secret}`
}

function partyView({ id, channel, state, present }: Participant, session: BrowserSession): PartyView {
  const { name, speaks, hears, muted } = state
  return {
    ...{ id, channel, muted, you: id === session.participantId, absent: !present },
    name,
    speaks,
    hears,
  }
}
