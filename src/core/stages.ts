/** Where the time between end of speech and the first translated frame went (ms). Absent: that part cannot be told. */
export interface UtteranceStages {
  /** From the end of speech to its text: mostly the pause by which a service knows that somebody is done. */
  readonly recognitionMs?: number
  /** From the text to its translation, with the wait for the utterance before it. */
  readonly translationMs?: number
  /** From the translation to the first of its voice. */
  readonly synthesisMs?: number
  /** What the service did not tell apart: it sent the whole result at once and not how long each part took. */
  readonly serviceMs?: number
  /** What is left where the service tells its own times: the way there and back, and gathering what is sent. */
  readonly networkMs?: number
  /** From the first of the voice to the first frame sent: decoding, and the wait for what is still being heard. */
  readonly bridgeMs?: number
}

export type Stage = 'recognition' | 'translation' | 'synthesis' | 'service' | 'network' | 'bridge'

export const STAGES = [
  'recognition',
  'translation',
  'synthesis',
  'service',
  'network',
  'bridge',
] as const satisfies readonly Stage[]

/** How long the service itself says that it took (ms). */
export interface ServiceTiming {
  readonly recognitionMs?: number
  readonly translationMs?: number
  readonly synthesisMs?: number
}

/** When the parts of one utterance came from the service (clock ms). */
export interface Arrivals {
  /** Its first final text. */
  readonly textAt?: number | undefined
  readonly translationAt?: number | undefined
  /** The first bytes of its voice. */
  readonly voiceAt: number
  readonly timing?: ServiceTiming | undefined
}

/** The service's idea of when speech ended may differ from ours by so much (ms): a fragment, and some frames. */
const SLACK_MS = 120

/**
 * Divides the time from `speechEndedAt` to `begunAt` (clock ms) into stages that add up to it. What the service tells of itself
 * counts where it can be true; otherwise what came apart is told apart. Where the end of speech is not known, neither is what
 * came before the voice.
 */
export function stagesOf(
  { textAt, translationAt, voiceAt, timing }: Arrivals,
  speechEndedAt: number,
  begunAt: number,
): UtteranceStages {
  const bridgeMs = Math.max(0, begunAt - voiceAt)
  const beforeMs = voiceAt - speechEndedAt
  if (!Number.isFinite(beforeMs) || beforeMs < 0) return { bridgeMs }
  const told = timing && toldStages(timing, beforeMs)
  if (told) return { ...told, bridgeMs }
  const text = within(textAt, speechEndedAt, voiceAt)
  const translation = within(translationAt, text ?? speechEndedAt, voiceAt)
  if (text === undefined || text === voiceAt) return { serviceMs: beforeMs, bridgeMs }
  const recognitionMs = text - speechEndedAt
  // Two parts that came at once are not told apart.
  if (translation === undefined || translation === voiceAt)
    return { recognitionMs, serviceMs: voiceAt - text, bridgeMs }
  if (translation === text)
    return { serviceMs: translation - speechEndedAt, synthesisMs: voiceAt - text, bridgeMs }
  return { recognitionMs, translationMs: translation - text, synthesisMs: voiceAt - translation, bridgeMs }
}

/** The service's own times, and what is left of `beforeMs` for the way; undefined where they cannot be true. */
function toldStages(timing: ServiceTiming, beforeMs: number): UtteranceStages | undefined {
  const { recognitionMs, translationMs, synthesisMs } = timing
  if (recognitionMs === undefined || translationMs === undefined || synthesisMs === undefined)
    return undefined
  const made = translationMs + synthesisMs
  if (made > beforeMs || made + recognitionMs > beforeMs + SLACK_MS) return undefined
  const recognised = Math.min(recognitionMs, beforeMs - made)
  return { recognitionMs: recognised, translationMs, synthesisMs, networkMs: beforeMs - made - recognised }
}

function within(at: number | undefined, from: number, to: number): number | undefined {
  return at === undefined || !(at >= from) || at > to ? undefined : at
}
