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
  url: z.string().refine(isReceiver, URL_ALLOWED).describe(URL_ALLOWED),
  /** Signs what is sent: at least 16 characters. */
  secret: z.string().min(16).describe('a text of at least 16 characters'),
  /** For log and status; the address may hold secrets. */
  name: z.string().min(1).max(64).optional(),
  events: z
    .array(z.enum(WEBHOOK_EVENTS))
    .min(1)
    .default([...WEBHOOK_EVENTS]),
  /** Whether what people say is sent. */
  texts: z.boolean().default(false),
  /** Whether its name may lead into the network of this machine; an address, and localhost, may anyway. */
  local: z.boolean().default(false),
})

export type WebhookSettings = z.output<typeof webhookSchema>

/** As it is written. */
export type WebhookInput = Readonly<Omit<z.input<typeof webhookSchema>, 'events'>> & {
  readonly events?: readonly WebhookEventType[] | undefined
}
