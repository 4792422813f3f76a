import { FRAME_MS, FRAME_SAMPLES } from '../../transcode/pcm.ts'
import {
  type Fragment,
  type FragmentPool,
  LINEAR_STORAGE,
  PHONE_STORAGE,
  type StorageFormat,
} from './fragment-store.ts'
import type { TranslationResult } from './translator.ts'

/** Voice output counts as complete if no audio arrives for this long, even without an end message (ms). */
const VOICE_WAIT_MS = 10_000

/**
 * Tracks how much of the audio sent on one connection is covered by results. Covered audio is released only when the
 * voice of its result is complete: if the connection fails before that, the same audio is sent again.
 */
export class ResultTracker {
  readonly #buffer: ReplayBuffer
  readonly #voiced: boolean
  /** Position in the session at which the time of this connection is 0 (frames). */
  #base = 0
  /** The utterance whose voice is arriving. It covers all fragments before the sequence `before`. */
  #open: { utterance: string; before: number; at: number } | undefined

  /** `voiced`: results have a voice, whose end is reported with `complete`. */
  constructor(buffer: ReplayBuffer, voiced: boolean) {
    this.#buffer = buffer
    this.#voiced = voiced
  }

  /** Resets the tracker for a new connection, on which all held fragments are sent again. */
  begin(): void {
    this.#base = this.#buffer.oldestFrame
    this.#open = undefined
  }

  /** True while a voice is expected or arriving. */
  get open(): boolean {
    return this.#open !== undefined
  }

