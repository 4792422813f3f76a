import { z } from 'zod'
import { BridgeError } from '../../../common/errors.ts'
import { asList, type SettingsInput, secrets, urlSchema } from '../../../common/setting-fields.ts'
import { carrierFields, defineCarrier } from '../carrier.ts'
import { outboundFields } from '../outbound/settings.ts'

const AUTH_ID = /^[MS]A[A-Z0-9]{18}$/

/** Outbound calls. Without this section, no calls are placed. */
const outboundSettingsSchema = z.strictObject({
  authId: z
    .string()
    .regex(AUTH_ID)
    .describe('the auth ID: MA or SA, and 18 letters and digits')
    .meta({ about: 'Auth ID of the account that places calls.' }),
  ...outboundFields,
  from: outboundFields.from.meta({ about: 'Caller ID of outbound calls: one of your Plivo numbers.' }),
  apiUrl: urlSchema('an http:// or https:// address without user, query or fragment')
    .optional()
    .meta({ about: 'Alternative address of the REST API, for tests.' }),
})

export const plivoSettingsSchema = z.strictObject({
  authToken: secrets().meta({
    about:
      'Auth token of the account. It verifies that requests come from Plivo. Without it, only local requests are accepted.',
  }),
  audio: z.enum(['mulaw-8k', 'l16-16k', 'l16be-16k']).default('mulaw-8k').meta({
    about:
      'Audio of streams: µ-law at 8 kHz, or linear PCM at 16 kHz with the low (l16) or the high byte first (l16be).',
  }),
  outbound: outboundSettingsSchema.optional(),
  ...carrierFields,
})

export type PlivoSettings = SettingsInput<typeof plivoSettingsSchema>
export type PlivoOutbound = NonNullable<PlivoSettings['outbound']>

/** Plivo among the settings. */
export const plivo = defineCarrier({
  name: 'plivo',
  title: 'Plivo',
  schema: plivoSettingsSchema,
  credential: 'authToken',
  secrets: ['authToken'],
  isSigned: ({ authToken }) => asList(authToken).length > 0,
  signingSecret: ({ authToken }) => asList(authToken)[0],
  // The first token stays first, because other instances sign with it.
  async carrier(settings, ownKeys) {
    const { plivoCarrier } = await import('./dialect.ts')
    return plivoCarrier([...asList(settings.authToken), ...ownKeys], settings.audio)
  },
  async api(settings) {
    const { PlivoCallsApi } = await import('./rest.ts')
    const { authId, apiUrl } = settings.outbound!
    const [authToken] = asList(settings.authToken)
    if (authToken === undefined)
      throw new BridgeError('CONFIG', 'plivo.outbound needs an auth token: set plivo.authToken')
    return new PlivoCallsApi({ authId, authToken, apiUrl })
  },
})
