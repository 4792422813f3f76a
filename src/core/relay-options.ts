import { z } from 'zod'

/** Settings of the relay; all have defaults that suit a phone call. */
export const relayOptionsSchema = z.strictObject({
  /** How far ahead of real time translations are sent (ms). */
  leadMs: z.number().int().min(20).max(1_000).default(200),
  /** A translation further behind than this loses its oldest whole utterances (ms). */
  maxLagMs: z.number().int().min(2_000).max(60_000).default(20_000),
  /** Whether late translations catch up: their pauses trimmed, then played up to a quarter faster at their own pitch. */
  catchUp: z.boolean().default(true),
  /** Whether all translated voices are brought to one level. */
  levelling: z.boolean().default(true),
  /** That level: RMS of speech, pauses not counted (dBFS). */
  levelDb: z.number().min(-40).max(-10).default(-20),
  /** Loudness of the original with `low` (dB). */
  lowDb: z.number().min(-60).max(0).default(-18),
  /** Loudness of the original with `duck`, while nothing is being translated (dB). */
  softDb: z.number().min(-60).max(0).default(-9),
  /** … and under a translation (dB). */
  duckDb: z.number().min(-60).max(0).default(-21),
  /** Loudness of original voices under a notice, against what it would be (dB). */
  noticeDuckDb: z.number().min(-60).max(0).default(-15),
  /** A listener who speaks: `keep` the translation they have not heard, or `clear` it. */
  interrupt: z.enum(['keep', 'clear']).default('keep'),
  /** With `clear`: so much speech in one breath is meant (ms). */
  interruptAfterMs: z.number().int().min(60).max(5_000).default(300),
  /** Audio sent to the service at a time (ms, whole frames of 20). */
  fragmentMs: z.number().int().min(20).max(200).multipleOf(20).default(60),
  /** Speech kept for a service that is away (ms): an outage of half a minute, and what was not answered before it. */
  replayMs: z.number().int().min(1_000).max(120_000).default(48_000),
  /** No ack for this long: the connection is dead (ms). */
  ackDeadlineMs: z.number().int().min(200).max(10_000).default(1_500),
  /** A first connection that takes longer counts as away (ms). */
  awayAfterMs: z.number().int().min(0).max(10_000).default(1_000),
  /** The place of a party whose leg broke is kept for this long, in case the call gets another leg (ms); 0: not at all. */
  keepMs: z.number().int().min(0).max(120_000).default(10_000),
  /** Legs at most; more are refused. */
  maxLegs: z.number().int().min(1).max(100_000).default(300),
  /** mp3 decoders at most; utterances that arrive while all are busy wait a tick. */
  maxDecoders: z.number().int().min(1).max(1_024).default(64),
})

export type RelayOptions = z.infer<typeof relayOptionsSchema>

/** Complete options: what is not given has its default. Throws on an unknown key or a wrong value. */
export function relayOptions(given: z.input<typeof relayOptionsSchema> = {}): RelayOptions {
  return relayOptionsSchema.parse(given)
}
