import { z } from 'zod'

/** Settings of the relay; the defaults suit a phone call. */
export const relayOptionsSchema = z.strictObject({
  leadMs: z
    .number()
    .int()
    .min(20)
    .max(1_000)
    .default(200)
    .meta({ about: 'How far ahead of real time translations are sent (ms).' }),
  maxLagMs: z
    .number()
    .int()
    .min(2_000)
    .max(60_000)
    .default(20_000)
    .meta({ about: 'A translation further behind than this loses its oldest whole utterances (ms).' }),
  catchUp: z.boolean().default(true).meta({
    about:
      'Whether late translations catch up: their pauses trimmed, then played up to a quarter faster at their own pitch.',
  }),
  levelling: z
    .boolean()
    .default(true)
    .meta({ about: 'Whether all translated voices are brought to one level.' }),
  levelDb: z
    .number()
    .min(-40)
    .max(-10)
    .default(-20)
    .meta({ about: 'The level to which voices are brought: RMS of speech, pauses not counted (dBFS).' }),
  lowDb: z.number().min(-60).max(0).default(-18).meta({ about: 'Loudness of the original with `low` (dB).' }),
  softDb: z
    .number()
    .min(-60)
    .max(0)
    .default(-9)
    .meta({ about: 'Loudness of the original with `duck`, while nothing is being translated (dB).' }),
  duckDb: z
    .number()
    .min(-60)
    .max(0)
    .default(-21)
    .meta({ about: 'Loudness of the original with `duck`, under a translation (dB).' }),
  noticeDuckDb: z
    .number()
    .min(-60)
    .max(0)
    .default(-15)
    .meta({ about: 'Loudness of original voices under a notice, against what it would be (dB).' }),
  echoSuppression: z.boolean().default(true).meta({
    about:
      'Whether what a party hears of others is kept from the service when their microphone picks it up, so that it is not translated again.',
  }),
  interrupt: z.enum(['keep', 'clear']).default('keep').meta({
    about: 'What becomes of a translation that a listener has not heard when they speak themselves.',
  }),
  interruptAfterMs: z
    .number()
    .int()
    .min(60)
    .max(5_000)
    .default(300)
    .meta({ about: 'With `clear`: so much speech in one breath is meant (ms).' }),
  fragmentMs: z
    .number()
    .int()
    .min(20)
    .max(200)
    .multipleOf(20)
    .default(60)
    .meta({ about: 'Audio sent to the service at a time (ms, whole frames of 20).' }),
  replayMs: z.number().int().min(1_000).max(120_000).default(48_000).meta({
    about:
      'Speech kept for a service that is away (ms): an outage of half a minute, and what was not answered before it.',
  }),
  ackDeadlineMs: z
    .number()
    .int()
    .min(200)
    .max(10_000)
    .default(1_500)
    .meta({ about: 'A service that acknowledges nothing for this long is given up (ms).' }),
  awayAfterMs: z
    .number()
    .int()
    .min(0)
    .max(10_000)
    .default(1_000)
    .meta({ about: 'A first connection that takes longer counts as away (ms).' }),
  keepMs: z.number().int().min(0).max(120_000).default(10_000).meta({
    about:
      'The place of a party whose leg broke is kept for this long, in case the call gets another leg (ms); 0: not at all.',
  }),
  maxLegs: z.number().int().min(1).max(100_000).default(300).meta({
    about:
      'Parties at most, of all channels together; whoever calls beyond that hears that all lines are in use.',
  }),
  maxDecoders: z.number().int().min(1).max(100_000).optional().meta({
    about:
      'mp3 decoders at most; while all are in use the next voice waits. Without it there are eight for each of `maxLegs`: enough for everybody to be translated into eight languages at once.',
  }),
})

/** Default number of decoders per leg: one for each language, while audio still arrives. */
const DECODERS_PER_LEG = 8

/** Maximum number of mp3 decoders; by default enough for every voice. */
export function decodersOf({ maxDecoders, maxLegs }: RelayOptions): number {
  return maxDecoders ?? maxLegs * DECODERS_PER_LEG
}

/** Complete options of a relay, with defaults filled in by `relayOptions`. */
export type RelayOptions = z.infer<typeof relayOptionsSchema>

/** Fills in defaults. Throws on an unknown key or an invalid value. */
export function relayOptions(given: z.input<typeof relayOptionsSchema> = {}): RelayOptions {
  return relayOptionsSchema.parse(given)
}
