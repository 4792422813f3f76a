import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, setTimer } from '../common/clock.ts'
import { BridgeError } from '../common/errors.ts'
import type { LanguageId } from '../common/language.ts'
import type { Logger } from '../common/log.ts'
import { isoTime, type WallClock } from '../common/wall-clock.ts'
import type { Announcer, NoticeName, Sound } from '../core/model/announcer.ts'
import type { Recorder, RecordingFault, RecordingStatus } from '../core/model/recording.ts'
import type { Participant } from '../core/room/participant.ts'
import type { Relay } from '../core/room/relay.ts'
import type { Room } from '../core/room/room.ts'
import { durationMs } from '../transcode/pcm.ts'
import { deleteOldRecordings, markRunning, writeNotes } from './manifest.ts'
import { Recording } from './recording.ts'
import type { RecordingSettings } from './settings.ts'

/** Number of attempts to play the complete notice to a connected participant. */
const TRIES = 3
/** If the peer does not confirm playback, the notice counts as played this long after its end (ms). */
const UNCONFIRMED_MS = 5_000
/** Maximum delay of sending, in addition to the notice’s duration, while a participant is disconnected (ms). */
const UNSENT_MS = 15_000

/** Tracks who has heard the recording notice. Other voices are not recorded. */
export class Consents {
  readonly #clock: Clock
  readonly #told = new Set<string>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  has(participant: string): boolean {
    return this.#told.has(participant)
  }

  /**
   * Plays `notice`, again if it was cut off. Settles when playback is complete or impossible; in the latter
   * case the participant is excluded from the recording.
   */
  async tell(participant: Participant, notice: Promise<Sound>): Promise<boolean> {
    const sound = await notice
    for (let tries = 0; tries < TRIES && participant.host; tries++)
      if (await this.#hears(participant, sound)) {
        this.#told.add(participant.id)
        return true
      }
    return false
  }

  async #hears(participant: Participant, sound: Sound): Promise<boolean> {
    const announcement = participant.announce(sound, { as: 'notice' })
    const believed = Promise.withResolvers<'heard'>()
    using timers = new DisposableStack()
    const lengthMs = durationMs(sound.pcm.length)
    timers.use(setTimer(this.#clock, lengthMs + UNSENT_MS, () => announcement.stop()))
    // Not from the request: the notice may wait for another one, or for a disconnected participant.
    void announcement.sent.then(() => {
      if (!timers.disposed) timers.use(setTimer(this.#clock, UNCONFIRMED_MS, () => believed.resolve('heard')))
    })
    return (await Promise.race([announcement.ended, believed.promise])) === 'heard'
  }
}

/** Limits that protect the disk and the event loop. */
const RECORDING_LIMITS = {
  /** Duration of a recording (ms). */
  longestMs: 240 * 60_000,
  /** Concurrent recordings. */
  most: 50,
}

/** Interval between deletions of old recordings (ms). */
const SWEEP_MS = 900_000

export interface DiskRecorderOptions {
  readonly relay: Relay
  readonly announcer: Announcer
  readonly settings: RecordingSettings
  /** Overrides some, for tests. */
  readonly limits?: Partial<typeof RECORDING_LIMITS>
  readonly clock: Clock
  readonly wallClock: WallClock
  readonly log: Logger
  /** Language of notices for participants without one. */
  readonly language: LanguageId
}

interface Running {
  readonly recording: Recording
  readonly room: Room
  readonly consents: Consents
  tap?: Disposable
  fault?: RecordingFault
  /** Metadata writes are sequential. */
  noted: Promise<void>
}

/** Records rooms to disk, with a track for each voice and each translation. The creator closes it. */
export class DiskRecorder implements Recorder, AsyncDisposable {
  readonly stats: RecordingStats = {
    ...{ begun: 0, kept: 0, keptMs: 0, refused: 0, lostMs: 0, tracksFailed: 0 },
  }
  readonly #options: DiskRecorderOptions
  readonly #running = new Map<string, Running>()
  readonly #ending = new Set<Running>()
  #subscriptions: readonly Disposable[] = []
  readonly #limits: typeof RECORDING_LIMITS
  #sweep: Disposable | undefined
  #closed = false

  private constructor(options: DiskRecorderOptions) {
    this.#options = options
    this.#limits = { ...RECORDING_LIMITS, ...options.limits }
  }

  /** Observes the rooms of the relay from now on, and deletes old recordings. */
  static open(options: DiskRecorderOptions): DiskRecorder {
    const recorder = new DiskRecorder(options)
    recorder.#observe()
    return recorder
  }

  of(room: string): RecordingStatus | undefined {
    const running = this.#running.get(room)
    return running && statusOf(running)
  }

  start(room: string): RecordingStatus {
    const known = this.#running.get(room)
    if (known) return statusOf(known)
    const { relay, settings } = this.#options
    const open = relay.rooms.get(room)
    if (this.#closed || settings.mode === 'off') throw new BridgeError('STATE', 'recording is off')
    if (!open || open.participants.size === 0) throw new BridgeError('STATE', 'the room is empty')
    if (this.#running.size >= this.#limits.most) {
      this.stats.refused++
      throw new BridgeError('CAPACITY', `limit of ${this.#limits.most} recordings reached`, {
        retryable: true,
      })
    }
    const running = this.#newRecording(open)
    this.#running.set(room, running)
    this.stats.begun++
    relay.observer.emit('recording', { room, recording: running.recording.id, state: 'notice' })
    void this.#begin(running)
    return statusOf(running)
  }

  pause(room: string): RecordingStatus {
    return this.#switch(room, 'pause', 'recording-paused')
  }

  resume(room: string): RecordingStatus {
    return this.#switch(room, 'resume', 'recording-resumed')
  }

  async stop(room: string): Promise<RecordingStatus | undefined> {
    const running = this.#running.get(room)
    if (!running) return undefined
    running.recording.end()
    await running.noted
    return statusOf(running)
  }

  /** Ends all recordings; settles when everything is on disk. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#sweep?.[Symbol.dispose]()
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]()
    for (const { recording } of this.#running.values()) recording.end()
    await Promise.all([...this.#ending].map(({ noted }) => noted))
  }

  #observe(): void {
    const { relay, settings } = this.#options
    this.#subscriptions = [
      relay.observer.on('admitted', ({ room, participant }) => this.#cameIn(room, participant)),
      relay.observer.on('room', ({ room, state }) => {
        if (state === 'closed') this.#running.get(room)?.recording.end()
      }),
    ]
    if (settings.mode !== 'off' && settings.keepHours > 0) this.#sweepNow()
  }

  #newRecording(room: Room): Running {
    const { relay, settings, clock, wallClock } = this.#options
    const id = randomBytes(6).toString('hex')
    const date = isoTime(wallClock()).replace(/[-:]|\.\d+/g, '')
    const folder = join(settings.folder, `${date}-${id}`)
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
    } catch (cause) {
      this.stats.refused++
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
      throw new BridgeError('CAPACITY', `cannot write recordings to ${settings.folder} (${code})`, { cause })
    }
    const consents = new Consents(clock)
    const recording: Recording = new Recording({
      id,
      room: room.name,
      roomOpenedAt: room.openedAt,
      folder,
      clock,
      wallClock,
      mostMs: this.#limits.longestMs,
      knows: participant => consents.has(participant),
      find: participant => relay.find(participant),
      full: () => recording.end(),
      trouble: {
        failed: code => {
          this.stats.tracksFailed++
          this.#fault(running, 'disk-failed', code)
        },
        lost: ms => {
          this.stats.lostMs += ms
          this.#fault(running, 'disk-slow')
        },
      },
      changed: state => {
        relay.observer.emit('recording', { room: room.name, recording: id, state })
        if (state === 'ended') this.#over(running)
        else this.#note(running)
      },
    })
    const running: Running = { recording, room, consents, noted: Promise.resolve() }
    return running
  }

  /** Recording starts after all participants have heard the notice. */
  async #begin(running: Running): Promise<void> {
    const { recording, room } = running
    await Promise.all([...room.participants.values()].map(party => this.#tell(running, party)))
    if (recording.status.state !== 'notice') return
    running.tap = room.tap(recording)
    if (recording.begin() === 'paused') this.#sayToAll(running, 'recording-paused')
  }

  async #tell({ consents }: Running, party: Participant): Promise<void> {
    const told = await consents.tell(party, this.#notice('recording', party))
    if (told) return
    this.#options.log.warn({ participant: party.id }, 'recording notice not played, participant left out')
  }

  #cameIn(name: string, participant: string): void {
    const running = this.#running.get(name)
    if (!running) {
      // The room and the participant are not complete in this turn yet.
      if (this.#options.settings.mode === 'always') queueMicrotask(() => this.#startUnasked(name))
      return
    }
    queueMicrotask(() => {
      const party = this.#options.relay.find(participant)
      if (party) void this.#tell(running, party)
    })
  }

  #startUnasked(room: string): void {
    if (this.#closed || !this.#options.relay.rooms.has(room)) return
    try {
      this.start(room)
    } catch (error) {
      this.#options.log.error({ room, error: String(error) }, 'conversation not recorded')
    }
  }

  #switch(room: string, what: 'pause' | 'resume', notice: NoticeName): RecordingStatus {
    const running = this.#running.get(room)
    if (!running) throw new BridgeError('STATE', 'this room is not being recorded')
    const { recording } = running
    const before = recording.status.state
    recording[what]()
    if (recording.status.state !== before) this.#sayToAll(running, notice)
    return statusOf(running)
  }

  #sayToAll({ room }: Running, notice: NoticeName): void {
    for (const party of room.participants.values())
      void this.#notice(notice, party).then(sound => party.announce(sound))
  }

  #notice(name: NoticeName, { state }: Participant) {
    return this.#options.announcer.notice(name, state.hears ?? state.speaks ?? this.#options.language)
  }

  #over(running: Running): void {
    const { recording, room } = running
    this.#running.delete(room.name)
    this.#ending.add(running)
    running.tap?.[Symbol.dispose]()
    running.noted = Promise.all([running.noted, recording.ended]).then(() => this.#lastNote(running))
    void running.noted.then(() => this.#ending.delete(running))
  }

  /** Reports a fault when it occurs, once per kind. */
  #fault(running: Running, fault: RecordingFault, code?: string): void {
    if (running.fault === fault || running.fault === 'disk-failed') return
    running.fault = fault
    const { recording } = running
    const { relay, log } = this.#options
    log.error({ recording: recording.id, fault, code }, 'recording loses audio: disk failed or too slow')
    relay.observer.emit('recording', {
      room: recording.room,
      recording: recording.id,
      state: recording.status.state,
      fault,
    })
  }

  #note(running: Running): void {
    running.noted = running.noted.then(() => this.#write(running))
  }

  async #lastNote(running: Running): Promise<void> {
    const { recording } = running
    const notes = recording.notes()
    // It ended before anyone was notified: the folder is empty.
    if (!notes) return await rmdir(recording.folder).catch(() => {})
    await this.#write(running)
    this.stats.kept++
    this.stats.keptMs += notes.durationMs ?? 0
    if (notes.tracks.some(({ failed, lostMs }) => failed || lostMs))
      this.#options.log.error({ recording: recording.id }, 'recording incomplete: disk failed or too slow')
  }

  async #write(running: Running): Promise<void> {
    const { recording } = running
    const notes = recording.notes()
    if (!notes) return
    try {
      await writeNotes(recording.folder, notes)
    } catch (error) {
      this.#options.log.error(
        { recording: recording.id, error: String(error) },
        'recording metadata not written',
      )
      this.#fault(running, 'disk-failed', (error as NodeJS.ErrnoException).code)
    }
  }

  #sweepNow(): void {
    const { settings, wallClock, log, clock } = this.#options
    const now = wallClock()
    const olderThan = now - settings.keepHours * 3_600_000
    const running = [...this.#running.values(), ...this.#ending].map(({ recording }) => recording.folder)
    const marked = Promise.all(running.map(folder => markRunning(folder, now)))
    void marked
      .then(() => deleteOldRecordings(settings.folder, { olderThan, running }))
      .then(deleted => {
        if (deleted > 0) log.info({ deleted }, 'old recordings deleted')
      })
    this.#sweep = setTimer(clock, SWEEP_MS, () => this.#sweepNow())
  }
}

function statusOf({ recording, fault }: Running): RecordingStatus {
  return { ...recording.status, fault }
}

/** Counters of a recorder; plain numbers, safe to read at any time. */
export interface RecordingStats {
  begun: number
  /** Finished recordings with content. */
  kept: number
  /** Duration of conversations recorded (ms). */
  keptMs: number
  /** Recordings that could not be started. */
  refused: number
  /** Audio lost because the disk was too slow (ms). */
  lostMs: number
  /** Tracks that ended early because of a disk error. */
  tracksFailed: number
}
