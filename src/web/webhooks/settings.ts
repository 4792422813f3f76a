import { z } from 'zod'
import { isBlockedPort } from '../../net/outbound-guard.ts'
import { keyOfSecret, SECRET_ALLOWED } from './secret.ts'

/** Events that receivers can subscribe to. */
export const WEBHOOK_EVENTS = [
  'room.opened',
  'room.closed',
  'participant.joined',
  'participant.left',
  'participant.changed',
  'utterance.final',
  'dtmf',
  'dial',
  'recording',
] as const
export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number]

const URL_ALLOWED = 'an http:// or https:// address without user or fragment, at a port of a web server'

/** True if `text` is a valid receiver URL. */
function isReceiver(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return false
  return !url.username && !url.password && !url.hash && !isBlockedPort(url)
}

export const webhookSettingsSchema = z.strictObject({
  url: z
    .string()
    .refine(isReceiver, URL_ALLOWED)
    .describe(URL_ALLOWED)
    .meta({ about: 'Address to which events are sent.' }),
  secret: z
    .string()
    .refine(text => keyOfSecret(text) !== undefined, SECRET_ALLOWED)
    .describe(SECRET_ALLOWED)
    .meta({ about: 'Secret that signs the events.' }),
  name: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .meta({ about: 'Name for log and status; the address can contain secrets.' }),
  events: z
    .array(z.enum(WEBHOOK_EVENTS))
    .min(1)
    .default([...WEBHOOK_EVENTS])
    .meta({ about: 'Events to send.' }),
  includeTexts: z.boolean().default(false).meta({ about: 'Include transcripts in events.' }),
  allowPrivateAddresses: z.boolean().default(false).meta({
    about:
      'Allow the name to resolve to a private network address; literal addresses and localhost are always allowed.',
  }),
})

export type WebhookSettings = z.infer<typeof webhookSettingsSchema>
