import { type Clock, systemClock } from '../../common/clock.ts'
import { BridgeError } from '../../common/errors.ts'
import { describeEnd, type EndReason, OwnedSet } from '../../common/lifecycle.ts'
import { LateLog, type Logger } from '../../common/log.ts'
import { mp3Ready } from '../../transcode/mp3/mp3-decoder.ts'
import { ContainedFaults } from '../model/contained-faults.ts'
import { Observer, type ServiceProblem, type ServiceStatusChange } from '../model/events.ts'
import type { Admission, Invitation } from '../model/invitation.ts'
import { checkedInvitation } from '../model/invitation-check.ts'
import type { Leg } from '../model/leg.ts'
import { GETS, type Gets } from '../model/reception.ts'
import type { Tap } from '../model/recording.ts'
import { RelayCounters } from '../model/relay-counters.ts'
import type { RelaySettings } from '../model/relay-settings.ts'
import { FailoverTranslator } from '../translation/failover-translator.ts'
import { FragmentPool } from '../translation/fragment-store.ts'
import { SessionPlaces } from '../translation/session-places.ts'
import type { Translator } from '../translation/translator.ts'
import { DecodeQueue } from '../utterance/decode-queue.ts'
import type { InterpretationOptions } from './interpretation.ts'
import { LagMonitor } from './lag-monitor.ts'
import { Participant } from './participant.ts'
import { ReconnectionWindow } from './reconnection-window.ts'
import { RelayTicks } from './relay-ticks.ts'
import { Room } from './room.ts'

/** Dependencies of a relay. */
export interface RelayOptions {
  /** The service; the relay closes it last. */
  readonly translator: Translator
  /** Fallback services in order of preference; closed with the relay. */
  readonly fallbacks?: readonly Translator[]
  readonly options: RelaySettings
  readonly clock?: Clock
  /** Default: the log of the first bridge that admits legs here, which is the log of its Fastify application. */
  readonly log?: Logger
  /** In [0, 1); for the jitter of retries. */
  readonly random?: () => number
}

/** Owns the rooms, the single timer and all resources that legs share. Legs enter only through `admit`. */
export class Relay implements Admission {
  readonly observer: Observer
  readonly metrics = new RelayCounters()
  readonly #gate: FailoverTranslator
  readonly #options: RelaySettings
  readonly #clock: Clock
  readonly #log = new LateLog()
  readonly #rooms = new Map<string, Room>()
  readonly #tappers = new Set<(room: Room) => Tap | undefined>()
  readonly #participants = new Map<string, Participant>()
  readonly #legs = new OwnedSet<Leg>()
  readonly #reconnections: ReconnectionWindow
  readonly #parts: InterpretationOptions
  readonly #faults: ContainedFaults
  readonly #decoding: DecodeQueue
  readonly #services: GateReport
  readonly #ticks: RelayTicks
  #closing: Promise<void> | undefined

