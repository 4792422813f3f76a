import { z } from 'zod'
import { isOddPort } from '../../guard/odd-port.ts'

/** What receivers can be told of. */
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

/** Whether events may be sent to `text`. */
function isReceiver(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return false
  return !url.username && !url.password && !url.hash && !isOddPort(url)
}

export const webhookSchema = z.strictObject({
  url: z
    .string()
    .refine(isReceiver, URL_ALLOWED)
    .describe(URL_ALLOWED)
    .meta({ about: 'Where events are sent.' }),
  secret: z
    .string()
    .min(16)
    .describe('a text of at least 16 characters')
    .meta({ about: 'Signs what is sent.' }),
  name: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .meta({ about: 'For log and status; the address may hold secrets.' }),
  events: z
    .array(z.enum(WEBHOOK_EVENTS))
    .min(1)
    .default([...WEBHOOK_EVENTS])
    .meta({ about: 'Which events are sent.' }),
  texts: z.boolean().default(false).meta({ about: 'Whether what people say is sent.' }),
  local: z.boolean().default(false).meta({
    about:
      'Whether its name may lead into the network of this machine; an address, and localhost, may anyway.',
  }),
})

export type WebhookSettings = z.output<typeof webhookSchema>

/** As it is written. */
export type WebhookInput = Readonly<Omit<z.input<typeof webhookSchema>, 'events'>> & {
  readonly events?: readonly WebhookEventType[] | undefined
}
