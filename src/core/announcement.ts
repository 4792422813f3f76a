import { FRAME_SAMPLES, SAMPLE_RATE } from '../transcode/pcm.ts'
import type { Sound } from './sound.ts'

/** Ramp wherever a sound begins, ends or is cut (5 ms). */
const FADE_SAMPLES = SAMPLE_RATE / 200
/** A sound whose ends differ by more than this is faded where it begins again. */
const SEAM_MOST = 500

/** `heard`: the far side has played it to its end. `stopped`: it was stopped, refused, or nobody is there any more. */
export type AnnouncementEnd = 'heard' | 'stopped'

/** How a sound is played to a party. */
export interface AnnounceOptions {
  /**
   * `notice`: said over everything else; original voices are soft under it, translations wait.
   * `background`: heard only while nothing else is. Default: `background` for what loops, else `notice`.
   */
  readonly as?: 'notice' | 'background'
}

/** Something the system plays to one party. */
export interface Announcement {
  /** The sound's. */
  readonly name: string
  /** Settles once, never rejects. */
  readonly ended: Promise<AnnouncementEnd>
  /** Settles when all of it was sent, whether or not the far side confirms that it was played; never if it is stopped before. */
  readonly sent: Promise<void>
  /**
   * Fades out; with `flush` the far side also drops what it has not played of it, unless something else that was sent to
   * its end is not known to have been heard yet: that is not torn. Idempotent.
   */
  stop(options?: { readonly flush?: boolean }): void
}

/** A sound on its way to one party, read frame by frame. */
export class PlayingSound implements Announcement {
  readonly sound: Sound
  readonly background: boolean
  /** When it was asked for (clock ms). */
  readonly since: number
  readonly ended: Promise<AnnouncementEnd>
  readonly sent: Promise<void>
  readonly #stop: (sound: PlayingSound, flush: boolean) => void
  #settle!: (end: AnnouncementEnd) => void
  #settleSent!: () => void
  #end: AnnouncementEnd | undefined
  /** The next sample. */
  #at = 0
  /** Its last frame was not silence: what follows continues it. */
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

  /** Something of it has been played. */
  get begun(): boolean {
    return this.#at > 0
  }

  stop({ flush = false }: { readonly flush?: boolean } = {}): void {
    if (!this.over) this.#stop(this, flush)
  }

  /** Says that all of it was sent. */
  settleSent(): void {
    this.#settleSent()
  }

  /** Says how it ended; only the first time counts. */
  settle(end: AnnouncementEnd): void {
    if (this.#end) return
    this.#end = end
    this.#settle(end)
  }

  /** Fills `frame` with what comes next. False when that was the last of it. */
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

  /** Fills `frame` with its last 5 ms: it stops here, or pauses. */
  fadeOut(frame: Int16Array): void {
    this.fill(frame)
    this.#at = Math.max(0, this.#at - FRAME_SAMPLES + FADE_SAMPLES)
    for (let n = 0; n < FADE_SAMPLES; n++) frame[n] = (frame[n]! * (FADE_SAMPLES - n)) / FADE_SAMPLES
    frame.fill(0, FADE_SAMPLES)
    this.#flowing = false
  }

  /** Goes back by `ms`, to its beginning at most. */
  rewind(ms: number): void {
    this.#at = Math.max(0, this.#at - Math.round((ms * SAMPLE_RATE) / 1000))
    this.#flowing = false
  }

  /** The gain at the next sample: what ends is faded out there, what begins again also where it begins. */
  #edge(faded: boolean): number {
    if (!faded) return 1
    const left = this.sound.pcm.length - 1 - this.#at
    return Math.min(1, left / FADE_SAMPLES, this.sound.loop ? this.#at / FADE_SAMPLES : 1)
  }
}

function fadeIn(frame: Int16Array): void {
  for (let n = 0; n < FADE_SAMPLES; n++) frame[n] = (frame[n]! * n) / FADE_SAMPLES
}
