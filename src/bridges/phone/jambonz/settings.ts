import { z } from 'zod'
import { asList, type SettingsInput, secret, secrets, urlSchema } from '../../../common/setting-fields.ts'
import { carrierFields, defineCarrier } from '../carrier.ts'
import { OUTBOUND_DEFAULTS, outboundFields } from '../outbound/settings.ts'

/** Outbound calls. Without this section, no calls are placed. */
const outboundSettingsSchema = z.strictObject({
  apiUrl: urlSchema('an http:// or https:// address without user, query or fragment').meta({
    about: 'Address of the REST API, such as https://jambonz.cloud/api or the address of your server.',
  }),
  accountSid: z
    .string()
    .regex(/^[\w-]{2,64}$/)
    .describe('the account SID: letters, digits and hyphens')
    .meta({ about: 'Account that places calls. Without this section, no calls are placed.' }),
  apiKey: secret().meta({ about: 'API key of that account.' }),
  speechVendor: z
    .string()
    .min(1)
    .optional()
    .describe('the name of a vendor')
    .meta({ about: 'Speech vendor of the account. It detects machines and speaks apologies (google).' }),
  speechLanguage: z
    .string()
    .min(1)
    .optional()
    .describe('a language tag')
    .meta({ about: 'Its default language (en-US).' }),
  speechVoice: z
    .string()
    .min(1)
    .optional()
    .describe('the name of a voice')
    .meta({ about: 'Its default voice (en-US-Standard-C).' }),
  ...outboundFields,
  from: outboundFields.from.meta({ about: 'Caller ID of outbound calls, which your SIP trunk accepts.' }),
  machineDetection: outboundFields.machineDetection.meta({
    about: `Hang up on answering machines (${OUTBOUND_DEFAULTS.machineDetection}). Needs a speech recognizer in jambonz.`,
  }),
})

const jambonzSettingsSchema = z.strictObject({
  webhookSecret: secrets().meta({
    about:
      'Webhook secret of the jambonz account. It verifies requests and derives the login of media streams. Without it, only local requests are accepted.',
  }),
  sampleRate: z
    .union([z.literal(8_000), z.literal(16_000)])
    .default(8_000)
    .describe('8000 or 16000')
    .meta({
      about:
        'Sample rate of media streams in both directions (Hz). 8000 for trunks with G.711, 16000 for trunks with G.722 or Opus.',
    }),
  outbound: outboundSettingsSchema.optional(),
  ...carrierFields,
})

export type JambonzSettings = SettingsInput<typeof jambonzSettingsSchema>
/** Access to the account’s REST API, and the speech vendor of its calls. */
export type JambonzRestSettings = Pick<
  NonNullable<JambonzSettings['outbound']>,
  'apiUrl' | 'accountSid' | 'apiKey' | 'speechVendor' | 'speechLanguage' | 'speechVoice'
>

/** Its section in the settings. */
export const jambonz = defineCarrier({
  name: 'jambonz',
  title: 'jambonz',
  schema: jambonzSettingsSchema,
  credential: 'webhookSecret',
  secrets: ['webhookSecret', 'outbound.apiKey'],
  isSigned: ({ webhookSecret }) => asList(webhookSecret).length > 0,
  signingSecret: ({ webhookSecret }) => asList(webhookSecret)[0],
  // The first secret stays first, because other instances sign with it.
  async carrier(settings, ownKeys) {
    const { jambonzCarrier } = await import('./dialect.ts')
    const webhookSecrets = [...asList(settings.webhookSecret), ...ownKeys]
    return jambonzCarrier({ webhookSecrets, sampleRate: settings.sampleRate })
  },
  async api({ outbound }) {
    const { JambonzCallsApi } = await import('./rest.ts')
    return new JambonzCallsApi(outbound!)
  },
})