  /** Records a result that arrived at `now` (ms). */
  result(
    { utterance, final, text, translation, audio, endMs, spoken }: TranslationResult,
    now: number,
  ): void {
    if (spoken) this.#spoken(spoken.endMs)
    if (this.#open?.utterance === utterance) {
      // Any result extends the wait, because most chunks of a voice carry no text.
      this.#open.at = now
      return
    }
    if (!final || (text === undefined && translation === undefined && audio === undefined)) return
    this.complete()
    const told = endMs === undefined ? undefined : this.#buffer.afterSpeech(this.#base + endMs / FRAME_MS)
    // A result cannot cover audio that was not sent: ignore an end time beyond it.
    const before = told === undefined || told > this.#buffer.unsent ? this.#buffer.latestPause() : told
    if (before === undefined) return
    this.#open = { utterance, before, at: now }
    if (!this.#voiced) this.complete()
  }

  /** Returns when the words of the part being spoken were said, in their middle (clock ms). */
  saidAt({ spoken }: TranslationResult, now: number): number | undefined {
    if (spoken?.speakingMs === undefined) return undefined
    const middleMs = this.#base * FRAME_MS + (spoken.endMs + spoken.speakingMs) / 2
    return Math.round(now - (this.#buffer.frames * FRAME_MS - middleMs))
  }

  /** The voice of the speech up to `endMs` has been sent. Audio that was not sent cannot be covered. */
  #spoken(endMs: number): void {
    const before = this.#buffer.afterSpeech(this.#base + endMs / FRAME_MS)
    if (before <= this.#buffer.unsent) this.#buffer.discharge(before)
  }

  /** Releases the covered audio: the voice of `utterance`, or of the open utterance, is complete or absent. */
  complete(utterance?: string): void {
    if (utterance !== undefined && this.#open && this.#open.utterance !== utterance) return
    if (this.#open) this.#buffer.discharge(this.#open.before)
    this.#open = undefined
  }

  /** Completes the open utterance if its voice has timed out at `now` (ms). Returns true if it has. */
  gaveUp(now: number): boolean {
    if (!this.#open || now - this.#open.at <= VOICE_WAIT_MS) return false
    this.complete()
    return true
  }
}

export interface ReplayBufferOptions {
  readonly pool: FragmentPool
  /** Length of a fragment (ms), whole frames. */
  readonly fragmentMs: number
  /** Length of a fragment after a while of quiet (ms), whole frames. Default: `fragmentMs`. */
  readonly quietFragmentMs?: number
  /** Maximum length of the held audio (ms). */
  readonly capacityMs: number
  /** The audio comes from a phone line of 8 kHz: it is stored in a quarter of the memory. */
  readonly narrowband?: boolean
}

/** Fragments stay short for this long after speech, so that the service detects the end of an utterance in time (ms). */
const SHORT_QUIET_MS = 1_000
/** Audio kept while the session has no connection: longer than it takes to notice that somebody speaks (ms). */
const IDLE_MS = 1_000
/** Quiet audio kept before speech, so that a replay does not start in the middle of a sound (ms). */
const PREROLL_MS = 300
/** Fragments that are still unanswered this long after they were sent are discarded (ms). */
const ANSWER_WAIT_MS = 15_000
/** A quiet interval this long separates two utterances in the buffer (ms). */
const PAUSE_MS = 180
/** Maximum length of a fragment (ms). */
const LONGEST_FRAGMENT_MS = 1_000

const FRAME_BYTES = FRAME_SAMPLES * 2
// Shared by all sessions: holds the audio of one fragment during a call.
const restored = new Int16Array((LONGEST_FRAGMENT_MS / FRAME_MS) * FRAME_SAMPLES)

/**
 * Replay buffer: the speaker's audio until the service has processed it. A fragment is kept after its acknowledgment
 * until a final result covers it, because a service that crashes during a sentence has acknowledged speech without
 * translating it. Bounded: above its capacity the oldest fragments are dropped, and fragments that the service never
 * accepted are counted in `lostMs`.
 *
 * oldest ── acked, unanswered ── sent, unacked ──│cursor│── to be sent ── newest
 */
export class ReplayBuffer {
  readonly #pool: FragmentPool
  readonly #format: StorageFormat
  readonly #shortFrames: number
  readonly #longFrames: number
  readonly #capacityFrames: number
  #held: Fragment[] = []
  #heldFrames = 0
  #cursor = 0
  #sequence = 0
  /** Frames in completed fragments so far. */
  #frames = 0
  #inFlight = 0
  /** The fragment that is being filled; afterwards its audio stays until the next frame. */
  readonly #open: Int16Array
  readonly #openBytes: Buffer
  #openFrames = 0
  #openQuiet = true
  /** Quiet frames since the last loud one. */
  #quietFrames = 0
  /** Audio dropped unsent or unacknowledged (ms). */
  lostMs = 0

  constructor(options: ReplayBufferOptions) {
    const { pool, fragmentMs, quietFragmentMs = fragmentMs, capacityMs, narrowband = false } = options
    this.#shortFrames = wholeFrames(fragmentMs)
    this.#longFrames = Math.max(this.#shortFrames, wholeFrames(quietFragmentMs))
    this.#pool = pool
    this.#format = narrowband ? PHONE_STORAGE : LINEAR_STORAGE
    this.#capacityFrames = Math.max(this.#longFrames, Math.floor(capacityMs / FRAME_MS))
    this.#open = new Int16Array(this.#longFrames * FRAME_SAMPLES)
    this.#openBytes = Buffer.from(this.#open.buffer)
  }

  /** Fragments held. */
  get length(): number {
    return this.#held.length
  }

  /** Fragments sent and not yet acknowledged. */
  get inFlight(): number {
    return this.#inFlight
  }

  /** Sequence of the oldest fragment held, or of the next one. */
  get oldest(): number {
    return this.#held[0]?.sequence ?? this.#sequence
  }

  /** First frame of the oldest fragment held, or of the next one. */
  get oldestFrame(): number {
    return this.#held[0]?.from ?? this.#frames
  }

  /** Frames written so far. */
  get frames(): number {
    return this.#frames + this.#openFrames
  }

  /** Sequence of the first fragment not yet sent on the current connection. */
  get unsent(): number {
    return this.#held[this.#cursor]?.sequence ?? this.#sequence
  }

  /** Adds one frame; returns true when a fragment is complete. `quiet`: the frame is not speech. */
  write(frame: Int16Array, quiet: boolean): boolean {
    this.#open.set(frame, this.#openFrames * FRAME_SAMPLES)
    this.#openFrames++
    this.#openQuiet &&= quiet
    this.#quietFrames = quiet ? this.#quietFrames + 1 : 0
    // The first loud frame completes a long fragment at once.
    const isLong = this.#quietFrames * FRAME_MS > SHORT_QUIET_MS
    if (this.#openFrames < (isLong ? this.#longFrames : this.#shortFrames)) return false
    this.#complete()
    return true
  }

  /** Returns the next fragment to send, marked as sent at `now` (ms), or undefined. Valid while it is held. */
  next(now: number): Readonly<Fragment> | undefined {
    for (let fragment = this.#held[this.#cursor]; fragment; fragment = this.#held[this.#cursor]) {
      this.#cursor++
      if (fragment.sentAt >= 0) continue
      fragment.sentAt = now
      this.#inFlight++
      return fragment
    }
    return undefined
  }

  /** Returns the audio of a held fragment: linear16, 16 kHz, mono. Valid until the next call of any replay buffer. */
  bytesOf({ sequence, from, frames, stored }: Readonly<Fragment>): Buffer {
    // The newest one is usually sent at once.
    if (sequence === this.#sequence - 1 && this.#openFrames === 0)
      return this.#openBytes.subarray(0, frames * FRAME_BYTES)
    const at = sequence - this.oldest
    const before = this.#held[at - 1]
    const out = restored.subarray(0, frames * FRAME_SAMPLES)
    this.#format.load(
      stored,
      out,
      before && before.from + before.frames === from ? before.stored : undefined,
      this.#held[at + 1]?.stored,
    )
    return Buffer.from(restored.buffer, 0, frames * FRAME_BYTES)
  }

  /** Marks all fragments as unsent, for a new connection. Returns the number that had been sent before. */
  rewind(): number {
    let again = 0
    for (const fragment of this.#held) {
      if (fragment.sentAt >= 0) again++
      fragment.sentAt = -1
      fragment.acked = false
    }
    this.#cursor = 0
    this.#inFlight = 0
    return again
  }

  /**
   * The service accepted fragment `sequence` (`ok`), or failed to: then it is sent again. Ignores dropped fragments.
   */
  ack(sequence: number, ok: boolean): void {
    const at = sequence - this.oldest
    const fragment = this.#held[at]
    if (!fragment || fragment.acked || fragment.sentAt < 0) return
    fragment.acked = ok
    this.#inFlight--
    if (ok) return
    fragment.sentAt = -1
    this.#cursor = Math.min(this.#cursor, at)
  }

  /** Returns the time at which the oldest unacknowledged fragment was sent (ms); undefined if all are acknowledged. */
  waitingSince(): number | undefined {
    let since: number | undefined
    for (const { sentAt, acked } of this.#held)
      if (sentAt >= 0 && !acked && (since === undefined || sentAt < since)) since = sentAt
    return since
  }

  /** A final result covers everything before `sequence`: discards the acknowledged part of that. */
  discharge(sequence: number): void {
    let count = 0
    while (this.#held[count]?.acked && this.#held[count]!.sequence < sequence) count++
    this.#forget(count)
  }

  /**
   * Returns the start of the latest pause sent, as a sequence: the assumed end of a result if the service does not
   * state it.
   */
  latestPause(): number | undefined {
    let quietFrames = 0
    for (let at = this.#cursor - 1; at >= 0; at--) {
      const { quiet, frames, sequence } = this.#held[at]!
      quietFrames = quiet ? quietFrames + frames : 0
      if (quietFrames * FRAME_MS >= PAUSE_MS) return sequence
    }
    return undefined
  }

  /**
   * Returns the sequence before which all audio is covered by a result that ends at `place` (frames), which can lie
   * within a fragment; the rest of that fragment counts as covered if a pause follows.
   */
  afterSpeech(place: number): number {
    for (let at = 0; at < this.#held.length; at++) {
      const { sequence, from, frames } = this.#held[at]!
      if (place < from + frames) return place > from && this.#held[at + 1]?.quiet ? sequence + 1 : sequence
    }
    return place > this.#frames ? Number.POSITIVE_INFINITY : this.#sequence
  }

  /** True if no speech is held: the speaker pauses, and all their speech is answered. */
  get resting(): boolean {
    return this.#openQuiet && this.#held.every(({ quiet }) => quiet)
  }

  /** Discards acknowledged fragments that no result can need: quiet ones before speech, and those without an answer. */
  tidy(now: number): void {
    let quietFrames = 0
    for (const { acked, quiet, frames } of this.#held) {
      if (!acked || !quiet) break
      quietFrames += frames
    }
    let count = 0
    for (const { frames } of this.#held) {
      quietFrames -= frames
      if (quietFrames * FRAME_MS < PREROLL_MS) break
      count++
    }
    while (this.#held[count]?.acked && now - this.#held[count]!.sentAt > ANSWER_WAIT_MS) count++
    this.#forget(count)
  }

  /** Discards all but the newest audio: nobody speaks, or has spoken for a while. */
  keepNewest(): void {
    let frames = this.#heldFrames
    let count = 0
    while (count < this.#held.length && (frames - this.#held[count]!.frames) * FRAME_MS >= IDLE_MS)
      frames -= this.#held[count++]!.frames
    this.#forget(count)
  }

  /** Releases all memory; the buffer cannot be used afterwards. */
  close(): void {
    this.#forget(this.#held.length)
  }

  #complete(): void {
    const frames = this.#openFrames
    while (this.#heldFrames + frames > this.#capacityFrames) this.#dropOldest()
    const fragment = this.#pool.take(frames * this.#format.bytesPerFrame)
    this.#format.store(this.#open.subarray(0, frames * FRAME_SAMPLES), fragment.stored)
    fragment.sequence = this.#sequence++
    fragment.from = this.#frames
    fragment.frames = frames
    fragment.sentAt = -1
    fragment.acked = false
    fragment.quiet = this.#openQuiet
    this.#held.push(fragment)
    this.#frames += frames
    this.#heldFrames += frames
    this.#openFrames = 0
    this.#openQuiet = true
  }

  #dropOldest(): void {
    const { acked, sentAt, frames } = this.#held[0]!
    if (!acked) this.lostMs += frames * FRAME_MS
    if (!acked && sentAt >= 0) this.#inFlight--
    this.#forget(1)
  }

  #forget(count: number): void {
    if (count === 0) return
    for (let at = 0; at < count; at++) {
      const fragment = this.#held[at]!
      this.#heldFrames -= fragment.frames
      this.#pool.give(fragment)
    }
    this.#held.splice(0, count)
    this.#cursor = Math.max(0, this.#cursor - count)
  }
}

function wholeFrames(ms: number): number {
  if (!(ms >= FRAME_MS && ms <= LONGEST_FRAGMENT_MS && ms % FRAME_MS === 0))
    throw new RangeError(
      `a fragment is whole frames of ${FRAME_MS} ms, at most ${LONGEST_FRAGMENT_MS} ms, got ${ms} ms`,
    )
  return ms / FRAME_MS
}
