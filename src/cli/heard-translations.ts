import { rms } from '../transcode/level.ts'
import { FRAME_MS } from '../transcode/pcm.ts'
import { VoiceActivity } from '../transcode/voice-activity.ts'
import { LINE_RATE } from './sample-audio.ts'

/**
 * Name of the bridge’s marks after its own notices, as opposed to translations (`Playout`, after the generation of
 * `Marks`).
 */
const NOTICE = /^g\d+:notice \d+$/
/** Silence after which further audio counts as a new translation (ms). */
const NEW_ANSWER_MS = 400

/** Properties of the phone’s carrier. */
export interface AnswersOptions {
  /** It confirms marks. Default: true. Otherwise each stretch of audio after speech counts as a translation. */
  readonly marks?: boolean
}

/** Measures at the phone how long after a stretch of speech its translation starts. */
export class HeardTranslations {
  /** Time from the end of speech to the first audio of each translation that starts after it (ms). */
  readonly latenciesMs: number[] = []
  /** Number of translations that started while the speech continued. */
  overlapping = 0
  readonly #ends: number[]
  #speakingSince = Number.POSITIVE_INFINITY
  #dryAt = Number.NEGATIVE_INFINITY
  #heardMs = 0
  #marked = 0
  readonly #marks: boolean

  /** `speech` is the audio that the phone will speak, at the line’s rate. */
  constructor(speech: Int16Array, { marks = true }: AnswersOptions = {}) {
    this.#marks = marks
    this.#ends = endsOfSpeech(speech)
  }

  /** Translations played to the end. */
  get translations(): number {
    return this.#marks ? this.#marked : this.latenciesMs.length
  }

  /** Duration of the audio received so far (ms). */
  get heardMs(): number {
    return this.#heardMs
  }

  /** The phone starts to speak at `now` (ms). */
  speaking(now: number): void {
    this.#speakingSince = now
  }

  /** All audio before the mark `name` has been played. */
  marked(name: string): void {
    if (!NOTICE.test(name)) this.#marked++
  }

  /** `bytes` of µ-law arrived at `now` (ms). */
  media(now: number, bytes: number): void {
    const ms = (bytes * 1000) / LINE_RATE
    this.#heardMs += ms
    if (now - this.#dryAt > NEW_ANSWER_MS) {
      const end = this.#ends.findLast(at => this.#speakingSince + at <= now)
      if (end !== undefined) this.latenciesMs.push(now - this.#speakingSince - end)
      else if (now >= this.#speakingSince) this.overlapping++
    }
    this.#dryAt = Math.max(this.#dryAt, now) + ms
  }
}

/** Returns when each stretch of speech ends (ms from the start). */
function endsOfSpeech(speech: Int16Array): number[] {
  const activity = new VoiceActivity()
  const samples = (LINE_RATE * FRAME_MS) / 1000
  const ends: number[] = []
  const frames = Math.ceil(speech.length / samples) + 20
  for (let n = 0; n < frames; n++) {
    const frame = speech.subarray(n * samples, (n + 1) * samples)
    const was = activity.speaking
    activity.frame(frame.length > 0 ? rms(frame) : 0, n * FRAME_MS)
    if (was && !activity.speaking) ends.push(activity.endedAt(n * FRAME_MS) + FRAME_MS)
  }
  return ends
}
