import { Mp3Pool } from '../transcode/mp3-pool.ts'
import { FRAME_MS, FRAME_SAMPLES } from '../transcode/pcm.ts'
import { type Clock, systemClock, Ticker } from './clock.ts'
import { DecodeQueue } from './decode-queue.ts'
import { BridgeError, describeEnd, type EndReason } from './errors.ts'
import { FragmentPool } from './fragment.ts'
import type { InterpretationParts } from './interpretation.ts'
import type { Admission, Invitation } from './invitation.ts'
import { LagWatch } from './lag-watch.ts'
import type { Leg } from './leg.ts'
import { type Log, silentLog } from './log.ts'
import { RelayMetrics } from './metrics.ts'
import { Observer } from './observer.ts'
import { Owned } from './owned.ts'
import { Participant } from './participant.ts'
import type { RelayOptions } from './relay-options.ts'
import { Room } from './room.ts'
import type { Tap } from './tap.ts'
import type { Translator } from './translator.ts'

/** Ticks between two looks at the sessions' deadlines: 100 ms. */
const CHECK_TICKS = 5
/** Ticks between two looks at the lag: 1 s. */
const LAG_TICKS = 50

export interface RelayParts {
  /** The service; the relay closes it last. */
  readonly translator: Translator
  readonly options: RelayOptions
  readonly clock?: Clock
  readonly log?: Log
  /** In [0, 1); for the jitter of retries. */
  readonly random?: () => number
}

/** Owns the rooms, the one timer and everything shared by legs. `admit` is the one way in. */
export class Relay implements Admission {
  readonly observer = new Observer()
  readonly metrics = new RelayMetrics()
  readonly #translator: Translator
  readonly #options: RelayOptions
  readonly #clock: Clock
  readonly #log: Log
  readonly #rooms = new Map<string, Room>()
  readonly #tappers = new Set<(room: Room) => Tap | undefined>()
  readonly #participants = new Map<string, Participant>()
  readonly #legs = new Owned<Leg>()
  readonly #parts: InterpretationParts
  readonly #decoding = new DecodeQueue()
  readonly #lag = new LagWatch(this.metrics, this.observer)
  readonly #mp3: Mp3Pool
  #ticker: Ticker | undefined
  #ticks = 0
  #lastTick = 0
  #closing: Promise<void> | undefined

  constructor({
    translator,
    options,
    clock = systemClock,
    log = silentLog,
    random = Math.random,
  }: RelayParts) {
    this.#translator = translator
    this.#options = options
    this.#clock = clock
    this.#log = log
    this.#mp3 = new Mp3Pool({ max: options.maxDecoders })
    this.observer.onListenerError = error => log.error({ error: String(error) }, 'an observer failed')
    this.#parts = {
      clock,
      log,
      metrics: this.metrics,
      translator,
      random,
      options,
      observer: this.observer,
      mp3: this.#mp3,
      decoding: this.#decoding,
      pool: new FragmentPool((options.fragmentMs / FRAME_MS) * FRAME_SAMPLES * 2),
    }
  }

  /** Prepares what the first call would wait for. */
  async ready(): Promise<void> {
    await this.#mp3.ready()
  }

  get rooms(): ReadonlyMap<string, Room> {
    return this.#rooms
  }

  /** Legs in rooms now. */
  get legs(): number {
    return this.#legs.size
  }

  /** The participant of this id, in whatever room. */
  find(participantId: string): Participant | undefined {
    return this.#participants.get(participantId)
  }

  /** Asks `tapper` for a tap in every room, those open now included; disposing asks no more, and leaves taps as they are. */
  onTap(tapper: (room: Room) => Tap | undefined): Disposable {
    this.#tappers.add(tapper)
    for (const room of this.#rooms.values()) this.#offer(room, tapper)
    return { [Symbol.dispose]: () => void this.#tappers.delete(tapper) }
  }

  admit(leg: Leg, invitation: Invitation): void {
    if (this.#closing) throw new BridgeError('CAPACITY', 'the relay is closing')
    if (this.#legs.size >= this.#options.maxLegs) {
      this.metrics.legsRefused++
      throw new BridgeError('CAPACITY', `${this.#legs.size} legs are the most`, { retryable: true })
    }
    const { observer, metrics } = this
    const participant = new Participant(leg, invitation, {
      clock: this.#clock,
      metrics,
      observer,
      options: this.#options,
    })
    this.#legs.add(leg)
    metrics.legsAdmitted++
    leg.attach(participant)
    const room = this.#room(invitation.room)
    void leg.ended.then(reason => this.#left(room, participant, reason))
    this.#participants.set(participant.id, participant)
    const about = {
      participant: participant.id,
      channel: leg.channel,
      ...(invitation.speaks ? { speaks: invitation.speaks } : {}),
      ...(invitation.hears ? { hears: invitation.hears } : {}),
    }
    observer.emit('admitted', { room: room.name, ...about })
    this.#log.info(about, 'leg admitted')
    room.join(participant)
    this.#ticker ??= new Ticker(this.#clock, FRAME_MS, this.#tick)
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
    this.#ticker?.[Symbol.dispose]()
    this.#decoding.close()
    await this.#translator.close()
    this.#mp3.close()
  }

  #room(name: string): Room {
    const known = this.#rooms.get(name)
    if (known && !known.closing) return known
    const room = new Room(name, this.#parts)
    this.#rooms.set(name, room)
    for (const tapper of this.#tappers) this.#offer(room, tapper)
    return room
  }

  #offer(room: Room, tapper: (room: Room) => Tap | undefined): void {
    try {
      const tap = tapper(room)
      if (tap) room.tap(tap)
    } catch (error) {
      this.#log.error({ room: room.name, error: String(error) }, 'a tap failed')
    }
  }

  #left(room: Room, participant: Participant, reason: EndReason): void {
    this.#participants.delete(participant.id)
    this.metrics.legsEnded++
    const about = {
      participant: participant.id,
      channel: participant.leg.channel,
      frames: participant.frames,
    }
    this.observer.emit('left', { room: room.name, ...about, reason })
    this.#log.info({ ...about, reason: describeEnd(reason) }, 'leg ended')
    room.leave(participant)
    if (room.participants.size > 0) return
    if (this.#rooms.get(room.name) === room) this.#rooms.delete(room.name)
    if (this.#rooms.size > 0) return
    this.#ticker?.[Symbol.dispose]()
    this.#ticker = undefined
    this.#lag.look([])
  }

  readonly #tick = (now: number): void => {
    if (this.#ticks++ > 0) this.metrics.tickLateMs.record(now - this.#lastTick - FRAME_MS)
    this.#lastTick = now
    this.#decoding.tick()
    const check = this.#ticks % CHECK_TICKS === 0
    for (const room of this.#rooms.values()) {
      if (check) room.check(now)
      room.tick(now)
    }
    if (this.#ticks % LAG_TICKS === 0) this.#lag.look(this.#rooms.values())
  }
}
