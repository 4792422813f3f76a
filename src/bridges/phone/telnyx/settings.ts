import { z } from 'zod'
import { type SettingsInput, secret, urlSchema } from '../../../common/setting-fields.ts'
import { carrierFields, defineCarrier } from '../carrier.ts'
import { outboundFields } from '../outbound/settings.ts'

/** Base64 of the 32 bytes of an Ed25519 key. */
const PUBLIC_KEY = /^[A-Za-z0-9+/]{43}=$/

/** Outbound calls. Without this section, no calls are placed. */
const outboundSettingsSchema = z.strictObject({
  apiKey: secret().meta({ about: 'API key (V2). Without this section, no calls are placed.' }),
  accountSid: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .describe('the ID of the account')
    .meta({ about: 'ID of the account, from Account Settings in the Mission Control Portal.' }),
  applicationId: z
    .string()
    .regex(/^\d{1,30}$/)
    .describe('the ID of a TeXML application: digits in quotes')
    .meta({ about: 'TeXML application that places calls.' }),
  ...outboundFields,
  apiUrl: urlSchema('an http:// or https:// address without user, query or fragment')
    .optional()
    .meta({ about: 'Alternative address of the REST API, for tests.' }),
})

const telnyxSettingsSchema = z.strictObject({
  publicKey: z
    .string()
    .regex(PUBLIC_KEY)
    .optional()
    .describe('the public key of the account: 44 characters of base64')
    .meta({
      about:
        'Public key of the account, from Keys & Credentials in the Mission Control Portal. It verifies that requests come from Telnyx.',
    }),
  outbound: outboundSettingsSchema.optional(),
  ...carrierFields,
})

export type TelnyxSettings = SettingsInput<typeof telnyxSettingsSchema>
export type TelnyxOutbound = NonNullable<TelnyxSettings['outbound']>

/** Telnyx among the settings. */
export const telnyx = defineCarrier({
  name: 'telnyx',
  title: 'Telnyx',
  schema: telnyxSettingsSchema,
  credential: 'publicKey',
  secrets: ['outbound.apiKey'],
  isSigned: ({ publicKey }) => publicKey !== undefined,
  // Settings have the public key only.
  signingSecret: () => undefined,
  async carrier({ publicKey }, ownKeys) {
    const { telnyxCarrier } = await import('./dialect.ts')
    return telnyxCarrier({
      publicKeys: publicKey === undefined ? [] : [publicKey],
      ownKeys,
    })
  },
  async api({ outbound }) {
    const { TelnyxCallsApi } = await import('./rest.ts')
    return new TelnyxCallsApi(outbound!)
  },
})
