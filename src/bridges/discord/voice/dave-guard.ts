import type { Clock } from '../../../core/clock.ts'
import type { LinkCounters } from './link-counters.ts'

/** The part of the voice library's `DAVESession` that is used here. */
export interface DaveSession {
  readonly protocolVersion: number
  readonly lastTransitionId?: number | undefined
  reinitializing: boolean
  /** Transitions that were announced and not executed yet. */
  readonly pendingTransitions: ReadonlyMap<number, number>
  readonly session: { readonly ready: boolean; canPassthrough(userId: string): boolean } | undefined
  decrypt(packet: Buffer, userId: string): Buffer | null
  recoverFromInvalidTransition(transitionId: number): void
}

/** Set up anew so many times without one frame that could be read: then there is no end-to-end encryption to be had. */
const REINITS_MOST = 5
/** Frames in a row, of all speakers, that could not be decrypted, and for how long, before it is set up anew. */
const FAILURES_MOST = 36
const FAILING_MS = 1_000
/** A frame in plaintext weighs less: some clients send them on and off, and then nothing is wrong here. */
const PLAINTEXT_WEIGHT = 1 / 7
/** Between one new beginning and the next (ms). */
const REINIT_PAUSE_MS = 3_000
/** How long the server may take to let us into the group again (ms). */
const REINIT_ANSWER_MS = 5_000
/** Encrypted speech comes for so long, and our own encryption is not up: something got lost (ms). */
const EARLY_MOST_MS = 5_000
/**
 * A transition that was announced excuses failures for this long (ms). Discord executes it within a few seconds; one that
 * never is would otherwise hide every later failure.
 */
const TRANSITION_MS = 10_000
/** The last two bytes of every frame that is encrypted end to end (DAVE protocol, "magic marker"). */
const MARKER = 0xfa
/** What stands before the marker, from its end: the size of all of it, the nonce of 1 to 5 bytes (LEB128), the tag. */
const MARKER_BYTES = 2
const TAG_BYTES = 8
const NONCE_BYTES_MOST = 5

/**
 * End-to-end encryption of what users say, over the library's session, which destroys a user's stream after the first
 * group's failures, and hands out ciphertext while it is not ready. Here nothing but plain Opus comes out, and what
 * cannot be decrypted is counted; when nothing can be, the session is set up anew, so many times.
 */
export class DaveGuard {
  readonly #clock: Clock
  readonly #counters: LinkCounters
  readonly #giveUp: () => void
  #dave: DaveSession | undefined
  #failures = 0
  #failingSince = 0
  #reinits = 0
  #reinitAt = Number.NEGATIVE_INFINITY
  /** Since when encrypted speech comes that nothing can be done with; NaN: it does not. */
  #earlySince = Number.NaN
  /** When each pending transition was first seen. */
  #pendingSince = new Map<number, number>()

  /** `giveUp` is called once no more is tried. */
  constructor(clock: Clock, counters: LinkCounters, giveUp: () => void) {
    this.#clock = clock
    this.#counters = counters
    this.#giveUp = giveUp
  }

