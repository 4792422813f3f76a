import { z } from 'zod'
import { LONGEST_LINK_MS } from '../../core/room-links.ts'

const ORIGIN = 'an origin like https://talk.example.com'

/** Settings of the page to talk into. */
export const browserSettingsSchema = z.strictObject({
  visitors: z.enum(['local', 'invited', 'anyone']).default('local').meta({
    about:
      'Who may talk into the page: people on this machine and whoever has a link or a room code; only those who have one; or anyone.',
  }),
  maxVisitors: z.int().min(1).max(10_000).default(50).meta({
    about: 'Visitors at a time. A fifth of the places is kept for people with a link or a code.',
  }),
  visitorsPerAddress: z.int().min(1).max(10_000).default(20).meta({
    about: 'Visitors from one address at a time, people on this machine and limits.neighbours excepted.',
  }),
  maxMinutes: z
    .number()
    .min(1)
    .max(24 * 60)
    .default(120)
    .meta({ about: 'The longest visit (minutes).' }),
  linkMinutes: z
    .number()
    .min(1)
    .max(LONGEST_LINK_MS / 60_000)
    .default(120)
    .meta({ about: 'How long a link and a code are good that somebody makes on the page (minutes).' }),
  origins: z
    .array(
      z
        .string()
        .describe(ORIGIN)
        .refine(text => URL.canParse(text) && new URL(text).origin === text, { message: ORIGIN }),
    )
    .default([])
    .describe(`a list of origins like [https://talk.example.com]`)
    .meta({ about: 'Further addresses under which the page is reached, beside publicUrl and this machine.' }),
})

export type BrowserSettings = z.output<typeof browserSettingsSchema>
