import type { Signature } from './messages.ts'

/** Channels whose legs are measured. */
export const CHANNELS = ['phone', 'browser', 'discord'] as const
export type Channel = (typeof CHANNELS)[number]

/** All participants of one run, on one channel: each talks without end, or is silent, and is followed by its probe. */
export interface Callers {
  /** Connects `legs` participants to the bridge on `port`, evenly over `rampMs`. */
  call(port: number, legs: number, rampMs: number, signature?: Signature): Promise<void>
  /** Number of legs that ended without a hang-up, or were always silent although they speak. */
  lost(): number
  /** Number of messages that violate the protocol. */
  refused(): number
  hangUp(): Promise<void>
}
