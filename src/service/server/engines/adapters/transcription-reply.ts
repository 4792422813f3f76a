import { z } from 'zod'
import { HttpFault } from './http-fault.ts'

/** A segment is noise when the model says so and was unsure of its words (the rule of Whisper's own decoder). */
const NO_SPEECH = 0.6
const UNSURE_LOGPROB = -1
/** … or when the text repeats itself so much that it compresses like this. */
const REPEATING = 2.4

const segmentSchema = z.object({
  text: z.string(),
  no_speech_prob: z.number().nullish(),
  avg_logprob: z.number().nullish(),
  compression_ratio: z.number().nullish(),
})
const replySchema = z.object({ text: z.string(), segments: z.array(segmentSchema).nullish() })

/** The text of an answer in `json` or `verbose_json`, without segments that are noise. Throws an `HttpFault`. */
export function transcriptOf(reply: unknown): string {
  const parsed = replySchema.safeParse(reply)
  if (!parsed.success) throw new HttpFault('answered with JSON that has no text')
  const { text, segments } = parsed.data
  return tidy(
    segments
      ? segments
          .filter(isSpeech)
          .map(segment => segment.text)
          .join(' ')
      : text,
  )
}

function isSpeech(segment: z.infer<typeof segmentSchema>): boolean {
  const { no_speech_prob: none, avg_logprob: sure, compression_ratio: ratio } = segment
  if ((none ?? 0) > NO_SPEECH && (sure ?? Number.NEGATIVE_INFINITY) < UNSURE_LOGPROB) return false
  return (ratio ?? 0) <= REPEATING
}

const eventSchema = z.union([
  z.object({ type: z.literal('transcript.text.delta'), delta: z.string() }),
  z.object({ type: z.literal('transcript.text.done'), text: z.string() }),
  z.object({ choices: z.array(z.object({ delta: z.object({ content: z.string().nullish() }) })) }),
  segmentSchema,
])

/**
 * The text of a streamed answer as it grows, whichever way the server streams: deltas and a last event with the whole
 * text; a text per segment and no last event; or deltas in the form of a chat. Events of other kinds are passed over.
 */
export class GrowingTranscript {
  #text = ''
  #done = false
  #events = 0

  get text(): string {
    return tidy(this.#text)
  }

  /** Takes the data of one event; true when the text may have changed. Throws an `HttpFault` for what is no event. */
  take(data: string): boolean {
    if (data === '[DONE]' || this.#done) return false
    const event = eventSchema.safeParse(parsed(data))
    if (!event.success) return false
    this.#events++
    if ('delta' in event.data) this.#text += event.data.delta
    else if ('choices' in event.data) this.#text += event.data.choices[0]?.delta.content ?? ''
    else if ('type' in event.data) {
      this.#text = event.data.text
      this.#done = true
    } else if (isSpeech(event.data)) this.#text += ` ${event.data.text}`
    return true
  }

  /** The answer is over. Throws an `HttpFault` when there was none. */
  end(): string {
    if (this.#events === 0) throw new HttpFault('answered with a stream that has no text')
    return this.text
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    throw new HttpFault('streamed something that is no JSON')
  }
}

function tidy(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
}
