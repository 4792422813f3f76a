import type { Clock } from '../../../common/clock.ts'
import type { LinkCounters } from '../counters.ts'

/** The parts of the voice library's `DAVESession` that are used here. */
export interface DaveSession {
  readonly protocolVersion: number
  readonly lastTransitionId?: number | undefined
  reinitializing: boolean
  /** Transitions that were announced but not executed yet. */
  readonly pendingTransitions: ReadonlyMap<number, number>
  readonly session: { readonly ready: boolean; canPassthrough(userId: string): boolean } | undefined
  decrypt(packet: Buffer, userId: string): Buffer | null
  recoverFromInvalidTransition(transitionId: number): void
}

/** Maximum number of reinitializations without a readable frame. After that, end-to-end encryption is unavailable. */
const REINITS_MOST = 5
/**
 * Reinitialization starts after this many consecutive undecryptable frames, of all speakers, within at least this time
 * (ms).
 */
const FAILURES_MOST = 36
const FAILING_MS = 1_000
/** Weight of a plaintext frame: some clients send them occasionally, without a fault on our side. */
const PLAINTEXT_WEIGHT = 1 / 7
/** Minimum interval between reinitializations (ms). */
const REINIT_PAUSE_MS = 3_000
/** Time for the server to readmit us to the group (ms). */
const REINIT_ANSWER_MS = 5_000
/**
 * Reinitialization starts if encrypted speech arrives for this long without a session on our side: a message was lost
 * (ms).
 */
const EARLY_MOST_MS = 5_000
/**
 * A pending transition excuses failures for this long (ms). Discord executes it within a few seconds; without the
 * limit, an abandoned one would hide every later failure.
 */
const TRANSITION_MS = 10_000
/** The last two bytes of every end-to-end encrypted frame (DAVE protocol, "magic marker"). */
const MARKER = 0xfa
/** Before the marker, from its end: the size of the whole trailer, the nonce of 1 to 5 bytes (LEB128), the tag. */
const MARKER_BYTES = 2
const TAG_BYTES = 8
const NONCE_BYTES_MOST = 5

/**
 * End-to-end decryption of users' frames, based on the library's session. The library destroys a user's stream after
 * the first failures and passes on ciphertext while the session is not ready. This class returns only plain Opus and
 * counts frames that cannot be decrypted. If no frame can be decrypted, it reinitializes the session, a limited number
 * of times.
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
  /** Since when encrypted speech has arrived without a session; NaN: it has not. */
  #earlySince = Number.NaN
  /** Time at which each pending transition was first seen. */
  #pendingSince = new Map<number, number>()

  /** `giveUp` is called after the last reinitialization. */
  constructor(clock: Clock, counters: LinkCounters, giveUp: () => void) {
    this.#clock = clock
    this.#counters = counters
    this.#giveUp = giveUp
  }

  /** Sets the session of the current connection; undefined for none. */
  use(dave: DaveSession | undefined): void {
    if (dave === this.#dave) return
    this.#dave = dave
    this.#failures = 0
    this.#earlySince = Number.NaN
    this.#pendingSince.clear()
  }

  /** On, off, or not negotiated yet. */
  get encrypted(): boolean | undefined {
    const dave = this.#dave
    if (dave === undefined || dave.protocolVersion === 0) return false
    return dave.session?.ready ? true : undefined
  }

  /** Returns the Opus data in `frame`, `later` if another key may decrypt it, or undefined if it is lost. */
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

  /** Returns the Opus data in `frame` if this user encrypted it. Failures are not counted. */
  openedAsOf(frame: Buffer, userId: string): Buffer | undefined {
    if (this.encrypted !== true || !looksEncrypted(frame)) return undefined
    try {
      return this.#dave?.decrypt(frame, userId) ?? undefined
    } catch {
      return undefined
    }
  }

  /**
   * Checks whether the group has readmitted us; called about once a second. The library skips a broken welcome message
   * and would wait indefinitely. `alone`: there are no other clients to form a group with.
   */
  check(now: number, alone: boolean): void {
    const dave = this.#dave
    if (dave) this.#changing(dave, now)
    if (dave === undefined || alone || !dave.reinitializing || dave.session?.ready) return
    if (now - this.#reinitAt >= REINIT_ANSWER_MS) this.#reinitialise()
  }

  /** Called when the library reinitializes its session, because of a broken commit or on request. */
  invalidated(): void {
    this.#counters.reinitialized++
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
    // Failures are expected during a transition.
    if (dave === undefined || this.#changing(dave, now)) return
    if (this.#failures === 0) this.#failingSince = now
    this.#failures += encrypted ? 1 : PLAINTEXT_WEIGHT
    if (this.#failures > FAILURES_MOST && now - this.#failingSince >= FAILING_MS) this.#reinitialise()
  }

  /** Returns whether a recent transition is pending. */
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
    // In an unencrypted channel there is no session to reinitialize; the frame is a stray.
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
    // The server possibly has not answered the previous time, and the library would wait indefinitely.
    dave.reinitializing = false
    dave.recoverFromInvalidTransition(dave.lastTransitionId ?? 0)
  }
}

/**
 * Returns whether the end of `frame` has DAVE's audio format (daveprotocol.com, "Payload format"). The marker alone is not
 * sufficient: an Opus frame occasionally ends with the same bytes.
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
