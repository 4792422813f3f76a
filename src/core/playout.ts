import { FRAME_MS, FRAME_SAMPLES } from '../transcode/pcm.ts'
import type { Announcement, AnnounceOptions, PlayingSound } from './announcement.ts'
import { AnnouncementLane } from './announcement-lane.ts'
import type { EchoReference } from './echo-reference.ts'
import type { Leg } from './leg.ts'
import type { RelayMetrics } from './metrics.ts'
import { type MarkLost, PlayoutMarks } from './playout-marks.ts'
import { PlayoutMixer, SLACK_MS } from './playout-mixer.ts'
import type { Sound } from './sound.ts'
import type { Voice } from './voice.ts'

/** Frames in one message once the far side has some ahead: 40 ms. */
const BATCH_FRAMES = 2
/** How far an original voice runs ahead: live audio can only be held back, so this is delay (frames). */
const LIVE_LEAD = 3
/** … when it is only the background of a translation, where a gap would be worse than delay (frames). */
const BACKGROUND_LEAD = 8

export interface PlayoutOptions {
  /** How far ahead of real time translations are sent (ms); what a busy moment of this process may last unheard. */
  readonly leadMs: number
  /** Loudness of original voices under a notice, against what it would be (dB). Default −15. */
  readonly noticeDuckDb?: number
}

/** What becomes of the sounds that the system plays to a listener. */
export type NoticeStage = 'begun' | 'heard' | 'stopped'

/**
 * Sends what one listener hears on an absolute grid of 20 ms. The far side plays in real time from a queue of its own;
 * `#drainsAt` is the moment that queue runs dry. Translations and announcements are known in advance and are sent
 * `leadMs` ahead, originals are live and follow closely. Nothing to say, nothing sent.
 */
export class Playout {
  /** Learns what is played, and when, so that its echo can be told. Set by the participant. */
  reference: EchoReference | undefined
  #leg: Leg
  readonly #leadMs: number
  readonly #metrics: RelayMetrics
  readonly #onNotice: (name: string, stage: NoticeStage) => void
  readonly #onFault: (error: unknown) => void
  readonly #announcements: AnnouncementLane
  readonly #mixer: PlayoutMixer
  readonly #marks = new PlayoutMarks()
  readonly #batch = new Int16Array(BATCH_FRAMES * FRAME_SAMPLES)
  readonly #one = this.#batch.subarray(0, FRAME_SAMPLES)
  readonly #two = this.#batch.subarray(FRAME_SAMPLES)
  #batched = 0
  #drainsAt = Number.NEGATIVE_INFINITY
  #pumpedAt = 0
  #framesSent = 0
  #notices = 0
  /** Notices whose marks are awaited. */
  #unheardNotices = 0
  #closed = false
  /** The leg broke: nothing can be sent. */
  #held = false