  /** The session of the connection from now on; undefined for none. */
  use(dave: DaveSession | undefined): void {
    if (dave === this.#dave) return
    this.#dave = dave
    this.#failures = 0
    this.#earlySince = Number.NaN
    this.#pendingSince.clear()
  }

  /** On, off, or not agreed yet. */
  get encrypted(): boolean | undefined {
    const dave = this.#dave
    if (dave === undefined || dave.protocolVersion === 0) return false
    return dave.session?.ready ? true : undefined
  }

  /** The Opus in `frame`; `later` when it may be had once we have another key; undefined when it is not to be had. */
  opened(frame: Buffer, userId: string): Buffer | 'later' | undefined {
    const dave = this.#dave
    const session = dave?.session
    const readable = session?.ready && (dave?.protocolVersion !== 0 || session.canPassthrough(userId))
    if (dave === undefined || !readable) {
      if (!looksEncrypted(frame)) return frame
      this.#tooEarly()
      return dave === undefined ? undefined : 'later'
    }
    this.#earlySince = Number.NaN
    let plain: Buffer | null = null
    try {
      plain = dave.decrypt(frame, userId)
    } catch {
      // The library's own limit; ours is below.
    }
    if (plain === null) {
      const encrypted = looksEncrypted(frame)
      this.#failed(encrypted)
      return encrypted ? 'later' : undefined
    }
    if (plain !== frame) this.#worked()
    return plain
  }

  /** The Opus in `frame` if this user encrypted it. A failure says nothing, and is not counted. */
  openedAsOf(frame: Buffer, userId: string): Buffer | undefined {
    if (this.encrypted !== true || !looksEncrypted(frame)) return undefined
    try {
      return this.#dave?.decrypt(frame, userId) ?? undefined
    } catch {
      return undefined
    }
  }

  /**
   * Looks whether we were let into the group again; about once a second. A broken welcome meanwhile is passed over by the
   * library, which would wait for ever. `alone`: there is nobody to make a group with.
   */
  check(now: number, alone: boolean): void {
    const dave = this.#dave
    if (dave) this.#changing(dave, now)
    if (dave === undefined || alone || !dave.reinitializing || dave.session?.ready) return
    if (now - this.#reinitAt >= REINIT_ANSWER_MS) this.#reinitialise()
  }

  /** The library set up its session anew, for whatever reason: a broken commit, or because it was asked to. */
  invalidated(): void {
    this.#counters.reinitialised++
    this.#reinitAt = this.#clock.now()
    if (++this.#reinits > REINITS_MOST) this.#giveUp()
  }

  #worked(): void {
    this.#failures = 0
    if (this.#reinits === 0) return
    this.#reinits = 0
    this.#counters.recovered++
  }

  #failed(encrypted: boolean): void {
    if (encrypted) this.#counters.undecryptable++
    else this.#counters.plaintext++
    const dave = this.#dave
    const now = this.#clock.now()
    // In the middle of a change it is to be expected.
    if (dave === undefined || this.#changing(dave, now)) return
    if (this.#failures === 0) this.#failingSince = now
    this.#failures += encrypted ? 1 : PLAINTEXT_WEIGHT
    if (this.#failures > FAILURES_MOST && now - this.#failingSince >= FAILING_MS) this.#reinitialise()
  }

  /** A transition is pending, and not for too long. */
  #changing({ pendingTransitions }: DaveSession, now: number): boolean {
    const since = this.#pendingSince
    for (const id of since.keys()) if (!pendingTransitions.has(id)) since.delete(id)
    let changing = false
    for (const id of pendingTransitions.keys()) {
      const at = since.get(id) ?? now
      since.set(id, at)
      if (now - at < TRANSITION_MS) changing = true
    }
    return changing
  }

  #tooEarly(): void {
    this.#counters.tooEarly++
    // A channel without it has nothing that could be set up: somebody's stray frame.
    if (this.#dave === undefined || this.#dave.protocolVersion === 0) return
    const now = this.#clock.now()
    if (Number.isNaN(this.#earlySince)) this.#earlySince = now
    if (now - this.#earlySince < EARLY_MOST_MS) return
    this.#earlySince = now
    this.#reinitialise()
  }

  #reinitialise(): void {
    const dave = this.#dave
    if (dave === undefined || this.#clock.now() - this.#reinitAt < REINIT_PAUSE_MS) return
    this.#failures = 0
    // The server may not have answered the last time; the library would wait for it for ever.
    dave.reinitializing = false
    dave.recoverFromInvalidTransition(dave.lastTransitionId ?? 0)
  }
}

/**
 * An audio frame of DAVE's format by its end (daveprotocol.com, "Payload format"). The marker alone will not do: now and
 * then an Opus frame ends like it.
 */
export function looksEncrypted(frame: Uint8Array): boolean {
  const { length } = frame
  if (frame[length - 1] !== MARKER || frame[length - 2] !== MARKER) return false
  const sizeAt = length - MARKER_BYTES - 1
  const nonceBytes = frame[sizeAt]! - TAG_BYTES - 1 - MARKER_BYTES
  if (!(nonceBytes >= 1 && nonceBytes <= NONCE_BYTES_MOST) || sizeAt < TAG_BYTES + nonceBytes) return false
  for (let at = sizeAt - nonceBytes; at < sizeAt - 1; at++) if (frame[at]! < 0x80) return false
  return frame[sizeAt - 1]! < 0x80
}
