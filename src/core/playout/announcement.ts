import { FADE_SAMPLES, fadeIn, fadeOut } from '../../transcode/fade.ts'
import { FRAME_SAMPLES, SAMPLE_RATE } from '../../transcode/pcm.ts'
import type { Sound } from '../model/announcer.ts'

/** A looped sound is faded at its seam if its first and last sample differ by more than this. */
const SEAM_MOST = 500

/** `heard`: the peer has played it to its end. `stopped`: it was stopped or rejected, or the participant has left. */
export type AnnouncementEnd = 'heard' | 'stopped'

/** Options for playing a sound to a participant. */
export interface AnnounceOptions {
  /**
   * `notice`: played over everything else; original voices are ducked, translations wait.
   * `background`: played only during silence. Default: `background` for looped sounds, otherwise `notice`.
   */
  readonly as?: 'notice' | 'background'
}

/** A system sound that is played to one participant. */
export interface Announcement {
  /** Name of the sound. */
  readonly name: string
  /** Settles once, never rejects. */
  readonly ended: Promise<AnnouncementEnd>
  /** Settles when all of it was sent, without waiting for playback to be confirmed. Never settles if it is stopped before. */
  readonly sent: Promise<void>
  /**
   * Fades out. With `flush`, the peer also drops the part that it has not played, unless its buffer could still hold
   * another complete sound, which must not be cut. Idempotent.
   */
  stop(options?: { readonly flush?: boolean }): void
}

/** A sound being sent to one participant, read frame by frame. */
export class PlayingSound implements Announcement {
  readonly sound: Sound
  readonly background: boolean
  /** Time at which it was requested (clock ms). */
  readonly since: number
  readonly ended: Promise<AnnouncementEnd>
  readonly sent: Promise<void>
  readonly #stop: (sound: PlayingSound, flush: boolean) => void
  #settle!: (end: AnnouncementEnd) => void
  #settleSent!: () => void
  #end: AnnouncementEnd | undefined
  /** Index of the next sample. */
  #at = 0
  /** True if the next frame continues the last one, so that it needs no ramp. */
  #flowing = false

  constructor(
    sound: Sound,
    background: boolean,
    since: number,
    stop: (sound: PlayingSound, flush: boolean) => void,
  ) {
    this.sound = sound
    this.background = background
    this.since = since
    this.#stop = stop
    this.ended = new Promise(resolve => {
      this.#settle = resolve
    })
    this.sent = new Promise(resolve => {
      this.#settleSent = resolve
    })
  }

  get name(): string {
    return this.sound.name
  }

  get over(): boolean {
    return this.#end !== undefined
  }

  /** True once its first frame was read. */
  get begun(): boolean {
    return this.#at > 0
  }

  stop({ flush = false }: { readonly flush?: boolean } = {}): void {
    if (!this.over) this.#stop(this, flush)
  }

  /** Resolves `sent`. */
  settleSent(): void {
    this.#settleSent()
  }

  /** Resolves `ended`. Only the first call has an effect. */
  settle(end: AnnouncementEnd): void {
    if (this.#end) return
    this.#end = end
    this.#settle(end)
  }

  /** Fills `frame` with the next samples. Returns false for the last frame. */
  fill(frame: Int16Array): boolean {
    const { pcm, loop = false } = this.sound
    if (pcm.length === 0) {
      frame.fill(0)
      return false
    }
    const seam = loop && Math.abs(pcm[0]! - pcm[pcm.length - 1]!) > SEAM_MOST
    for (let n = 0; n < FRAME_SAMPLES; n++) {
      if (this.#at === pcm.length && loop) this.#at = 0
      frame[n] = this.#at < pcm.length ? pcm[this.#at]! * this.#edge(!loop || seam) : 0
      this.#at++
    }
    if (!this.#flowing) fadeIn(frame)
    this.#flowing = true
    return loop || this.#at < pcm.length
  }

  /** Fills `frame` with a fade-out of 5 ms, before a pause or the end. */
  fadeOut(frame: Int16Array): void {
    this.fill(frame)
    this.#at = Math.max(0, this.#at - FRAME_SAMPLES + FADE_SAMPLES)
    fadeOut(frame)
    this.#flowing = false
  }

  /** Moves back by `ms`, but not past the start. */
  rewind(ms: number): void {
    this.#at = Math.max(0, this.#at - Math.round((ms * SAMPLE_RATE) / 1000))
    this.#flowing = false
  }

  /** Gain at the next sample: the end is faded out, and a looped sound is also faded in at its start. */
  #edge(faded: boolean): number {
    if (!faded) return 1
    const left = this.sound.pcm.length - 1 - this.#at
    return Math.min(1, left / FADE_SAMPLES, this.sound.loop ? this.#at / FADE_SAMPLES : 1)
  }
}

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
export class AnnouncementQueue {
  readonly #events: AnnouncementLaneEvents
  /** Created with the first sound. */
  #frame: Int16Array | undefined
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

  /** True if nothing plays, waits or fades out. */
  get empty(): boolean {
    return this.#current === undefined && this.#notices.length === 0 && this.#backgrounds.length === 0
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
    if (!leaving && !wanted) return undefined
    this.#frame ??= new Int16Array(FRAME_SAMPLES)
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
