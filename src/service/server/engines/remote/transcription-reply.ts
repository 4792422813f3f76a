import { z } from 'zod'
import { HttpFault } from './http-fault.ts'

/** A segment is noise if the model reports no speech and a low confidence (the rule of Whisper's own decoder). */
const NO_SPEECH = 0.6
const UNSURE_LOGPROB = -1
/** Compression ratio above which a text is a repetition. */
const REPEATING = 2.4

const segmentSchema = z.object({
  text: z.string(),
  no_speech_prob: z.number().nullish(),
  avg_logprob: z.number().nullish(),
  compression_ratio: z.number().nullish(),
})
const replySchema = z.object({ text: z.string(), segments: z.array(segmentSchema).nullish() })

/** Returns the text of a `json` or `verbose_json` response, without noise segments. Throws an `HttpFault`. */
export function transcriptOf(reply: unknown): string {
  const parsed = replySchema.safeParse(reply)
  if (!parsed.success) throw new HttpFault('returned JSON without a text')
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
 * The text of a streamed response as it grows, in any of the formats that servers use: deltas and a last event with the
 * whole text; one text per segment and no last event; or chat deltas. Ignores other events.
 */
export class GrowingTranscript {
  #text = ''
  #done = false
  #events = 0

  get text(): string {
    return tidy(this.#text)
  }

  /**
   * Processes the data of one event; returns true if the text may have changed. Throws an `HttpFault` for invalid
   * events.
   */
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

  /** Ends the response and returns the text. Throws an `HttpFault` if there was no event. */
  end(): string {
    if (this.#events === 0) throw new HttpFault('returned a stream without a text')
    return this.text
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    throw new HttpFault('streamed data that is not JSON')
  }
}

function tidy(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, ' ').trim()
}
