import { FRAME_MS, FRAME_SAMPLES, SILENT_FRAME } from '../../transcode/pcm.ts'
import type { Sound } from '../model/announcer.ts'
import type { NoticeStage } from '../model/events.ts'
import type { Leg } from '../model/leg.ts'
import type { RelayCounters } from '../model/relay-counters.ts'
import type { RelaySettings } from '../model/relay-settings.ts'
import {
  type Announcement,
  AnnouncementQueue,
  type AnnounceOptions,
  type PlayingSound,
} from './announcement.ts'
import type { EchoReference } from './echo-reference.ts'
import type { ListenerVoice } from './listener-voice.ts'
import { type MarkLost, PlayoutMarks } from './mark-tracker.ts'
import { PlayoutMixer, SLACK_MS } from './mixer.ts'

/** Frames per message once the peer has audio queued: 40 ms. */
const BATCH_FRAMES = 2
/** … at most, of audio known in advance, to legs that take longer messages: 80 ms. */
const MAX_BATCH_FRAMES = 4
/** Messages are longer only if the peer then still has this much audio when the next one is due, for late ticks (ms). */
const MIN_RESERVE_MS = 100
/** Lead of an original voice: live audio can only be delayed, so lead is latency (frames). */
const LIVE_LEAD = 3
/** … as the background of a translation, where a gap is worse than latency (frames). */
const BACKGROUND_LEAD = 8

/**
 * Comfort noise starts this long after other audio (ms). The ear does not notice, and what a stalled network or the carrier
 * has queued too much is played meanwhile: under noise without a gap, all later audio would be that late.
 */
const NOISE_AFTER_MS = 200
/** … and has a gap of one frame after this long, for the same reason (ms). */
const NOISE_STRETCH_MS = 2_000
/** One message of it. Its noise is added by the leg. */
const NOISE_FRAMES = 2
const SILENCE = new Int16Array(NOISE_FRAMES * FRAME_SAMPLES)

/** The lead covers stalls of this process up to that length. */
export type PlayoutSettings = Pick<RelaySettings, 'leadMs'>

export interface PlayoutOptions extends PlayoutSettings {
  readonly metrics: RelayCounters
  /** Receives the audio sent, for echo detection. Default: none. */
  readonly reference?: EchoReference | undefined
  readonly events?: Partial<PlayoutEvents>
}

/** Calls to the owner of a playout. */
export interface PlayoutEvents {
  notice(name: string, stage: NoticeStage): void
  /** Producing or sending this listener's audio has thrown `error`. */
  failed(error: unknown): void
}

/** The message being filled. */
class Message {
  /** Each of its frames. */
  readonly frames: Int16Array[] = []
  /** Its first frames: one, two and so on. */
  readonly heads: Int16Array[] = []

  constructor() {
    const pcm = new Int16Array(MAX_BATCH_FRAMES * FRAME_SAMPLES)
    for (let end = FRAME_SAMPLES; end <= pcm.length; end += FRAME_SAMPLES) {
      this.frames.push(pcm.subarray(end - FRAME_SAMPLES, end))
      this.heads.push(pcm.subarray(0, end))
    }
  }
}

/**
 * Sends one listener's audio on an absolute grid of 20 ms. The peer plays from its own queue in real time; `#drainsAt`
 * is the moment at which that queue runs dry. Translations and announcements are known in advance and are sent `leadMs`
 * ahead; originals are live and follow closely. Sends only while there is audio to play, except comfort noise: a leg that adds it
 * gets silence in pauses, no further ahead than its queue needs.
 */
export class Playout {
  #leg: Leg
  readonly #leadMs: number
  readonly #metrics: RelayCounters
  readonly #reference: EchoReference | undefined
  readonly #events: Partial<PlayoutEvents>
  readonly #announcements: AnnouncementQueue
  readonly #mixer: PlayoutMixer
  readonly #marks = new PlayoutMarks()
  /** Created with the first audio. */
  #message: Message | undefined
  #batched = 0
  /** Frames per message of audio known in advance. */
  #knownFrames: number
  #drainsAt = Number.NEGATIVE_INFINITY
  #pumpedAt = 0
  /** End of everything sent that is not comfort noise (clock ms), and the comfort noise sent since its last gap (ms). */
  #soundsUntil = Number.NEGATIVE_INFINITY
  #noiseMs = 0
  #notices = 0
  /** Notices whose marks are pending. */
  #unheardNotices = 0
  #closed = false
  /** The leg broke; sending is suspended. */
  #held = false

