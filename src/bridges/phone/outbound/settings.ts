import { z } from 'zod'
import type { DeepReadonly } from '../../../common/setting-fields.ts'
import { dialed } from '../number-settings.ts'

const PREFIX = /^\+\d{1,14}$/

const spend = () => z.number().positive().max(1_000_000).optional().describe('an amount of money above 0')

/** Defaults of outbound calls, which apply where they are placed: they are no values of the settings. */
export const OUTBOUND_DEFAULTS = {
  ringSeconds: 30,
  maxConcurrent: 10,
  maxCallsPerHourPerDestination: 6,
  machineDetection: true,
} as const

/** Settings of outbound calls through any carrier. */
export const outboundFields = {
  from: dialed().meta({
    about: 'Caller ID of outbound calls: a number of the account, or one verified with the carrier.',
  }),
  allowedPrefixes: z
    .array(z.string().regex(PREFIX))
    .min(1)
    .describe('prefixes of numbers in quotes, like ["+34", "+1212"]')
    .meta({
      about:
        'Prefixes of numbers that can be called. `+1` means the United States and Canada, `+44` the United Kingdom and `+7` Russia; other countries with these codes need their area code, like `+1876`. Emergency, short, premium-rate, personal and satellite numbers are always rejected.',
    }),
  ringSeconds: z
    .int()
    .min(5)
    .max(120)
    .optional()
    .meta({ about: `Ringing time of the phone (${OUTBOUND_DEFAULTS.ringSeconds}).` }),
  maxConcurrent: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .meta({ about: `Maximum number of concurrent outbound calls (${OUTBOUND_DEFAULTS.maxConcurrent}).` }),
  maxCallsPerHourPerDestination: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .meta({
      about: `Maximum number of calls to one destination per hour (${OUTBOUND_DEFAULTS.maxCallsPerHourPerDestination}). Calls of numbers.….dial are not counted.`,
    }),
  maxMinutesPerDay: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .meta({ about: 'Maximum minutes of all outbound calls per day (UTC). Default: unlimited.' }),
  maxMinutesPerNumber: z
    .int()
    .min(1)
    .max(1_440)
    .optional()
    .meta({ about: 'Maximum minutes of calls to one destination per day (UTC). Default: unlimited.' }),
  maxMinutesPerKey: z.int().min(1).max(1_000_000).optional().meta({
    about: 'Maximum minutes of calls placed by one key of the control API per day (UTC). Default: unlimited.',
  }),
  prices: z
    .record(
      z.string().regex(PREFIX, 'a prefix of numbers in quotes, like "+34"'),
      z.number().min(0).max(1_000).describe('the price of a minute, 0 to 1000'),
    )
    .optional()
    .describe('prefixes of numbers, each with the price of a minute, like { "+34": 0.06 }')
    .meta({
      about:
        'Price of an outbound minute by number prefix, in the currency of the account. The longest matching prefix applies. Required for the next three settings.',
    }),
  maxSpendPerDay: spend().meta({
    about: 'Maximum cost of all outbound calls per day (UTC). Default: unlimited.',
  }),
  maxSpendPerNumber: spend().meta({
    about: 'Maximum cost of calls to one destination per day (UTC). Default: unlimited.',
  }),
  maxSpendPerKey: spend().meta({
    about: 'Maximum cost of calls placed by one key of the control API per day (UTC). Default: unlimited.',
  }),
  machineDetection: z
    .boolean()
    .optional()
    .meta({
      about: `Hang up on answering machines (${OUTBOUND_DEFAULTS.machineDetection}). Carriers charge for detecting them.`,
    }),
}

export type OutboundSettings = DeepReadonly<z.infer<z.ZodObject<typeof outboundFields>>>
