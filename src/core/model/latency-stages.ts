/** The time between end of speech and first translated frame, by stage (ms). An absent stage is unknown. */
export interface UtteranceStages {
  /** From the end of speech to its text: mostly the pause by which a service detects the end. */
  readonly recognitionMs?: number
  /** From the text to its translation, including the wait for the previous utterance. */
  readonly translationMs?: number
  /** From the translation to the start of its audio. */
  readonly synthesisMs?: number
  /** Unattributed service time: the service sent the whole result at once, without timing. */
  readonly serviceMs?: number
  /** The rest, if the service reports its own times: transport in both directions, and buffering of fragments. */
  readonly networkMs?: number
  /** From the start of the audio to the first frame sent: decoding, and the wait for earlier playback. */
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

/** Processing times reported by the service (ms). */
export interface ServiceTiming {
  readonly recognitionMs?: number
  readonly translationMs?: number
  readonly synthesisMs?: number
}

/** Arrival times of one utterance's parts (clock ms). */
export interface Arrivals {
  /** Its first final text. */
  readonly textAt?: number | undefined
  readonly translationAt?: number | undefined
  /** The first bytes of its audio. */
  readonly voiceAt: number
  readonly timing?: ServiceTiming | undefined
}

/** Tolerated difference between the service's end of speech and ours (ms): a fragment and some frames. */
const SLACK_MS = 120

/**
 * Divides the time from `speechEndedAt` to `begunAt` (clock ms) into stages that add up to it. Times reported by the
 * service are used if they are plausible; otherwise arrival times separate the stages. If the end of speech is unknown,
 * so are all stages before the audio.
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
  // Parts that arrived together cannot be separated.
  if (translation === undefined || translation === voiceAt)
    return { recognitionMs, serviceMs: voiceAt - text, bridgeMs }
  if (translation === text)
    return { serviceMs: translation - speechEndedAt, synthesisMs: voiceAt - text, bridgeMs }
  return { recognitionMs, translationMs: translation - text, synthesisMs: voiceAt - translation, bridgeMs }
}

/** Returns the service's own times, with the rest of `beforeMs` as network time; undefined if they are implausible. */
function toldStages(timing: ServiceTiming, beforeMs: number): UtteranceStages | undefined {
  const { recognitionMs, translationMs, synthesisMs } = timing
  if (recognitionMs === undefined || translationMs === undefined || synthesisMs === undefined)
    return undefined
  const made = translationMs + synthesisMs
  if (made > beforeMs || made + recognitionMs > beforeMs + SLACK_MS) return undefined
  const recognized = Math.min(recognitionMs, beforeMs - made)
  return { recognitionMs: recognized, translationMs, synthesisMs, networkMs: beforeMs - made - recognized }
}

function within(at: number | undefined, from: number, to: number): number | undefined {
  return at === undefined || !(at >= from) || at > to ? undefined : at
}