  constructor(leg: Leg, options: PlayoutOptions) {
    const { leadMs, metrics, reference, events = {} } = options
    if (!(leadMs >= FRAME_MS)) throw new RangeError(`leadMs must be at least ${FRAME_MS}, got ${leadMs}`)
    this.#leg = leg
    this.#leadMs = leadMs
    this.#metrics = metrics
    this.#reference = reference
    this.#events = events
    this.#announcements = new AnnouncementQueue({
      mayFlush: () => this.#marks.unconfirmed === 0,
      begun: ({ name }) => events.notice?.(name, 'begun'),
      finished: sound => this.#announced(sound),
      stopped: (sound, flush) => this.#stopped(sound, flush),
    })
    this.#mixer = new PlayoutMixer(this.#announcements)
    this.#knownFrames = this.#messageFrames()
  }

  /** Audio sent but not yet played by the peer at `now` (ms), without comfort noise. */
  aheadMs(now: number): number {
    return Math.max(0, this.#soundsUntil - now)
  }

  /** The longest translation backlog (ms). */
  get backlogMs(): number {
    return this.#mixer.backlogMs
  }

  get voices(): ReadonlyMap<string, ListenerVoice> {
    return this.#mixer.voices
  }

  add(voice: ListenerVoice): void {
    this.#mixer.add(voice)
  }

  /** True after `close`: playback has ended. */
  get closed(): boolean {
    return this.#closed
  }

  /** Removes a speaker; audio already sent is still played. */
  remove(speaker: string): void {
    this.#mixer.remove(speaker)
  }

  /** Plays `sound` to the listener; `AnnounceOptions` describes how it mixes with the voices. */
  announce(sound: Sound, now: number, options: AnnounceOptions = {}): Announcement {
    const playing = this.#announcements.add(sound, now, options)
    if (this.#closed) playing.stop()
    else this.pump(now)
    return playing
  }

  /**
   * Calls `heard` once the peer confirms playback of the frame being mixed, or `lost` once that is ruled out or can no
   * longer be known. `name` must be unique.
   */
  mark(name: string, heard: () => void, lost: (why: MarkLost) => void = () => {}): void {
    this.#marks.add(name, heard, lost)
  }

  /** The peer confirmed `name`. Ignores an unknown or expired name. */
  marked(name: string): void {
    this.#marks.confirm(name)
  }

  /** Drops translations that are queued here or not yet played by the peer. A notice continues. */
  interrupt(): void {
    let queued = this.#marks.unconfirmed > this.#unheardNotices
    for (const { translation } of this.#mixer.voices.values()) {
      if (translation.active) queued = true
      translation.clear()
    }
    if (queued && !this.#announcements.sounding && this.#unheardNotices === 0) this.#flush()
  }

  /** Drops all queued audio, here and at the peer. */
  clear(): void {
    for (const voice of this.#mixer.voices.values()) voice.clear()
    this.#announcements.clear()
    this.#flush()
  }

  /** The leg broke: suspends sending until `moveTo`. Audio that was sent but not played is lost. Idempotent. */
  hold(now: number): void {
    if (this.#held) return
    this.#held = true
    this.#announcements.rewind(this.aheadMs(now))
    this.#reference?.cut(now)
    this.#batched = 0
    this.#drainsAt = this.#soundsUntil = Number.NEGATIVE_INFINITY
    this.#mixer.reset()
    this.#marks.clear('leg-gone')
  }

  /** Resumes sending on `leg`. */
  moveTo(leg: Leg, now: number): void {
    this.hold(now)
    this.#leg = leg
    this.#knownFrames = this.#messageFrames()
    this.#held = false
  }

  /** Ends playback and all announcements. Idempotent. */
  close(): void {
    this.#closed = true
    this.#announcements.clear()
    this.#marks.clear('leg-gone')
  }

  /** Checks deadlines; call it a few times a second. */
  check(now: number): void {
    this.#marks.check(now)
  }

  /**
   * Sends audio that is due at `now` (ms). Called on every tick, and as soon as new audio can be played: then in the
   * call stack of the speaker, who must not be affected by an error here.
   */
  pump(now: number): void {
    if (this.#closed || this.#held) return
    this.#pumpedAt = now
    try {
      this.#sendDue(now)
      if (this.#leg.comfortNoise) this.#fillPause(now)
    } catch (error) {
      this.#events.failed?.(error)
    }
  }

  #sendDue(now: number): void {
    // True on most ticks, because most participants are silent.
    if (this.#mixer.idle) return
    if (this.#leg.congested) {
      // The peer does not read: originals are skipped, translations stay in their bounded queue.
      this.#metrics.congestedFrames += this.#mixer.skip(LIVE_LEAD)
      return
    }
    // Fast path: usually enough audio is ahead, from any source.
    if (
      this.#drainsAt - now > this.#leadMs - BATCH_FRAMES * FRAME_MS + SLACK_MS &&
      this.#leadMs >= BACKGROUND_LEAD * FRAME_MS
    )
      return
    for (;;) {
      // While an original is playing, alone or under a translation, audio known in advance keeps pace with it: running
      // further ahead would leave a gap in the original.
      const playing = this.#mixer.known(now)
      const known = playing && !this.#mixer.talking(now)
      const ahead = Math.max(0, this.#drainsAt - now)
      const prime = this.#mixer.live ? LIVE_LEAD : BACKGROUND_LEAD
      const lead = known ? this.#leadMs : prime * FRAME_MS
      // The first frame is sent at once; later messages are sent only when a whole one is due.
      const batch = known ? this.#knownFrames : BATCH_FRAMES
      if (ahead > 0 && this.#batched === 0 && ahead > lead - batch * FRAME_MS + SLACK_MS) break
      if (
        !known &&
        !this.#mixer.due(ahead, prime, this.#batched > 0, BATCH_FRAMES) &&
        // Available audio waits for a speaker's next words only while enough is queued.
        (!playing || (this.#mixer.flowing && ahead > this.#patienceMs(lead)))
      )
        break
      this.#message ??= new Message()
      const frame = this.#message.frames[this.#batched]!
      if (!this.#mixer.mix(frame, now, ahead, prime)) break
      this.#reference?.add(frame, now + ahead)
      this.#batched++
      this.#drainsAt = Math.max(this.#drainsAt, now) + FRAME_MS
      this.#soundsUntil = this.#drainsAt
      this.#metrics.framesOut++
      if (this.#batched >= batch || ahead === 0 || this.#marks.pending) this.#send()
    }
    this.#send()
  }

  /** Sends comfort noise if the peer runs dry, and nothing else is about to follow. */
  #fillPause(now: number): void {
    const gapMs = this.#noiseMs >= NOISE_STRETCH_MS ? FRAME_MS : 0
    const due = Math.max(this.#drainsAt + gapMs, this.#soundsUntil + NOISE_AFTER_MS)
    if (now + SLACK_MS < due || this.#leg.congested) return
    // An original that is buffered, or the rest of an utterance, must not wait for a whole message.
    const frames = this.#mixer.idle ? NOISE_FRAMES : 1
    this.#drainsAt = Math.max(this.#drainsAt, now) + frames * FRAME_MS
    this.#noiseMs = (gapMs > 0 ? 0 : this.#noiseMs) + frames * FRAME_MS
    this.#leg.play(frames === NOISE_FRAMES ? SILENCE : SILENT_FRAME)
  }

  #messageFrames(): number {
    const ms = Math.min(this.#leg.messageMs ?? 0, this.#leadMs - MIN_RESERVE_MS, MAX_BATCH_FRAMES * FRAME_MS)
    return Math.max(BATCH_FRAMES, Math.floor(ms / FRAME_MS))
  }

  /** Under live speech, audio known in advance continues alone once the peer has no more than this (ms). */
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
      this.#events.notice?.(sound.name, end)
    }
    this.mark(
      `notice ${++this.#notices}`,
      () => ended('heard'),
      () => ended('stopped'),
    )
  }

  #stopped({ name, begun }: PlayingSound, flush: boolean): void {
    if (flush && begun) this.#flush()
    this.#events.notice?.(name, 'stopped')
  }

  #flush(): void {
    this.#batched = 0
    this.#mixer.reset()
    this.#reference?.cut(this.#pumpedAt)
    this.#drainsAt = this.#soundsUntil = Number.NEGATIVE_INFINITY
    this.#marks.clear('flushed')
    if (this.#held) return
    try {
      this.#leg.flush()
    } catch (error) {
      this.#events.failed?.(error)
    }
  }

  #send(): void {
    if (this.#batched === 0) return
    const frames = this.#message!.heads[this.#batched - 1]!
    this.#batched = 0
    this.#leg.play(frames)
    if (this.#marks.pending) for (const name of this.#marks.take(this.#drainsAt)) this.#leg.mark(name)
  }
}
