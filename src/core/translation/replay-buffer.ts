import { FRAME_MS, FRAME_SAMPLES } from '../../transcode/pcm.ts'
import type { TranslationResult } from './translator.ts'

/** Voice output counts as complete if no audio arrives for this long, even without an end message (ms). */
const VOICE_WAIT_MS = 10_000

/**
 * Tracks how much of the audio sent on one connection is covered by results. Covered audio is released only when the
 * voice of its result is complete: if the connection fails before that, the same audio is sent again.
 */
export class ResultTracker {
  readonly #ring: ReplayBuffer
  readonly #voiced: boolean
  /** Sequence of the first fragment on this connection, at which the connection's time is 0. */
  #base = 0
  /** The utterance whose voice is arriving. It covers all fragments before the sequence `before`. */
  #open: { utterance: string; before: number; at: number } | undefined

  /** `voiced`: results have a voice, whose end is reported with `complete`. */
  constructor(ring: ReplayBuffer, voiced: boolean) {
    this.#ring = ring
    this.#voiced = voiced
  }

  /** Resets the tracker for a new connection, on which all held fragments are sent again. */
  begin(): void {
    this.#base = this.#ring.oldest
    this.#open = undefined
  }

  /** True while a voice is expected or arriving. */
  get open(): boolean {
    return this.#open !== undefined
  }

