import { hostname } from 'node:os'
import { z } from 'zod'
import { secret } from '../common/setting-fields.ts'
import { isLoopback } from '../net/client-address.ts'
import { nodeName } from './members.ts'

const file = (about: string) => z.string().min(1).describe('a path').meta({ about })

const tlsSettingsSchema = z.strictObject({
  ca: file('Certificate authority of the NATS servers (PEM file). Default: those of the system.').optional(),
  cert: file('Certificate of this node (PEM file).').optional(),
  key: file('Private key of the certificate (PEM file).').optional(),
})

/** Connection to NATS. */
export const natsSettingsSchema = z.strictObject({
  servers: z
    .array(
      z.string().regex(/^(nats:\/\/|tls:\/\/)?[\w.-]+(:\d+)?$|^(nats:\/\/|tls:\/\/)?\[[\da-f:]+\](:\d+)?$/i),
    )
    .min(1)
    .describe('addresses like nats.example.com:4222')
    .meta({ about: 'Addresses of the NATS servers.' }),
  user: z.string().min(1).optional().meta({ about: 'User name at NATS.' }),
  password: secret().optional().meta({ about: 'Password of that user.' }),
  token: secret().optional().meta({ about: 'Token, for servers that use one instead of users.' }),
  credentialsFile: file('Credentials file of a NATS user (JWT and seed).').optional(),
  tls: tlsSettingsSchema
    .optional()
    .meta({ about: 'TLS. Required, together with credentials, unless all servers are on this machine.' }),
  replicas: z
    .union([z.literal(1), z.literal(3), z.literal(5)])
    .default(1)
    .describe('1, 3 or 5')
    .meta({
      about: 'Number of NATS servers that store the state. 3 survives the loss of one.',
    }),
})

/** Settings of a node of a fleet. */
export const fleetSettingsSchema = z.strictObject({
  node: nodeName
    .optional()
    .describe('up to 32 lower-case letters, digits and hyphens')
    .meta({ about: 'Name of this node, unique in the fleet. Default: the name of the host.' }),
  address: z
    .string()
    .regex(/^http:\/\/[^\s/?#@]+\/?$/)
    .optional()
    .describe('an address like http://10.0.0.5:8080')
    .meta({
      about:
        'Address at which other nodes reach this one, on a private network. Default: the listening address, if it is loopback.',
    }),
  key: z.string().min(16, 'at least 16 characters').optional().meta({
    about: 'Secret of the fleet, the same on all nodes. Names and numbers are stored as digests with it.',
  }),
  nats: natsSettingsSchema
    .optional()
    .meta({ about: 'Connects this process with others as one service. Absent: it works alone.' }),
})

export type NatsSettings = z.output<typeof natsSettingsSchema>
export type FleetSettings = z.output<typeof fleetSettingsSchema>

/** Returns the name of this node: that of the settings, or the host’s, made to fit. */
export function nodeNameOf({ node }: Pick<FleetSettings, 'node'>, host: string = hostname()): string {
  if (node !== undefined) return node
  const [name = ''] = host.toLowerCase().split('.')
  return (
    name
      .replaceAll(/[^a-z0-9-]+/g, '-')
      .slice(0, 32)
      .replaceAll(/^-+|-+$/g, '') || 'node'
  )
}

/** Returns what is missing for a safe connection to these servers, or undefined. */
export function natsFault({
  servers,
  user,
  password,
  token,
  credentialsFile,
  tls,
}: NatsSettings): string | undefined {
  if (servers.every(server => isLoopback(hostOf(server)))) return undefined
  const known =
    credentialsFile !== undefined || token !== undefined || (user !== undefined && password !== undefined)
  if (!known)
    return 'credentials are required (user and password, token, or credentialsFile), since a server is not on this machine'
  return tls ? undefined : 'tls is required, since a server is not on this machine'
}

function hostOf(server: string): string {
  return server.replace(/^(nats|tls):\/\//, '').replace(/:\d+$/, '')
}
