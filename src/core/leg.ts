import type { EndReason } from './errors.ts'

/** What a leg delivers to its participant. Every call is synchronous and must not throw. */
export interface LegUplink {
  /** One 20 ms frame of the party's voice: 16 kHz mono linear16. Borrowed for the call only; copy it to keep it. */
  write(frame: Int16Array): void
  /** The far side has played everything that was sent before `mark(name)`. Never called for what was flushed. */
  marked(name: string): void
  /** The party pressed a key: one of `0`–`9`, `*`, `#`, `A`–`D`. */
  dtmf(digit: string): void
}

/**
 * One party's two-way audio connection, on any channel. A bridge makes it and hands it over whole, in the same tick,
 * at `relay.admit()`; from then on the participant owns it and closes it.
 */
export interface Leg {
  /** Unique in this process; for logs and events. */
  readonly id: string
  /** The bridge it came by: `twilio`, `browser`, … */
  readonly channel: string
  /**
   * The far system's call, the same for every leg that it has one after the other: a leg of the call whose last leg broke
   * lately is the same party come back. Absent: none comes back.
   */
  readonly call?: string | undefined
  /** Settles once, never rejects. */
  readonly ended: Promise<EndReason>
  /** Names the receiver of the party's voice. Called exactly once, by `relay.admit()`, before any frame is due. */
  attach(uplink: LegUplink): void
  /** Plays whole frames (16 kHz mono) after all that was sent before. Borrowed for the call only. */
  play(frames: Int16Array): void
  /** Asks for `uplink.marked(name)` once everything sent so far has been heard. */
  mark(name: string): void
  /** Drops what was sent and not yet heard. */
  flush(): void
  /** Voice of the party that did not arrive, or not whole, so far (ms); absent: the channel cannot tell. */
  readonly lostMs?: number
  /** True while the far side reads too slowly; audio offered then is better dropped than queued. */
  readonly congested: boolean
  /** Idempotent: every call awaits the first. */
  close(reason: EndReason): Promise<void>
}
