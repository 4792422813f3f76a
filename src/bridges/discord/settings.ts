import { z } from 'zod'
import { languageSchema, secret, urlSchema } from '../../common/setting-fields.ts'
import { isLoopback } from '../../net/client-address.ts'
import { consentFields, hasRoles, ROLES_MISSING } from './consent.ts'
import { CAPTION_DEFAULTS, channelFields } from './options.ts'

const API_URL = 'an https:// address, or http:// on this machine'
const voiceFields = channelFields.voices.unwrap().shape
/** Discord IDs exceed the range of YAML numbers. */
const id = () =>
  z
    .string()
    .regex(/^\d{15,20}$/)
    .describe('an ID of 15 to 20 digits, in quotes')
const ids = (of: string) =>
  z.array(id()).default([]).describe(`a list of IDs of ${of} in quotes, like ["1046021938471923712"]`)

/** Settings of the Discord bot. Without a token, no bot is started. */
export const discordSettingsSchema = z.strictObject({
  token: secret()
    .optional()
    .meta({ about: 'Bot token from the developer portal. Without it, no bot is started.' }),
  guilds: ids('guilds').meta({
    about:
      'Restricts the bot to these guilds, where its commands appear at once. Empty: every guild that invites the bot.',
  }),
  language: languageSchema.optional().meta({
    about: 'Default language of people who have not chosen one. Default: the language of their guild.',
  }),
  output: z
    .array(languageSchema)
    .max(2)
    .default([])
    .describe(
      'one or two languages, like [en-us, es-es], or [] for the languages that the people in the channel need',
    )
    .meta({
      about: 'Languages played in a channel at the start. Empty: the languages that the people in it need.',
    }),
  captions: z
    .strictObject({
      style: z.enum(['embed', 'plain', 'webhook', 'off']).default(CAPTION_DEFAULTS.style).meta({
        about:
          'Caption style at the start: in color, plain, with name and picture of the speaker (`webhook`), or off.',
      }),
      thread: z
        .boolean()
        .default(CAPTION_DEFAULTS.thread)
        .meta({ about: 'Post captions in a separate thread.' }),
    })
    .prefault({}),
  maxChannels: channelFields.maxChannels.meta({
    about: 'Maximum number of concurrent channels in all guilds.',
  }),
  consent: z
    .strictObject({
      mode: consentFields.mode.meta({
        about:
          'Members to listen to: all except members who opt out, only members who opt in, or members with a role.',
      }),
      roles: ids('roles').meta({ about: 'Roles whose members are listened to, with mode `role`.' }),
    })
    .refine(hasRoles, { error: ROLES_MISSING, path: ['roles'] })
    .prefault({}),
  transcript: z.boolean().default(false).meta({
    about:
      'Keep the text of conversations until interpreting ends, for `/interpret transcript`, as notices then state. Stored transcripts (`transcripts.store`) include it.',
  }),
  autoJoin: ids('voice channels').meta({
    about: 'Voice channels to interpret while people are in them.',
  }),
  voices: z
    .strictObject({
      only: voiceFields.only
        .describe('a list of voice ids, like [amy, zoe]')
        .meta({ about: 'Ids of the voices to use, as the service lists them. Empty: all.' }),
    })
    .prefault({}),
  dialRoles: ids('roles').meta({
    about: 'Roles whose members can start phone calls, in addition to members who can manage the guild.',
  }),
  apiUrl: urlSchema(API_URL)
    .refine(
      text => {
        const { protocol, hostname } = URL.parse(text) ?? {}
        return protocol === 'https:' || isLoopback(hostname ?? '')
      },
      { message: API_URL },
    )
    .optional()
    .meta({ about: 'Alternative address of the Discord API, for tests.' }),
})