  /** `onFault` is told what was thrown where something was made for this listener, or sent to them. */
  constructor(
    leg: Leg,
    options: PlayoutOptions,
    metrics: RelayMetrics,
    onNotice: (name: string, stage: NoticeStage) => void = () => {},
    onFault: (error: unknown) => void = () => {},
  ) {
    const { leadMs, noticeDuckDb = -15 } = options
    if (!(leadMs >= FRAME_MS)) throw new RangeError(`leadMs must be at least ${FRAME_MS}, got ${leadMs}`)
    this.#leg = leg
    this.#leadMs = leadMs
    this.#metrics = metrics
    this.#onNotice = onNotice
    this.#onFault = onFault
    this.#announcements = new AnnouncementLane({
      mayFlush: () => this.#marks.unconfirmed === 0,
      begun: ({ name }) => onNotice(name, 'begun'),
      finished: sound => this.#announced(sound),
      stopped: (sound, flush) => this.#stopped(sound, flush),
    })
    this.#mixer = new PlayoutMixer(this.#announcements, 10 ** (noticeDuckDb / 20))
  }

  /** Frames sent so far. */
  get framesSent(): number {
    return this.#framesSent
  }

  /** How much of what was sent the far side has not played yet at `now` (ms). */
  aheadMs(now: number): number {
    return Math.max(0, this.#drainsAt - now)
  }

  /** The longest backlog of a translation (ms). */
  get backlogMs(): number {
    return this.#mixer.backlogMs
  }

  get voices(): ReadonlyMap<string, Voice> {
    return this.#mixer.voices
  }

  add(voice: Voice): void {
    this.#mixer.add(voice)
  }

  /** It has ended: nothing is played any more. */
  get closed(): boolean {
    return this.#closed
  }

  /** Forgets a speaker; what was sent of them is still heard. */
  remove(speaker: string): void {
    this.#mixer.remove(speaker)
  }

  /** Plays `sound` to the listener; see `AnnounceOptions` for how it goes together with the voices. */
  announce(sound: Sound, now: number, options: AnnounceOptions = {}): Announcement {
    const playing = this.#announcements.add(sound, now, options)
    if (this.#closed) playing.stop()
    else this.pump(now)
    return playing
  }

  /**
   * Calls `heard` once the far side confirms that it played the frame being mixed now, or `lost` once it is known that
   * it never will, or it is not known; `name` is unique.
   */
  mark(name: string, heard: () => void, lost: (why: MarkLost) => void = () => {}): void {
    this.#marks.add(name, heard, lost)
  }

  /** The far side confirmed `name`; one that is not known (any more) is fine. */
  marked(name: string): void {
    this.#marks.confirm(name)
  }

  /**
   * Drops the translations that wait, and what the far side has not played of them; a notice is left alone. False when
   * there were none.
   */
  interrupt(): boolean {
    let queued = this.#marks.unconfirmed > this.#unheardNotices
    for (const { translation } of this.#mixer.voices.values()) {
      if (translation.active) queued = true
      translation.clear()
    }
    if (queued && !this.#announcements.sounding && this.#unheardNotices === 0) this.#flush()
    return queued
  }

  /** Drops everything queued, here and at the far side. */
  clear(): void {
    for (const voice of this.#mixer.voices.values()) voice.clear()
    this.#announcements.clear()
    this.#flush()
  }

  /** The leg broke: nothing can be sent until there is another, and what it had not played is not heard. Idempotent. */
  hold(now: number): void {
    if (this.#held) return
    this.#held = true
    this.#announcements.rewind(this.aheadMs(now))
    this.reference?.cut(now)
    this.#batched = 0
    this.#drainsAt = Number.NEGATIVE_INFINITY
    this.#mixer.reset()
    this.#marks.clear('leg-gone')
  }

  /** Goes on over `leg`. */
  moveTo(leg: Leg, now: number): void {
    this.hold(now)
    this.#leg = leg
    this.#held = false
  }

  /** Nothing is played any more: announcements end. Idempotent. */
  close(): void {
    this.#closed = true
    this.#announcements.clear()
    this.#marks.clear('leg-gone')
  }

  /** Looks at deadlines; a few times a second is enough. */
  check(now: number): void {
    this.#marks.check(now)
  }

  /**
   * Sends what is due at `now` (ms). Called on every tick, and when something new can be heard at once: in the call of
   * whoever speaks, whom a fault here is not to harm.
   */
  pump(now: number): void {
    if (this.#closed || this.#held) return
    this.#pumpedAt = now
    try {
      this.#sendDue(now)
    } catch (error) {
      this.#onFault(error)
    }
  }

  #sendDue(now: number): void {
    if (this.#leg.congested) {
      // The far side does not read: originals go by, translations wait (their lane has its own bound).
      this.#metrics.congestedFrames += this.#mixer.skip(LIVE_LEAD)
      return
    }
    // Mostly there is enough ahead, whatever is being played.
    if (
      this.#drainsAt - now > this.#leadMs - BATCH_FRAMES * FRAME_MS + SLACK_MS &&
      this.#leadMs >= BACKGROUND_LEAD * FRAME_MS
    )
      return
    for (;;) {
      // While somebody is heard directly or behind a translation, what is known in advance keeps pace with them: running
      // further ahead would leave a gap in their words.
      const playing = this.#mixer.known(now)
      const known = playing && !this.#mixer.talking(now)
      const ahead = Math.max(0, this.#drainsAt - now)
      const prime = this.#mixer.live ? LIVE_LEAD : BACKGROUND_LEAD
      const lead = known ? this.#leadMs : prime * FRAME_MS
      // The first frame goes at once; after that a message is sent only when a whole one is due.
      if (ahead > 0 && this.#batched === 0 && ahead > lead - BATCH_FRAMES * FRAME_MS + SLACK_MS) break
      if (
        !known &&
        !this.#mixer.due(ahead, prime, this.#batched > 0, BATCH_FRAMES) &&
        // What is there never breaks off for want of somebody's next words; it waits for them while there is time.
        (!playing || (this.#mixer.flowing && ahead > this.#patienceMs(lead)))
      )
        break
      const frame = this.#batched === 0 ? this.#one : this.#two
      if (!this.#mixer.mix(frame, now, ahead, prime)) break
      this.reference?.add(frame, now + ahead)
      this.#batched++
      this.#drainsAt = Math.max(this.#drainsAt, now) + FRAME_MS
      this.#framesSent++
      this.#metrics.framesOut++
      if (this.#batched === BATCH_FRAMES || ahead === 0 || this.#marks.pending) this.#send()
    }
    this.#send()
  }

  /** Behind live words what is known in advance goes on without them once the far side has no more than this (ms). */
  #patienceMs(leadMs: number): number {
    return Math.max(FRAME_MS + SLACK_MS, leadMs - 2 * BATCH_FRAMES * FRAME_MS)
  }

  #announced(sound: PlayingSound): void {
    this.#unheardNotices++
    sound.settleSent()
    const ended = (end: 'heard' | 'stopped') => {
      this.#unheardNotices--
      if (sound.over) return
      sound.settle(end)
      this.#onNotice(sound.name, end)
    }
    this.mark(
      `notice ${++this.#notices}`,
      () => ended('heard'),
      () => ended('stopped'),
    )
  }

  #stopped({ name, begun }: PlayingSound, flush: boolean): void {
    if (flush && begun) this.#flush()
    this.#onNotice(name, 'stopped')
  }

  #flush(): void {
    this.#batched = 0
    this.#mixer.reset()
    this.reference?.cut(this.#pumpedAt)
    this.#drainsAt = Number.NEGATIVE_INFINITY
    this.#marks.clear('flushed')
    if (this.#held) return
    try {
      this.#leg.flush()
    } catch (error) {
      this.#onFault(error)
    }
  }

  #send(): void {
    if (this.#batched === 0) return
    const frames = this.#batched === 1 ? this.#one : this.#batch
    this.#batched = 0
    this.#leg.play(frames)
    if (this.#marks.pending) for (const name of this.#marks.take(this.#drainsAt)) this.#leg.mark(name)
  }
}