  /** Records a result that arrived at `now` (ms). */
  result({ utterance, final, text, translation, audio, endMs }: TranslationResult, now: number): void {
    if (this.#open?.utterance === utterance) {
      // Any result extends the wait, because most chunks of a voice carry no text.
      this.#open.at = now
      return
    }
    if (!final || (text === undefined && translation === undefined && audio === undefined)) return
    this.complete()
    const told =
      endMs === undefined ? undefined : this.#ring.afterSpeech(this.#base + endMs / this.#ring.fragmentMs)
    // A result cannot cover audio that was not sent: ignore an end time beyond it.
    const before = told === undefined || told > this.#ring.unsent ? this.#ring.latestPause() : told
    if (before === undefined) return
    this.#open = { utterance, before, at: now }
    if (!this.#voiced) this.complete()
  }

  /** Releases the covered audio: the voice of `utterance`, or of the open utterance, is complete or absent. */
  complete(utterance?: string): void {
    if (utterance !== undefined && this.#open && this.#open.utterance !== utterance) return
    if (this.#open) this.#ring.discharge(this.#open.before)
    this.#open = undefined
  }

  /** Completes the open utterance if its voice has timed out at `now` (ms). Returns true if it has. */
  gaveUp(now: number): boolean {
    if (!this.#open || now - this.#open.at <= VOICE_WAIT_MS) return false
    this.complete()
    return true
  }
}

/** A segment of a speaker's audio as sent to the service: linear16, 16 kHz, mono. */
export interface Fragment {
  /** Position in the session, from 0; never reused, even on a new connection. */
  readonly sequence: number
  /** Samples, linear16. */
  readonly pcm: Int16Array
  /** Byte view of `pcm`, for sending. */
  readonly bytes: Uint8Array
  /** Time of the last send on the current connection (clock ms); negative until it is sent. */
  sentAt: number
  acked: boolean
  /** True if it contains no loud frame. */
  quiet: boolean
}

/** Memory of a fragment. */
export type FragmentMemory = Pick<Fragment, 'pcm' | 'bytes'>

/** Pool of fragment memory of one size, shared by all sessions, so that a steady call allocates nothing. */
export class FragmentPool {
  readonly bytes: number
  readonly #spare: FragmentMemory[] = []
  readonly #most: number
  #lent = 0

  /** `bytes`: size of each fragment. `most`: maximum number of spares. */
  constructor(bytes: number, most = 2_048) {
    this.bytes = bytes
    this.#most = most
  }

  /** Number of fragments in use; 0 when all replay buffers are closed. */
  get lent(): number {
    return this.#lent
  }

  take(): FragmentMemory {
    this.#lent++
    const spare = this.#spare.pop()
    if (spare) return spare
    const memory = new ArrayBuffer(this.bytes)
    return { pcm: new Int16Array(memory), bytes: Buffer.from(memory) }
  }

  give(memory: FragmentMemory): void {
    this.#lent--
    if (this.#spare.length < this.#most) this.#spare.push(memory)
  }

  /** Removes one fragment from the count without reusing its memory, because a reader can still use it. */
  abandon(): void {
    this.#lent--
  }
}

/** Quiet audio kept before speech, so that a replay does not start in the middle of a sound (ms). */
const PREROLL_MS = 300
/** Fragments that are still unanswered this long after they were sent are discarded (ms). */
const ANSWER_WAIT_MS = 15_000
/** A quiet interval this long separates two utterances in the buffer (ms). */
const PAUSE_MS = 180

/**
 * Replay buffer: the speaker's audio until the service has processed it. A fragment is kept after its acknowledgment
 * until a final result covers it, because a service that crashes during a sentence has acknowledged speech without
 * translating it. Bounded: above its capacity the oldest fragments are dropped, and fragments that the service never
 * accepted are counted in `lostMs`.
 *
 * oldest ── acked, unanswered ── sent, unacked ──│cursor│── to be sent ── newest
 */
export class ReplayBuffer {
  readonly fragmentMs: number
  readonly #pool: FragmentPool
  readonly #capacity: number
  #held: Fragment[] = []
  #cursor = 0
  #sequence = 0
  #inFlight = 0
  #open: FragmentMemory
  #openSamples = 0
  #openQuiet = true
  /** Audio dropped unsent or unacknowledged (ms). */
  lostMs = 0

  /** Takes fragments of `fragmentMs` (whole frames) from `pool`; holds at most `capacityMs`. */
  constructor(pool: FragmentPool, fragmentMs: number, capacityMs: number) {
    if (fragmentMs < FRAME_MS || fragmentMs % FRAME_MS !== 0)
      throw new RangeError(`a fragment is whole frames of ${FRAME_MS} ms, got ${fragmentMs} ms`)
    if (pool.bytes !== (fragmentMs / FRAME_MS) * FRAME_SAMPLES * 2)
      throw new RangeError(`fragments of ${fragmentMs} ms do not fit a pool of ${pool.bytes} bytes`)
    this.fragmentMs = fragmentMs
    this.#pool = pool
    this.#capacity = Math.max(1, Math.floor(capacityMs / fragmentMs))
    this.#open = pool.take()
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

  /** Sequence of the first fragment not yet sent on the current connection. */
  get unsent(): number {
    return this.#held[this.#cursor]?.sequence ?? this.#sequence
  }

  /** Adds one frame; returns true when a fragment is complete. `quiet`: the frame is not speech. */
  write(frame: Int16Array, quiet: boolean): boolean {
    const { pcm, bytes } = this.#open
    pcm.set(frame, this.#openSamples)
    this.#openSamples += frame.length
    this.#openQuiet &&= quiet
    if (this.#openSamples < pcm.length) return false
    if (this.#held.length === this.#capacity) this.#dropOldest()
    const quietAll = this.#openQuiet
    this.#held.push({
      sequence: this.#sequence++,
      pcm,
      bytes,
      sentAt: -1,
      acked: false,
      quiet: quietAll,
    })
    this.#open = this.#pool.take()
    this.#openSamples = 0
    this.#openQuiet = true
    return true
  }

  /** Returns the next fragment to send, marked as sent at `now` (ms), or undefined. */
  next(now: number): Fragment | undefined {
    for (let fragment = this.#held[this.#cursor]; fragment; fragment = this.#held[this.#cursor]) {
      this.#cursor++
      if (fragment.sentAt >= 0) continue
      fragment.sentAt = now
      this.#inFlight++
      return fragment
    }
    return undefined
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
    const needed = Math.ceil(PAUSE_MS / this.fragmentMs)
    let quiet = 0
    for (let at = this.#cursor - 1; at >= 0; at--) {
      quiet = this.#held[at]!.quiet ? quiet + 1 : 0
      if (quiet >= needed) return this.#held[at]!.sequence
    }
    return undefined
  }

  /**
   * Returns the sequence before which all audio is covered by a result that ends at `place`, which can lie within a
   * fragment; the rest of that fragment counts as covered if a pause follows.
   */
  afterSpeech(place: number): number {
    const whole = Math.floor(place)
    const next = this.#held[whole + 1 - this.oldest]
    return place > whole && next?.quiet ? whole + 1 : whole
  }

  /** True if no speech is held: the speaker pauses, and all their speech is answered. */
  get resting(): boolean {
    return this.#openQuiet && this.#held.every(({ quiet }) => quiet)
  }

  /** Discards acknowledged fragments that no result can need: quiet ones before speech, and those without an answer. */
  tidy(now: number): void {
    const preroll = Math.ceil(PREROLL_MS / this.fragmentMs)
    let quiet = 0
    while (this.#held[quiet]?.acked && this.#held[quiet]!.quiet) quiet++
    let count = Math.max(0, quiet - preroll)
    while (this.#held[count]?.acked && now - this.#held[count]!.sentAt > ANSWER_WAIT_MS) count++
    this.#forget(count)
  }

  /** Releases all memory; the buffer cannot be used afterwards. */
  close(): void {
    this.#forget(this.#held.length)
    this.#pool.give(this.#open)
  }

  #dropOldest(): void {
    const { acked, sentAt } = this.#held[0]!
    if (!acked) this.lostMs += this.fragmentMs
    if (!acked && sentAt >= 0) this.#inFlight--
    this.#forget(1)
  }

  #forget(count: number): void {
    if (count === 0) return
    for (let at = 0; at < count; at++) {
      const fragment = this.#held[at]!
      // A socket can still be reading a fragment in flight, so its memory must not be reused.
      if (fragment.acked || fragment.sentAt < 0) this.#pool.give(fragment)
      else this.#pool.abandon()
    }
    this.#held.splice(0, count)
    this.#cursor = Math.max(0, this.#cursor - count)
  }
}
