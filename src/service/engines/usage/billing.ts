/** The price and the budget of an engine. Without a price, no cost is reported; without a budget, use is unlimited. */
import { z } from 'zod'
import type { EngineKind } from '../engine.ts'

const amount = z.number().min(0)

const priceSchema = z.strictObject({
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'expected a currency like USD')
    .default('USD')
    .meta({ about: 'Currency of the price and of the budget, as its ISO 4217 code.' }),
  perMinute: amount
    .optional()
    .meta({ about: 'Price of a minute of audio: heard by a recognizer, spoken by a synthesizer.' }),
  perMillionCharacters: amount
    .optional()
    .meta({ about: 'Price of a million characters of the text that is translated or spoken.' }),
  perMillionInputTokens: amount
    .optional()
    .meta({ about: 'Price of a million input tokens, for engines that report their tokens.' }),
  perMillionOutputTokens: amount.optional().meta({ about: 'Price of a million output tokens.' }),
})

const budgetSchema = z.strictObject({
  perDay: z
    .number()
    .positive()
    .optional()
    .meta({ about: 'Maximum cost in any 24 hours, in the currency of the price.' }),
  minutesPerDay: z.number().positive().optional().meta({
    about: 'Maximum minutes of audio in any 24 hours; text counts as the time it takes to speak it.',
  }),
})

const billingShape = {
  price: priceSchema.optional().meta({ about: 'Price of the engine, for its cost in the metrics.' }),
  budget: budgetSchema
    .optional()
    .meta({ about: 'Limits of the engine. Once one is reached, the next suitable engine serves.' }),
}

/** Price and budget of one engine of the settings. */
export type Billing = Readonly<z.infer<z.ZodObject<typeof billingShape>>>
export type Price = z.infer<typeof priceSchema>

/** Adds `price` and `budget` to the settings of an engine. */
export function billed<Shape extends z.core.$ZodLooseShape>(schema: z.ZodObject<Shape, z.core.$strict>) {
  return schema.extend(billingShape).refine(
    settings => {
      const { price, budget } = settings as Billing
      return budget?.perDay === undefined || price !== undefined
    },
    { path: ['budget', 'perDay'], message: 'a budget of money requires a price' },
  )
}

/** Amounts that a price applies to. */
export interface BilledAmounts {
  readonly audioMs?: number
  readonly characters?: number
  readonly inputTokens?: number
  readonly outputTokens?: number
}

/** Returns the cost in units of the currency; 0 for what has no price. */
export function costOf(price: Price | undefined, amounts: BilledAmounts): number {
  if (!price) return 0
  const { audioMs = 0, characters = 0, inputTokens = 0, outputTokens = 0 } = amounts
  return (
    (audioMs / 60_000) * (price.perMinute ?? 0) +
    (characters * (price.perMillionCharacters ?? 0) +
      inputTokens * (price.perMillionInputTokens ?? 0) +
      outputTokens * (price.perMillionOutputTokens ?? 0)) /
      1e6
  )
}

/** Describes a price in a few words, like `0.034 USD per minute`; undefined without one. */
export function describePrice(price: Price | undefined): string | undefined {
  if (!price) return undefined
  const { currency, perMinute, perMillionCharacters, perMillionInputTokens, perMillionOutputTokens } = price
  const parts = [
    [perMinute, 'per minute'],
    [perMillionCharacters, 'per million characters'],
    [perMillionInputTokens, 'per million input tokens'],
    [perMillionOutputTokens, 'per million output tokens'],
  ] as const
  return parts
    .flatMap(([each, unit]) => (each === undefined ? [] : [`${each} ${currency} ${unit}`]))
    .join(', ')
}

/** The side of an engine whose audio is billed and limited. */
export function billedDirection(kind: EngineKind): 'in' | 'out' {
  return kind === 'synthesis' ? 'out' : 'in'
}
