import { z } from 'zod'

const hook = z.union([
  z.url().transform(url => ({ url, method: 'POST' })),
  z.strictObject({ url: z.url(), method: z.enum(['POST', 'GET']).default('POST') }),
])

/** The parameters of `POST Calls`, as far as calls to phones without an application need them (jambonz: create call). */
const callRequestSchema = z.strictObject({
  from: z.string('missing from parameter').min(1),
  to: z.strictObject({ type: z.literal('phone'), number: z.string().min(1) }),
  call_hook: hook,
  call_status_hook: hook.optional(),
  timeout: z.number().min(1).optional(),
  timeLimit: z.number().min(1).optional(),
  // Required without an application.
  speech_synthesis_vendor: z.string().min(1),
  speech_synthesis_language: z.string().min(1),
  speech_synthesis_voice: z.string().min(1),
  speech_recognizer_vendor: z.string().min(1),
  speech_recognizer_language: z.string().min(1),
  amd: z
    .strictObject({
      actionHook: z.url(),
      thresholdWordCount: z.number().optional(),
      timers: z
        .strictObject({
          noSpeechTimeoutMs: z.number().optional(),
          decisionTimeoutMs: z.number().optional(),
          toneTimeoutMs: z.number().optional(),
          greetingCompletionTimeoutMs: z.number().optional(),
        })
        .optional(),
    })
    .optional(),
})

export type CallRequest = z.output<typeof callRequestSchema>

/** Reads the body of `POST Calls`. Returns the description of the first fault instead of it. */
export function readCallRequest(body: string): CallRequest | string {
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch {
    return 'the body is not JSON'
  }
  const read = callRequestSchema.safeParse(json)
  if (read.success) return read.data
  const [issue] = read.error.issues
  return `${issue?.path.join('.')}: ${issue?.message}`
}
