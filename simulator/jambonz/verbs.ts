import { z } from 'zod'

const url = z.string().refine(text => URL.canParse(text) && /^(https?|wss?):/.test(text), 'an absolute URL')
/** A hook as a URL: jambonz sends POST requests to it. */
const hook = url
const seconds = z.number().min(0)

const listen = z.strictObject({
  verb: z.literal('listen'),
  url,
  mixType: z.enum(['mono', 'stereo', 'mixed']).default('mono'),
  sampleRate: z.union([8_000, 16_000, 24_000, 48_000, 64_000].map(rate => z.literal(rate))).default(8_000),
  passDtmf: z.boolean().default(false),
  bidirectionalAudio: z
    .strictObject({
      enabled: z.boolean().default(true),
      streaming: z.boolean().default(false),
      sampleRate: z.number().optional(),
    })
    .default({ enabled: true, streaming: false }),
  metadata: z.record(z.string(), z.unknown()).default({}),
  wsAuth: z.strictObject({ username: z.string(), password: z.string() }).optional(),
  actionHook: hook.optional(),
})

const play = z.strictObject({ verb: z.literal('play'), url: z.union([url, z.array(url).min(1)]) })

const gather = z.strictObject({
  verb: z.literal('gather'),
  input: z.array(z.enum(['digits', 'speech'])).default(['digits']),
  actionHook: hook,
  numDigits: z.int().min(1).optional(),
  minDigits: z.int().min(1).optional(),
  finishOnKey: z.string().length(1).optional(),
  interDigitTimeout: seconds.optional(),
  timeout: seconds.optional(),
  play: play.omit({ verb: true }).optional(),
})

const say = z.strictObject({
  verb: z.literal('say'),
  text: z.string().min(1),
  synthesizer: z
    .strictObject({
      vendor: z.string().min(1),
      language: z.string().optional(),
      voice: z.string().optional(),
    })
    .optional(),
})

const verb = z.discriminatedUnion('verb', [
  listen,
  play,
  gather,
  say,
  z.strictObject({ verb: z.literal('pause'), length: z.number().min(0) }),
  z.strictObject({ verb: z.literal('redirect'), actionHook: hook }),
  z.strictObject({ verb: z.literal('hangup') }),
  z.strictObject({
    verb: z.literal('sip:decline'),
    status: z.int().min(400).max(699),
    reason: z.string().optional(),
  }),
])

/** The verbs that the simulator executes, with their defaults; every unknown option is a fault (jambonz: schema). */
export type JambonzVerb = z.output<typeof verb>
export type ListenVerb = z.output<typeof listen>
export type GatherVerb = z.output<typeof gather>

/** Reads an application: a list of verbs. Returns the description of the first fault instead of it. */
export function readVerbs(json: unknown): readonly JambonzVerb[] | string {
  const read = z.array(verb).safeParse(json)
  if (read.success) return read.data
  const [issue] = read.error.issues
  return `verbs.${issue?.path.join('.')}: ${issue?.message}`
}
