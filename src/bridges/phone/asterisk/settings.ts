import { z } from 'zod'
import { asList, type SettingsInput, secret, secrets, urlSchema } from '../../../common/setting-fields.ts'
import { trustedProxiesSchema } from '../../../net/client-address.ts'
import { carrierFields, defineCarrier } from '../carrier.ts'
import { outboundFields } from '../outbound/settings.ts'

/** Outbound calls. Without this section, no calls are placed. */
const outboundSettingsSchema = z.strictObject({
  apiUrl: urlSchema('an http:// or https:// address without user, query or fragment').meta({
    about:
      'Address of the HTTP server of Asterisk, such as http://127.0.0.1:8088. Without this section, no calls are placed.',
  }),
  user: z
    .string()
    .min(1)
    .describe('a user name')
    .meta({ about: 'User of the Asterisk REST Interface (ARI).' }),
  password: secret().meta({ about: 'Password of that user.' }),
  ...outboundFields,
  from: outboundFields.from.meta({ about: 'Caller ID of outbound calls, which your trunk accepts.' }),
})

/** Where Asterisk connects its streams. */
export const audioSocketSchema = z.strictObject({
  host: z.string().min(1).default('127.0.0.1').describe('an address of this machine').meta({
    about: 'Address to listen on. AudioSocket is not encrypted: use a private network or a tunnel.',
  }),
  port: z.int().min(0).max(65_535).default(9_092).describe('a port').meta({ about: 'Port to listen on.' }),
  allowedAddresses: trustedProxiesSchema
    .default(['loopback'])
    .meta({ about: 'Addresses and networks of the Asterisk servers that can connect.' }),
})

const asteriskSettingsSchema = z.strictObject({
  secret: secrets().meta({
    about:
      'Password with which the dialplan requests instructions, as user dragoman. Without it, only local requests are accepted.',
  }),
  sampleRate: z
    .union([z.literal(8_000), z.literal(16_000)])
    .default(8_000)
    .describe('8000 or 16000')
    .meta({ about: 'Sample rate of streams (Hz): 8000 with c(slin) in the dialplan, 16000 with c(slin16).' }),
  stream: z.enum(['audiosocket', 'websocket']).default('audiosocket').meta({
    about: 'How Asterisk connects streams: by AudioSocket, or by chan_websocket of newer versions.',
  }),
  audioSocket: audioSocketSchema.prefault({}),
  outbound: outboundSettingsSchema.optional(),
  ...carrierFields,
})

export type AsteriskSettings = SettingsInput<typeof asteriskSettingsSchema>
/** Access to the Asterisk REST Interface. */
export type AriSettings = Pick<NonNullable<AsteriskSettings['outbound']>, 'apiUrl' | 'user' | 'password'>

/** Its section in the settings. */
export const asterisk = defineCarrier({
  name: 'asterisk',
  title: 'Asterisk',
  schema: asteriskSettingsSchema,
  credential: 'secret',
  secrets: ['secret', 'outbound.password'],
  hasOwnPort: true,
  isSigned: settings => asList(settings.secret).length > 0,
  signingSecret: settings => asList(settings.secret)[0],
  // The first secret stays first, because other instances sign with it.
  async carrier(settings, ownKeys) {
    const { asteriskCarrier } = await import('./dialect.ts')
    const { sampleRate, stream, audioSocket } = settings
    return asteriskCarrier({
      secrets: [...asList(settings.secret), ...ownKeys],
      sampleRate,
      stream,
      audioSocket,
    })
  },
  async api({ outbound }) {
    const { AsteriskCallsApi } = await import('./rest.ts')
    return new AsteriskCallsApi(outbound!)
  },
})
