import { z } from 'zod'
import type { PhoneReader } from './profile.ts'

/** Returns the file type that a payload (base64) starts with; undefined for probable µ-law. */
export function containerOf(payload: string): 'WAV' | 'ID3' | undefined {
  if (payload.startsWith('UklGR')) return 'WAV'
  return payload.startsWith('SUQz') ? 'ID3' : undefined
}

/** A message from the server on a bidirectional stream, or the reason why it is invalid. */
export type FromServer =
  | { kind: 'media'; payload: string; bytes: number }
  | { kind: 'mark'; name: string }
  | { kind: 'clear' }
  | { kind: 'wrong'; code: 31950 | 31951; why: string }

/** Base64 as RFC 4648 section 4 writes it, with padding and without stray bits. */
const base64 = z
  .string()
  .min(1)
  .refine(text => Buffer.from(text, 'base64').toString('base64') === text, 'must be canonical base64')

/** Audio in base64. */
export const audio = base64.transform((payload): FromServer => {
  return { kind: 'media', payload, bytes: Buffer.byteLength(payload, 'base64') }
})
/** The name of a mark. */
export const markName = z
  .string()
  .min(1)
  .transform((name): FromServer => ({ kind: 'mark', name }))

/** Reads text frames with one JSON object each, as strictly as `schema`. */
export class MessageReader implements PhoneReader {
  readonly #schema: z.ZodType<FromServer>

  constructor(schema: z.ZodType<FromServer>) {
    this.#schema = schema
  }

  read(data: Uint8Array, isBinary: boolean): FromServer {
    if (isBinary) return { kind: 'wrong', code: 31950, why: 'a binary frame' }
    const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8')
    const read = this.#schema.safeParse(parsed(text))
    if (read.success) return read.data
    const [{ path, message } = { path: [], message: '' }] = read.error.issues
    return { kind: 'wrong', code: 31951, why: [path.join('.'), message].filter(Boolean).join(': ') }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Returns a reader of Twilio's messages ("Media Streams: WebSocket messages to Twilio"): exactly the fields of the event,
 * and the stream's own `streamSid`.
 */
export function twilioReader(streamSid: string): MessageReader {
  const of = z.literal(streamSid)
  return new MessageReader(
    z.discriminatedUnion('event', [
      z
        .strictObject({ event: z.literal('media'), streamSid: of, media: z.strictObject({ payload: audio }) })
        .transform(({ media }) => media.payload),
      z
        .strictObject({ event: z.literal('mark'), streamSid: of, mark: z.strictObject({ name: markName }) })
        .transform(({ mark }) => mark.name),
      z
        .strictObject({ event: z.literal('clear'), streamSid: of })
        .transform((): FromServer => ({ kind: 'clear' })),
    ]),
  )
}