  constructor({
    translator,
    fallbacks = [],
    options,
    clock: time = systemClock,
    log: given,
    random = Math.random,
  }: RelayOptions) {
    const log = this.#log
    if (given) log.use(given)
    const faults = new ContainedFaults(log, this.metrics)
    const clock = faults.clock(time)
    this.#faults = faults
    this.observer = new Observer({ onListenerError: error => faults.note('observer failed', error) })
    this.#decoding = new DecodeQueue({
      failed: error => faults.note('utterance decoding failed', error),
    })
    const translators = [translator, ...fallbacks]
    const places = new SessionPlaces(clock)
    this.#services = new GateReport({
      metrics: this.metrics,
      observer: this.observer,
      clock,
      log,
      translators,
      places,
    })
    this.#gate = new FailoverTranslator(translators, {
      clock,
      random,
      changed: change => this.#services.changed(this.#gate, change),
    })
    this.#options = options
    this.#clock = clock
    this.#reconnections = new ReconnectionWindow(clock, options.reconnectWindowMs, (participant, reason) =>
      this.#left(participant, reason),
    )
    this.#parts = {
      clock,
      log,
      faults,
      metrics: this.metrics,
      translator: this.#gate,
      random,
      settings: options,
      observer: this.observer,
      decoding: this.#decoding,
      pool: new FragmentPool(),
      places,
    }
    this.#ticks = new RelayTicks({
      clock,
      faults,
      metrics: this.metrics,
      decoding: this.#decoding,
      lag: new LagMonitor(this.metrics, this.observer),
      rooms: this.#rooms,
      count: () => this.#services.count(this.#gate),
    })
  }

  /** Preloads resources that the first call would otherwise wait for. */
  async ready(): Promise<void> {
    await mp3Ready()
  }

  get rooms(): ReadonlyMap<string, Room> {
    return this.#rooms
  }

  /** Number of pairs of a speaker and a listener by what the listener gets now, in all rooms. */
  get receptions(): Readonly<Record<Gets, number>> {
    const counts = Object.fromEntries(GETS.map(gets => [gets, 0])) as Record<Gets, number>
    for (const room of this.#rooms.values()) for (const { gets } of room.receptions) counts[gets]++
    return counts
  }

  /** Where the relay logs. */
  get log(): Logger {
    return this.#log
  }

  /** Makes the relay log to `log`, unless it has a log already. Bridges call it with the log of their application. */
  useLog(log: Logger): void {
    this.#log.use(log)
  }

  /** Why each service cannot be used, in order of preference; undefined for those that work, or are not known yet. */
  get serviceProblems(): readonly (ServiceProblem | undefined)[] {
    return this.#gate.problems
  }

  /** The states of the services, in order of preference; only `closed` passes more than probes. */
  get services(): readonly ('closed' | 'open' | 'half-open')[] {
    return this.#gate.statuses
  }

  /** Fragments of speech currently held in replay buffers; 0 when all sessions have ended. */
  get replayFragments(): number {
    return this.#parts.pool.lent
  }

  /** Translations that wait for the decoder; 0 when no call is active. */
  get decoding(): number {
    return this.#decoding.size
  }

  /** Legs currently in rooms. */
  get legs(): number {
    return this.#legs.size
  }

  /** True if the limit of legs is reached. */
  get full(): boolean {
    return this.#legs.size >= this.#options.maxLegs
  }

  /** Returns the participant with this id in any room; the id of the current leg works too. */
  find(participantId: string): Participant | undefined {
    return this.#participants.get(participantId)
  }

  /** Calls `tapper` for a tap in every room, open rooms included. Dispose the result to stop; active taps remain. */
  onTap(tapper: (room: Room) => Tap | undefined): Disposable {
    this.#tappers.add(tapper)
    for (const room of this.#rooms.values()) this.#offer(room, tapper)
    return { [Symbol.dispose]: () => void this.#tappers.delete(tapper) }
  }

  /**
   * Also throws `RangeError` for an invalid invitation, with the expected and the actual value, and `BridgeError` `STATE`
   * for an audience of a room that is not open.
   */
  admit(leg: Leg, given: Invitation): void {
    const invitation = checkedInvitation(given)
    if (this.#closing) throw new BridgeError('CAPACITY', 'the relay is closing')
    if (leg.listeners !== undefined && this.#rooms.get(invitation.room)?.closing !== false)
      throw new BridgeError('STATE', `room ${invitation.room} is not open`)
    const returning = this.#returning(leg, invitation.room)
    // A leg that replaces another one needs no additional place.
    if (this.#legs.size >= this.#options.maxLegs + (returning?.present ? 1 : 0)) {
      this.metrics.legsRejected++
      throw new BridgeError('CAPACITY', `limit of ${this.#legs.size} legs reached (relay.maxLegs)`, {
        retryable: true,
      })
    }
    this.#legs.add(leg)
    this.metrics.legsAdmitted++
    const participant = returning ?? this.#newParticipant(leg, invitation)
    this.#participants.set(leg.id, participant)
    const room = this.#room(invitation.room)
    // First of all, so that a participant is removed again if the rest fails.
    void leg.ended.then(reason => this.#legEnded(room, participant, leg, reason)).catch(this.#endFailed)
    this.#ticks.start()
    if (returning) this.#takeBack(room, returning, leg)
    else this.#takeIn(room, participant)
  }

  /** Stops admitting, closes every leg and room, then the service. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    await this.#legs.closeAll()
    await Promise.all(Array.from(this.#rooms.values(), room => room.close({ kind: 'parent-closed' })))
    this.#ticks.stop()
    await this.#gate.close()
  }

  /** Returns the participant who reconnects with `leg`; undefined if their room is closing. */
  #returning(leg: Leg, name: string): Participant | undefined {
    const room = this.#rooms.get(name)
    const participant = this.#reconnections.returning(leg, name)
    return room && !room.closing && participant?.host === room ? participant : undefined
  }

  #newParticipant(leg: Leg, invitation: Invitation): Participant {
    const { observer, metrics } = this
    const parts = { clock: this.#clock, faults: this.#faults, metrics, observer, settings: this.#options }
    return new Participant(leg, invitation, parts)
  }

  #takeIn(room: Room, participant: Participant): void {
    participant.attach(participant.leg)
    this.#reconnections.know(participant)
    const { speaks, hears } = participant.state
    const { id, channel } = participant
    const about = { participant: id, channel, ...(speaks && { speaks }), ...(hears && { hears }) }
    if (!participant.isAudience) this.observer.emit('admitted', { room: room.name, ...about })
    this.#log.info(about, 'leg admitted')
    room.join(participant)
  }

  /** The call has a new leg; the end of the old one is possibly still unknown. */
  #takeBack(room: Room, participant: Participant, leg: Leg): void {
    const absentMs = Math.round(participant.absentMs(this.#clock.now()))
    const before = participant.leg
    this.#reconnections.end(participant)
    participant.attach(leg)
    if (before.id !== participant.id) this.#participants.delete(before.id)
    this.observer.emit('reconnected', { room: room.name, participant: participant.id, absentMs })
    this.#log.info({ participant: participant.id, legId: leg.id, absentMs }, 'participant reconnected')
    room.restore(participant)
  }

  #room(name: string): Room {
    const known = this.#rooms.get(name)
    if (known && !known.closing) return known
    const expire = (participant: Participant, reason: EndReason) =>
      this.#reconnections.expire(participant, reason)
    const room = new Room(name, this.#parts, expire)
    this.#rooms.set(name, room)
    // Without participants, it ends only after the last words for its audiences.
    void room.ended.then(() => this.#forget(room))
    this.observer.emit('room', { room: name, state: 'opened' })
    for (const tapper of this.#tappers) this.#offer(room, tapper)
    return room
  }

  #offer(room: Room, tapper: (room: Room) => Tap | undefined): void {
    try {
      const tap = tapper(room)
      if (tap) room.tap(tap)
    } catch (error) {
      this.#faults.note('tap failed', error, { room: room.name })
    }
  }

  readonly #endFailed = (error: unknown): void => this.#faults.note('leg close failed', error)

  #legEnded(room: Room, participant: Participant, leg: Leg, reason: EndReason): void {
    this.metrics.legsEnded++
    const about = { participant: participant.id, legId: leg.id, channel: leg.channel }
    this.#log.info({ ...about, frames: participant.frames, reason: describeEnd(reason) }, 'leg ended')
    // Another leg of the same call has replaced it.
    if (participant.leg !== leg) return
    if (this.#closing || room.closing || !this.#reconnections.keep(participant, reason)) {
      this.#left(participant, reason)
      return
    }
    room.hold(participant)
    const { reconnectWindowMs } = this.#options
    this.observer.emit('disconnected', {
      room: room.name,
      participant: participant.id,
      reason,
      reconnectWindowMs,
    })
  }

  #left(participant: Participant, reason: EndReason): void {
    const { id, channel, frames, leg, isAudience } = participant
    this.#reconnections.forget(participant)
    this.#participants.delete(id)
    this.#participants.delete(leg.id)
    const room = participant.host
    if (!(room instanceof Room)) return
    if (!isAudience) this.observer.emit('left', { room: room.name, participant: id, channel, frames, reason })
    room.leave(participant)
    if (room.over) this.#forget(room)
  }

  #forget(room: Room): void {
    if (this.#rooms.get(room.name) === room) this.#rooms.delete(room.name)
    if (this.#rooms.size === 0) this.#ticks.stop()
  }
}

interface GateReportOptions {
  readonly metrics: RelayCounters
  readonly observer: Observer
  readonly clock: Clock
  readonly log: Logger
  readonly translators: readonly Translator[]
  readonly places: SessionPlaces
}

/** Reports the status of the services of a failover translator to metrics, log and observers. */
class GateReport {
  readonly #options: GateReportOptions
  /** When each service stopped working (clock ms). */
  readonly #since = new Map<number, number>()

  constructor(options: GateReportOptions) {
    this.#options = options
  }

  /** Reports that a service stopped working, or works again. */
  changed(gate: FailoverTranslator, change: ServiceStatusChange): void {
    const { observer, clock, log, translators } = this.#options
    const { upstream: service, problem } = change
    const { address } = translators[service]!
    const about = { service, address }
    const since = this.#since.get(service)
    if (problem) {
      this.#since.set(service, since ?? clock.now())
      log.error({ ...about, code: problem.code, reason: problem.message }, 'translation service unavailable')
    } else {
      this.#since.delete(service)
      const afterMs = Math.round(clock.now() - (since ?? clock.now()))
      log.info({ ...about, afterMs }, 'translation service available again')
    }
    this.count(gate)
    observer.emit('service', change)
  }

  /** Updates the gauges. Called once per second, and when the last participant has left. */
  count(gate: FailoverTranslator): void {
    const { metrics, places } = this.#options
    metrics.probes = gate.probes
    metrics.sessionsWaitingNow = gate.waiting + places.waiting
    metrics.sessionsOnFallbackNow = gate.connectionsOnFallback
  }
}
