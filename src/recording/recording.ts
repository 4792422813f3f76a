import { join } from 'node:path'
import type { Clock } from '../core/clock.ts'
import type { Participant } from '../core/participant.ts'
import type { RecordingState, RecordingStatus } from '../core/recorder.ts'
import type { Tap, Track } from '../core/tap.ts'
import { isoTime, type WallClock } from '../core/wall-clock.ts'
import type { RecordingNotes, TrackNotes } from './recording-notes.ts'
import { type TrackEnd, TrackFile, type TrackTrouble } from './track-file.ts'

export interface RecordingParts {
  readonly id: string
  readonly room: string
  /** When the room opened (clock ms). */
  readonly roomOpenedAt: number
  /** Its own folder, which exists. */
  readonly folder: string
  readonly clock: Clock
  readonly wallClock: WallClock
  /** A recording ends when it holds this much (ms). */
  readonly mostMs: number
  /** Whether this party knows that it is recorded. */
  readonly knows: (participant: string) => boolean
  readonly find: (participant: string) => Participant | undefined
  /** The state is another one. */
  readonly changed: (state: RecordingState) => void
  /** Something goes wrong with one of its files. */
  readonly trouble: TrackTrouble
  /** It holds as much as it may. */
  readonly full: () => void
}

interface OpenTrack {
  readonly file: TrackFile
  readonly notes: TrackNotes
}

/**
 * A recording of one room: each voice and each translation in a file of its own, all on the same time line, from which
 * pauses are cut out. Owns the files. A tap: the room ends it.
 *
 *   notice ──begin──▶ recording ◀──pause, resume──▶ paused
 *      └────────────────end────────────▶ ended
 *
 * A pause that is asked for during the notice holds from the beginning.
 */
export class Recording implements Tap {
  readonly id: string
  readonly room: string
  readonly folder: string
  /** Settles once all files are closed; never rejects. */
  readonly ended: Promise<void>
  readonly #parts: RecordingParts
  readonly #tracks = new Map<string, OpenTrack>()
  readonly #ends = new Map<string, TrackEnd>()
  readonly #pauses: { atMs: number; forMs: number }[] = []
  #state: RecordingState = 'notice'
  /** When the first sound was kept, by the clock and as a date. */
  #startedAt = 0
  #startedDate = 0
  #pausedAt = 0
  /** A pause was asked for during the notice. */
  #pausedBefore = false
  #pausedMs = 0
  #keptMs = 0
  #endedDate = 0
  #settle!: () => void

  constructor(parts: RecordingParts) {
    this.id = parts.id
    this.room = parts.room
    this.folder = parts.folder
    this.#parts = parts
    this.ended = new Promise(resolve => {
      this.#settle = resolve
    })
  }

  get status(): RecordingStatus {
    return { id: this.id, room: this.room, state: this.#state, keptMs: Math.round(this.#kept()) }
  }

  /** Everybody has heard that they are recorded: sound is kept from now on, unless it is paused. Returns the state. */
  begin(): RecordingState {
    if (this.#state !== 'notice') return this.#state
    this.#startedAt = this.#parts.clock.now()
    this.#startedDate = this.#parts.wallClock()
    this.#pausedAt = this.#startedAt
    this.#become(this.#pausedBefore ? 'paused' : 'recording')
    return this.#state
  }

  pause(): void {
    if (this.#state === 'notice') this.#pausedBefore = true
    if (this.#state !== 'recording') return
    this.#pausedAt = this.#parts.clock.now()
    this.#become('paused')
  }

  resume(): void {
    if (this.#state === 'notice') this.#pausedBefore = false
    if (this.#state !== 'paused') return
    const forMs = this.#parts.clock.now() - this.#pausedAt
    this.#pauses.push({ atMs: this.#pausedAt - this.#startedAt - this.#pausedMs, forMs })
    this.#pausedMs += forMs
    this.#become('recording')
  }

  frame(track: Track, frame: Int16Array, atMs: number): void {
    if (this.#state !== 'recording' || !this.#parts.knows(track.participant)) return
    const at = this.#parts.roomOpenedAt + atMs - this.#startedAt - this.#pausedMs
    if (at < 0) return
    const { file } = this.#tracks.get(track.id) ?? this.#open(track)
    file.write(at, frame)
    if (at > this.#parts.mostMs) this.#parts.full()
  }

  end(): void {
    if (this.#state === 'ended') return
    this.#keptMs = this.#kept()
    this.#endedDate = this.#parts.wallClock()
    const begun = this.#state !== 'notice'
    this.#become('ended')
    void this.#close(begun ? this.#keptMs : 0).then(this.#settle)
  }

  /** What it is, as far as known now; undefined when nothing was kept. */
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

  /** Sound and silence kept (ms). */
  #kept(): number {
    if (this.#state === 'ended') return this.#keptMs
    if (this.#state === 'notice') return 0
    const until = this.#state === 'paused' ? this.#pausedAt : this.#parts.clock.now()
    return until - this.#startedAt - this.#pausedMs
  }

  #become(state: RecordingState): void {
    this.#state = state
    this.#parts.changed(state)
  }

  #open({ id, kind, participant, to }: Track): OpenTrack {
    const number = String(this.#tracks.size + 1).padStart(2, '0')
    const name = `${number}-${kind}${to === undefined ? '' : `-${to}`}.wav`
    const party = this.#parts.find(participant)
    const language = to ?? party?.state.speaks
    const notes: TrackNotes = {
      file: name,
      kind,
      participant,
      ...(party?.state.name === undefined ? {} : { name: party.state.name }),
      ...(party === undefined ? {} : { channel: party.leg.channel }),
      ...(language === undefined ? {} : { language }),
    }
    const track = { file: new TrackFile(join(this.folder, name), this.#parts.trouble), notes }
    this.#tracks.set(id, track)
    return track
  }

  /** All files end at the same moment. */
  async #close(durationMs: number): Promise<void> {
    // A translation may have been sent a little ahead of its time.
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
