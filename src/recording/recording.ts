import { join } from 'node:path'
import type { Clock } from '../common/clock.ts'
import { isoTime, type WallClock } from '../common/wall-clock.ts'
import type { RecordingState, RecordingStatus, Tap, Track } from '../core/model/recording.ts'
import type { Participant } from '../core/room/participant.ts'
import type { RecordingNotes, TrackNotes } from './manifest.ts'
import { type TrackEnd, TrackFile, type TrackTrouble } from './track-file.ts'

export interface RecordingOptions {
  readonly id: string
  readonly room: string
  /** Time when the room opened (clock ms). */
  readonly roomOpenedAt: number
  /** Its own folder, which exists. */
  readonly folder: string
  readonly clock: Clock
  readonly wallClock: WallClock
  /** Maximum duration (ms). */
  readonly mostMs: number
  /** True if this participant has been notified of the recording. */
  readonly knows: (participant: string) => boolean
  readonly find: (participant: string) => Participant | undefined
  /** Called when the state changes. */
  readonly changed: (state: RecordingState) => void
  /** Called for problems with its files. */
  readonly trouble: TrackTrouble
  /** Called when the maximum duration is reached. */
  readonly full: () => void
}

interface OpenTrack {
  readonly file: TrackFile
  readonly notes: TrackNotes
}

/**
 * A recording of one room: each voice and each translation in its own file, all on the same timeline, without pauses.
 * Owns the files. As a tap, it is ended by the room.
 *
 * notice ──begin──▶ recording ◀──pause, resume──▶ paused
 * └────────────────end────────────▶ ended
 *
 * A pause requested during the notice applies from the start.
 */
export class Recording implements Tap {
  readonly id: string
  readonly room: string
  readonly folder: string
  /** Settles once all files are closed; never rejects. */
  readonly ended: Promise<void>
  readonly #options: RecordingOptions
  readonly #tracks = new Map<string, OpenTrack>()
  readonly #ends = new Map<string, TrackEnd>()
  readonly #pauses: { atMs: number; forMs: number }[] = []
  #state: RecordingState = 'notice'
  /** Start of the first recorded audio, by the clock and as a date. */
  #startedAt = 0
  #startedDate = 0
  #pausedAt = 0
  /** A pause was requested during the notice. */
  #pausedBefore = false
  #pausedMs = 0
  #keptMs = 0
  #endedDate = 0
  #settle!: () => void

  constructor(options: RecordingOptions) {
    this.id = options.id
    this.room = options.room
    this.folder = options.folder
    this.#options = options
    this.ended = new Promise(resolve => {
      this.#settle = resolve
    })
  }

  get status(): RecordingStatus {
    return { id: this.id, room: this.room, state: this.#state, keptMs: Math.round(this.#kept()) }
  }

  /** All participants have heard the notice: audio is recorded from now on, unless paused. Returns the state. */
  begin(): RecordingState {
    if (this.#state !== 'notice') return this.#state
    this.#startedAt = this.#options.clock.now()
    this.#startedDate = this.#options.wallClock()
    this.#pausedAt = this.#startedAt
    this.#become(this.#pausedBefore ? 'paused' : 'recording')
    return this.#state
  }

  pause(): void {
    if (this.#state === 'notice') this.#pausedBefore = true
    if (this.#state !== 'recording') return
    this.#pausedAt = this.#options.clock.now()
    this.#become('paused')
  }

  resume(): void {
    if (this.#state === 'notice') this.#pausedBefore = false
    if (this.#state !== 'paused') return
    const forMs = this.#options.clock.now() - this.#pausedAt
    this.#pauses.push({ atMs: this.#pausedAt - this.#startedAt - this.#pausedMs, forMs })
    this.#pausedMs += forMs
    this.#become('recording')
  }

  frame(track: Track, frame: Int16Array, atMs: number): void {
    if (this.#state !== 'recording' || !this.#options.knows(track.participant)) return
    const at = this.#options.roomOpenedAt + atMs - this.#startedAt - this.#pausedMs
    if (at < 0) return
    const { file } = this.#tracks.get(track.id) ?? this.#open(track)
    file.write(at, frame)
    if (at > this.#options.mostMs) this.#options.full()
  }

  end(): void {
    if (this.#state === 'ended') return
    this.#keptMs = this.#kept()
    this.#endedDate = this.#options.wallClock()
    const begun = this.#state !== 'notice'
    this.#become('ended')
    void this.#close(begun ? this.#keptMs : 0).then(this.#settle)
  }

  /** Returns the current metadata; undefined if the recording is empty. */
  notes(): RecordingNotes | undefined {
    if (this.#startedDate === 0) return undefined
    return {
      version: 1,
      id: this.id,
      room: this.room,
      startedAt: isoTime(this.#startedDate),
      ...(this.#state === 'ended'
        ? { endedAt: isoTime(this.#endedDate), durationMs: Math.round(this.#keptMs) }
        : {}),
      pauses: this.#pauses.map(({ atMs, forMs }) => ({ atMs: Math.round(atMs), forMs: Math.round(forMs) })),
      tracks: [...this.#tracks].map(([id, { notes }]) => ({ ...notes, ...endOf(this.#ends.get(id)) })),
    }
  }

  /** Recorded duration, including silence (ms). */
  #kept(): number {
    if (this.#state === 'ended') return this.#keptMs
    if (this.#state === 'notice') return 0
    const until = this.#state === 'paused' ? this.#pausedAt : this.#options.clock.now()
    return until - this.#startedAt - this.#pausedMs
  }

  #become(state: RecordingState): void {
    this.#state = state
    this.#options.changed(state)
  }

  #open({ id, kind, participant, to }: Track): OpenTrack {
    const number = String(this.#tracks.size + 1).padStart(2, '0')
    const name = `${number}-${kind}${to === undefined ? '' : `-${to}`}.wav`
    const party = this.#options.find(participant)
    const language = to ?? party?.state.speaks
    const notes: TrackNotes = {
      file: name,
      kind,
      participant,
      ...(party?.state.name === undefined ? {} : { name: party.state.name }),
      ...(party === undefined ? {} : { channel: party.leg.channel }),
      language,
    }
    const track = { file: new TrackFile(join(this.folder, name), this.#options.trouble), notes }
    this.#tracks.set(id, track)
    return track
  }

  /** All files end at the same time. */
  async #close(durationMs: number): Promise<void> {
    // Translations have possibly been sent slightly ahead of time.
    const lengths = [...this.#tracks.values()].map(({ file }) => file.durationMs)
    const lastMs = Math.max(durationMs, ...lengths)
    await Promise.all(
      [...this.#tracks].map(async ([id, { file }]) => {
        file.silenceTo(lastMs, 1)
        this.#ends.set(id, await file.close())
      }),
    )
  }
}

function endOf(end: TrackEnd | undefined): Partial<TrackNotes> {
  if (!end) return {}
  return { ...(end.lostMs > 0 ? { lostMs: end.lostMs } : {}), ...(end.failed ? { failed: true } : {}) }
}
