import type { EndReason } from '../../common/lifecycle.ts'

/** Key presses beyond this rate are dropped by the leg (per second). */
export const MAX_KEYS_PER_SECOND = 20

/** Receiver of a leg's input, implemented by its participant. All calls are synchronous and must not throw. */
export interface LegUplink {
  /** Takes one 20 ms frame of the participant's voice (16 kHz, mono, linear16). Valid only during the call; copy it to keep it. */
  write(frame: Int16Array): void
  /** The peer has played all audio sent before `mark(name)`. Not called for flushed audio. */
  marked(name: string): void
  /** The participant pressed a key: one of `0`–`9`, `*`, `#`, `A`–`D`. */
  dtmf(digit: string): void
}

/**
 * Two-way audio connection of one participant, on any channel. A bridge creates it and passes it to `relay.admit()` in the
 * same tick; from then on, the participant owns and closes it.
 */
export interface Leg {
  /** Unique in this process; for logs and events. */
  readonly id: string
  /** Name of its bridge: `twilio`, `browser`, … */
  readonly channel: string
  /**
   * Call id of the remote system, the same for all consecutive legs of a call. A new leg of a call whose last leg recently
   * failed is the same participant reconnecting. Omit it if legs cannot reconnect.
   */
  readonly call?: string | undefined
  /** True for a phone line of 8 kHz: frequencies above 4 kHz are lost. Stored audio then takes a quarter of the memory. */
  readonly narrowband?: boolean
  /**
   * Length of the longest useful `play` (ms): audio that is known in advance is then passed in pieces of up to this length,
   * at most 80. Default 40.
   */
  readonly messageMs?: number | undefined
  /**
   * The channel adds comfort noise to what it plays: silence is played in pauses as well, so that the line is not dead. Default:
   * false.
   */
  readonly comfortNoise?: boolean
  /**
   * Present for the output to an audience, which many people hear: their number. It only listens, joins a room that is
   * open, and is none of its participants, so it does not keep the room open.
   */
  readonly listeners?: number
  /** Settles once, never rejects. */
  readonly ended: Promise<EndReason>
  /** Sets the receiver of the input. Called exactly once, by `relay.admit()`, before the first frame. */
  attach(uplink: LegUplink): void
  /** Plays whole frames (16 kHz, mono) after all audio sent before. Valid only during the call. */
  play(frames: Int16Array): void
  /** Requests `uplink.marked(name)` once all audio sent so far has been played. */
  mark(name: string): void
  /** Drops audio that was sent but not yet played. */
  flush(): void
  /** Input lost or damaged so far (ms). Omitted if the channel cannot measure it. */
  readonly lostMs?: number
  /** True while the peer reads too slowly. Drop audio then instead of queueing it. */
  readonly congested: boolean
  /** Closes the leg. Idempotent: each call waits for the first. */
  close(reason: EndReason): Promise<void>
}
