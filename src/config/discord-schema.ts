import { z } from 'zod'
import { isLoopback } from '../service/server/service-config.ts'
import { languageSchema, secret, urlSchema } from './fields.ts'

const API_URL = 'an https:// address, or http:// on this machine'
/** Ids of Discord are too large for a number of YAML. */
const id = () =>
  z
    .string()
    .regex(/^\d{15,20}$/)
    .describe('an id of 15 to 20 digits, in quotes')
const ids = (of: string) =>
  z.array(id()).default([]).describe(`a list of ids of ${of} in quotes, like ["1046021938471923712"]`)

/** Discord; without a token there is no bot. */
export const discordSchema = z.strictObject({
  token: secret().optional(),
  guilds: ids('guilds'),
  channels: ids('voice channels'),
  language: languageSchema.optional(),
  output: z
    .array(languageSchema)
    .max(2)
    .default([])
    .describe('one or two languages, like [en-us, es-es], or [] for what the people in the channel need'),
  captions: z
    .strictObject({
      style: z.enum(['embed', 'plain', 'off']).default('embed'),
      thread: z.boolean().default(false),
    })
    .prefault({}),
  leaveEmptyAfterSeconds: z.int().min(5).max(3_600).default(60),
  turnSilenceMs: z.int().min(100).max(5_000).default(800),
  maxChannels: z.int().min(1).max(1_000).default(50),
  codeMinutes: z.int().min(1).max(1_440).default(30),
  indicator: z.boolean().default(true),
  dialRoles: ids('roles'),
  preferences: z
    .strictObject({
      file: z.string().min(1).default('dragoman.discord.json'),
      key: secret().describe('a secret of 16 characters or more').min(16).optional(),
    })
    .prefault({}),
  dave: z.boolean().default(true),
  apiUrl: urlSchema(API_URL)
    .refine(
      text => {
        const { protocol, hostname } = URL.parse(text) ?? {}
        return protocol === 'https:' || isLoopback(hostname?.replace(/^\[|\]$/g, '') ?? '')
      },
      { message: API_URL },
    )
    .optional(),
})
