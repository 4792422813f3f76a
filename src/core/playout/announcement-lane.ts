import { FRAME_SAMPLES } from '../../transcode/pcm.ts'
import type { Sound } from '../model/sound.ts'
import { type AnnounceOptions, PlayingSound } from './announcement.ts'

/** Maximum number of queued sounds per participant, including the one being played. */
const MOST_WAITING = 16

export interface AnnouncementLaneEvents {
  /** Returns true if the remote buffer can be flushed, because it holds no other audio that must be played. */
  mayFlush(): boolean
  /** The first frame of `sound` is being sent. */
  begun(sound: PlayingSound): void
  /** The last frame of `sound` was read; a mark can follow it. */
  finished(sound: PlayingSound): void
  /** `sound` was stopped or rejected. `flush`: drop its audio from the remote buffer too. */
  stopped(sound: PlayingSound, flush: boolean): void
}

/**
 * System sounds for one participant: a queue of notices, and background sounds (ringing, music) with lower priority, of
 * which only the oldest is played. One sound plays at a time and fades out before another replaces it.
 */
export class AnnouncementLane {
  readonly #events: AnnouncementLaneEvents
  readonly #frame = new Int16Array(FRAME_SAMPLES)
  readonly #notices: PlayingSound[] = []
  readonly #backgrounds: PlayingSound[] = []
  /** Source of the last frame. */
  #current: PlayingSound | undefined

  constructor(events: AnnouncementLaneEvents) {
    this.#events = events
  }

  /** The notice that is playing or next. */
  get notice(): PlayingSound | undefined {
    return this.#notices[0]
  }

  /** True while a background sound is playing or waiting for silence. */
  get background(): boolean {
    return this.#backgrounds.length > 0
  }

  /** True in the middle of a sound, which must be continued or faded out. */
  get sounding(): boolean {
    return this.#current !== undefined
  }

  /** True while the notice is playing. */
  get noticing(): boolean {
    return this.#current !== undefined && this.#current === this.#notices[0]
  }

  /** Queues `sound`. If the queue is full, the sound ends immediately as `stopped`. */
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
   * Returns the next frame, valid until the next call: from the notice if `mayNotice`, otherwise from a background sound
   * if `mayBackground`, otherwise undefined.
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

  /** Rewinds the current sound by `ms` that were sent but not played. */
  rewind(ms: number): void {
    this.#current?.rewind(ms)
    this.#current = undefined
  }

  /** Stops all sounds immediately, without fading. */
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
