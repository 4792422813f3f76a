import { z } from 'zod'
import { asList, type DeepReadonly, secret, secrets, urlSchema } from '../../../common/setting-fields.ts'
import { carrierFields, defineCarrier } from '../carrier.ts'
import { OUTBOUND_DEFAULTS, outboundFields } from '../outbound/settings.ts'

const ACCOUNT_SID = /^AC\w{32}$/
const KEY_SID = /^SK\w{32}$/

/** Outbound calls. Without this section, no calls are placed. */
const outboundSettingsSchema = z.strictObject({
  accountSid: z
    .string()
    .regex(ACCOUNT_SID)
    .describe('the account SID: AC and 32 characters')
    .meta({ about: 'Account that places calls. Without this section, no calls are placed.' }),
  apiKeySid: z
    .string()
    .regex(KEY_SID)
    .optional()
    .describe('the SID of an API key: SK and 32 characters')
    .meta({ about: 'API key to use instead of the auth token.' }),
  apiKeySecret: secret().optional().meta({ about: 'Secret of the API key.' }),
  ...outboundFields,
  from: outboundFields.from.meta({
    about: 'Caller ID of outbound calls: one of your Twilio numbers, or a number verified with Twilio.',
  }),
  machineDetection: outboundFields.machineDetection.meta({
    about: `Hang up on answering machines (${OUTBOUND_DEFAULTS.machineDetection}). Twilio charges for detecting them.`,
  }),
  apiUrl: urlSchema('an http:// or https:// address without user, query or fragment')
    .optional()
    .meta({ about: 'Alternative address of the REST API, for tests.' }),
  region: z
    .enum(['us1', 'ie1', 'au1'])
    .optional()
    .meta({ about: 'Twilio region of the account (us1). Requests enter at the edge of the same place.' }),
})

/** Settings of outbound calls through Twilio. */
export type TwilioOutboundSettings = DeepReadonly<z.infer<typeof outboundSettingsSchema>>

/**
 * Access to the account’s REST API, by the auth token or an API key, which can be revoked separately. `apiUrl`, for
 * example of a simulator or gateway, replaces the address of a region.
 */
export type RestSettings = Pick<
  TwilioOutboundSettings,
  'accountSid' | 'apiKeySid' | 'apiKeySecret' | 'apiUrl' | 'region'
> & { readonly authToken?: string | undefined }

const twilioSettingsSchema = z.strictObject({
  authToken: secrets().meta({
    about:
      'Auth token of the account. It verifies that requests come from Twilio. Without it, only local requests are accepted.',
  }),
  outbound: outboundSettingsSchema.optional(),
  ...carrierFields,
})

/** Twilio among the settings. */
export const twilio = defineCarrier({
  name: 'twilio',
  title: 'Twilio',
  schema: twilioSettingsSchema,
  credential: 'authToken',
  secrets: ['authToken', 'outbound.apiKeySecret'],
  isSigned: ({ authToken }) => asList(authToken).length > 0,
  signingSecret: ({ authToken }) => asList(authToken)[0],
  // The first token stays first, because other instances sign with it.
  async carrier({ authToken }, ownKeys) {
    const { twilioCarrier } = await import('./dialect.ts')
    return twilioCarrier([...asList(authToken), ...ownKeys])
  },
  async api(settings) {
    const { TwilioCallsApi } = await import('./rest.ts')
    const outbound = settings.outbound!
    return new TwilioCallsApi({ ...outbound, authToken: asList(settings.authToken)[0] })
  },
})
