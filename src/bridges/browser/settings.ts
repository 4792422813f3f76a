import { z } from 'zod'
import type { Expanded } from '../../common/setting-fields.ts'
import { LONGEST_ROOM_LINK_MS } from '../../core/calls/room-links.ts'

const ORIGIN = 'an origin like https://talk.example.com'

/** Settings of the talk page. */
export const browserSettingsSchema = z.strictObject({
  access: z.enum(['local', 'invited', 'anyone']).default('local').meta({
    about:
      'Access to the talk page: `local` (users on this machine and anyone with a link or a room code), `invited` (only with a link or a code) or `anyone`.',
  }),
  maxVisitors: z.int().min(1).max(10_000).default(50).meta({
    about:
      'Maximum number of concurrent visitors. One place in five is reserved for visitors with a link or a code.',
  }),
  maxMinutes: z
    .number()
    .min(1)
    .max(24 * 60)
    .default(120)
    .meta({ about: 'Maximum length of a visit (minutes).' }),
  linkMinutes: z
    .number()
    .min(1)
    .max(LONGEST_ROOM_LINK_MS / 60_000)
    .default(120)
    .meta({ about: 'Lifetime of a link and a code created on the page (minutes).' }),
  maxListeners: z.int().min(1).max(10_000).default(500).meta({
    about: 'Maximum number of concurrent listeners of a room who came with a link for listening.',
  }),
  maxListenLanguages: z.int().min(1).max(100).default(6).meta({
    about:
      'Maximum number of languages in which a room is listened to by such links at the same time. Each is a session at the service for everyone who speaks, however many listen.',
  }),
  showNames: z.boolean().default(true).meta({
    about:
      'Before joining, holders of a link see the names of its creator and of the participants in the call, if they have entered one.',
  }),
  origins: z
    .array(
      z
        .string()
        .describe(ORIGIN)
        .refine(text => URL.canParse(text) && new URL(text).origin === text, { message: ORIGIN }),
    )
    .default([])
    .describe(`a list of origins like [https://talk.example.com]`)
    .meta({ about: 'Additional origins that serve the page, in addition to publicUrl and this machine.' }),
})

export type BrowserSettings = Expanded<z.infer<typeof browserSettingsSchema>>
