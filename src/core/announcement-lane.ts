import { FRAME_SAMPLES } from '../transcode/pcm.ts'
import { type AnnounceOptions, PlayingSound } from './announcement.ts'
import type { Sound } from './sound.ts'

/** Sounds that may wait for one party, the one that plays included. */
const MOST_WAITING = 16

export interface AnnouncementLaneEvents {
  /** Whether what the far side has may be dropped: nothing else of it is to be heard. */
  mayFlush(): boolean
  /** Its first frame is being sent. */
  begun(sound: PlayingSound): void
  /** Its last frame was taken; a mark may follow it. */
  finished(sound: PlayingSound): void
  /** Stopped or refused; `flush`: what the far side has of it is to be dropped. */
  stopped(sound: PlayingSound, flush: boolean): void
}

/**
 * What the system plays to one party: notices one after the other, and behind them backgrounds (ringing, music), of
 * which the oldest is heard. One sound at a time; where one gives way to another it fades out first.
 */
export class AnnouncementLane {
  readonly #events: AnnouncementLaneEvents
  readonly #frame = new Int16Array(FRAME_SAMPLES)
  readonly #notices: PlayingSound[] = []
  readonly #backgrounds: PlayingSound[] = []
  /** Whose frame was the last one. */
  #current: PlayingSound | undefined

  constructor(events: AnnouncementLaneEvents) {
    this.#events = events
  }

  /** The notice that plays or is next. */
  get notice(): PlayingSound | undefined {
    return this.#notices[0]
  }

  /** A background plays or waits for silence. */
  get background(): boolean {
    return this.#backgrounds.length > 0
  }

  /** In the middle of a sound, which must be continued or faded out. */
  get sounding(): boolean {
    return this.#current !== undefined
  }

  /** The notice has begun. */
  get noticing(): boolean {
    return this.#current !== undefined && this.#current === this.#notices[0]
  }

  /** Puts `sound` in line; a line that is full refuses it: it ends as `stopped` at once. */
  add(
    sound: Sound,
    now: number,
    { as = sound.loop ? 'background' : 'notice' }: AnnounceOptions,
  ): PlayingSound {
    const playing = new PlayingSound(sound, as === 'background', now, (each, flush) =>
      this.#stopped(each, flush && this.#events.mayFlush()),
    )
    const queue = this.#queueOf(playing)
    if (queue.length >= MOST_WAITING) {
      playing.settle('stopped')
      this.#events.stopped(playing, false)
    } else queue.push(playing)
    return playing
  }

  /**
   * The next frame, valid until the one after it is asked for: of the notice if it `mayNotice`, else of a background if
   * it `mayBackground`; undefined when there is none.
   */
  next(mayNotice: boolean, mayBackground: boolean): Int16Array | undefined {
    const wanted =
      (mayNotice ? this.#notices[0] : undefined) ?? (mayBackground ? this.#backgrounds[0] : undefined)
    const leaving = this.#current
    if (leaving && leaving !== wanted) {
      leaving.fadeOut(this.#frame)
      this.#current = undefined
      return this.#frame
    }
    if (!wanted) return undefined
    this.#current = wanted
    const first = !wanted.begun
    const more = wanted.fill(this.#frame)
    if (first) this.#events.begun(wanted)
    if (!more) {
      this.#current = undefined
      this.#remove(wanted)
      this.#events.finished(wanted)
    }
    return this.#frame
  }

  /** The last `ms` were not heard: what is in the middle goes back by them. */
  rewind(ms: number): void {
    this.#current?.rewind(ms)
    this.#current = undefined
  }

  /** Stops everything at once. */
  clear(): void {
    this.#current = undefined
    for (const each of [...this.#notices, ...this.#backgrounds]) this.#stopped(each, false)
  }

  #stopped(playing: PlayingSound, flush: boolean): void {
    this.#remove(playing)
    playing.settle('stopped')
    if (flush && this.#current === playing) this.#current = undefined
    this.#events.stopped(playing, flush)
  }

  #remove(playing: PlayingSound): void {
    const queue = this.#queueOf(playing)
    const at = queue.indexOf(playing)
    if (at >= 0) queue.splice(at, 1)
  }

  #queueOf({ background }: PlayingSound): PlayingSound[] {
    return background ? this.#backgrounds : this.#notices
  }
}
