import { z } from 'zod'
import { asList, type SettingsInput, secret, secrets, urlSchema } from '../../../common/setting-fields.ts'
import { carrierFields, defineCarrier } from '../carrier.ts'
import { outboundFields } from '../outbound/settings.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Outbound calls. Without this section, no calls are placed. */
const outboundSettingsSchema = z.strictObject({
  space: z
    .string()
    .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/i)
    .describe('a host name like example.signalwire.com')
    .meta({ about: 'Host name of your space. Without this section, no calls are placed.' }),
  projectId: z
    .string()
    .regex(UUID)
    .describe('the ID of a project: a UUID')
    .meta({ about: 'Project that places calls.' }),
  apiToken: secret().meta({ about: 'API token of that project, with the scope Voice.' }),
  ...outboundFields,
  apiUrl: urlSchema('an http:// or https:// address without user, query or fragment')
    .optional()
    .meta({ about: 'Alternative address of the REST API, for tests.' }),
})

export const signalwireSettingsSchema = z.strictObject({
  signingKey: secrets().meta({
    about: 'Signing key of the project. It verifies that requests come from SignalWire.',
  }),
  audio: z.enum(['mulaw-8k', 'l16-16k', 'l16be-16k']).default('mulaw-8k').meta({
    about:
      'Audio of streams: µ-law at 8 kHz, or linear PCM at 16 kHz with the low (l16) or the high byte first (l16be).',
  }),
  outbound: outboundSettingsSchema.optional(),
  ...carrierFields,
})

export type SignalwireSettings = SettingsInput<typeof signalwireSettingsSchema>
export type SignalwireOutbound = NonNullable<SignalwireSettings['outbound']>

/** SignalWire among the settings. */
export const signalwire = defineCarrier({
  name: 'signalwire',
  title: 'SignalWire',
  schema: signalwireSettingsSchema,
  credential: 'signingKey',
  secrets: ['signingKey', 'outbound.apiToken'],
  isSigned: ({ signingKey }) => asList(signingKey).length > 0,
  signingSecret: ({ signingKey }) => asList(signingKey)[0],
  async carrier(settings, ownKeys) {
    const { signalwireCarrier } = await import('./dialect.ts')
    return signalwireCarrier([...asList(settings.signingKey), ...ownKeys], settings.audio)
  },
  async api({ outbound }) {
    const { SignalwireCallsApi } = await import('./rest.ts')
    return new SignalwireCallsApi(outbound!)
  },
})
