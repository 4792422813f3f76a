import { z } from 'zod'
import { channelFields } from '../bridges/discord/options.ts'
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
  token: secret()
    .optional()
    .meta({ about: "The bot's token, from the developer portal. Without it there is no bot." }),
  guilds: ids('guilds').meta({
    about:
      'Only in these guilds, where commands are there at once. None: in every guild that invites the bot.',
  }),
  channels: ids('voice channels').meta({ about: 'Voice channels that `dragoman doctor` looks at.' }),
  language: languageSchema
    .optional()
    .meta({ about: 'What people speak of whom nothing is known. Default: the language of their guild.' }),
  output: z
    .array(languageSchema)
    .max(2)
    .default([])
    .describe('one or two languages, like [en-us, es-es], or [] for what the people in the channel need')
    .meta({ about: 'What is spoken in a channel when it begins; none: as the people in it need.' }),
  captions: z
    .strictObject({
      style: z
        .enum(['embed', 'plain', 'off'])
        .default('embed')
        .meta({ about: 'How captions look when it begins: in colour, plain or not at all.' }),
      thread: z.boolean().default(false).meta({ about: 'Whether captions go to a thread of their own.' }),
    })
    .prefault({}),
  leaveEmptyAfterSeconds: z
    .int()
    .min(5)
    .max(3_600)
    .default(60)
    .meta({ about: 'A channel without people is left after so long.' }),
  turnSilenceMs: channelFields.turnSilenceMs.default(800).meta({
    about: 'Silence given to the service behind what somebody said: what tells it that the turn is over.',
  }),
  maxChannels: channelFields.maxChannels.default(50).meta({ about: 'Channels at a time, in all guilds.' }),
  codeMinutes: channelFields.codeMinutes
    .default(30)
    .meta({ about: 'How long a code of /interpret invite is good.' }),
  indicator: z
    .boolean()
    .default(true)
    .meta({ about: "Whether the bot's name in the guild shows that it listens." }),
  dialRoles: ids('roles').meta({
    about: 'Roles whose members may have telephones called, beside those who manage the guild.',
  }),
  preferences: z
    .strictObject({
      file: z
        .string()
        .min(1)
        .default('dragoman.discord.json')
        .meta({ about: 'Who opted out, and whose language is remembered: digests, no ids.' }),
      key: secret()
        .describe('a secret of 16 characters or more')
        .min(16)
        .optional()
        .meta({ about: 'The key of those digests. Without one it is made, and kept beside the file.' }),
    })
    .prefault({}),
  resume: z
    .strictObject({
      file: z
        .string()
        .min(1)
        .default('dragoman.channels.json')
        .meta({ about: 'The channels being interpreted, for the next process: ids of channels, nobody’s.' }),
      withinMinutes: z.int().min(0).max(1_440).default(10).meta({
        about:
          'After a restart within this time, channels with people in them are interpreted again. 0: never.',
      }),
    })
    .prefault({}),
  dave: z.boolean().default(true).meta({
    about: 'End-to-end encryption of voice. Discord requires it but on stages; false is for tests.',
  }),
  apiUrl: urlSchema(API_URL)
    .refine(
      text => {
        const { protocol, hostname } = URL.parse(text) ?? {}
        return protocol === 'https:' || isLoopback(hostname?.replace(/^\[|\]$/g, '') ?? '')
      },
      { message: API_URL },
    )
    .optional()
    .meta({ about: "Another address of Discord's API, for tests." }),
})
