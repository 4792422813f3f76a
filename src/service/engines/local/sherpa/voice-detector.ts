import { durationMs, SAMPLE_RATE } from '../../../../transcode/pcm.ts'
import type { SherpaPackage, Vad } from './native-package.ts'

/** Samples of one decision of the model (32 ms). */
export const WINDOW = 512
/** Minimum length of speech (s): shorter sounds are clicks. */
const MIN_SPEECH_S = 0.1
/** The detector reports speech this long after its start: two windows with their overlap, and the minimum length. */
const ONSET_DELAY = 2 * (WINDOW + 64) + MIN_SPEECH_S * SAMPLE_RATE
/** Buffer of the detector (s). Intervals are cut before they reach this length. */
const BUFFER_S = 60
/** Factor of `maxUtteranceMs` from which speech is cut anywhere. */
const HARD_CUT = 1.5

export interface VoiceDetectorOptions {
  /** Path of the Silero model. */
  readonly model: string
  /** Probability from which sound is speech. */
  readonly threshold: number
  /** Pause that ends an interval (ms). */
  readonly pauseMs: number
  /** Length from which a short pause ends an interval (ms). */
  readonly maxUtteranceMs: number
}

/** An interval of speech. */
export interface SpokenInterval {
  /** 16 kHz, -1 to 1. */
  readonly samples: Float32Array
  /** Positions in the audio written; intervals never overlap. */
  readonly startMs: number
  readonly endMs: number
}

/** Detectors that are used again by later streams: each loads the model. */
export class VoiceDetectorPool {
  readonly #sherpa: SherpaPackage
  readonly #options: VoiceDetectorOptions
  readonly #idle: Vad[] = []

  constructor(sherpa: SherpaPackage, options: VoiceDetectorOptions) {
    this.#sherpa = sherpa
    this.#options = options
  }

  /** Loads the first detector, so that an invalid model fails now. */
  warm(): void {
    this.#idle.push(this.#create())
  }

  acquire(): VoiceDetector {
    const vad = this.#idle.pop() ?? this.#create()
    return new VoiceDetector(vad, this.#options, () => {
      vad.reset()
      this.#idle.push(vad)
    })
  }

  #create(): Vad {
    const { model, threshold, pauseMs, maxUtteranceMs } = this.#options
    const sileroVad = {
      model,
      threshold,
      minSilenceDuration: pauseMs / 1000,
      minSpeechDuration: MIN_SPEECH_S,
      windowSize: WINDOW,
      maxSpeechDuration: maxUtteranceMs / 1000,
    }
    return new this.#sherpa.Vad({ sileroVad, sampleRate: SAMPLE_RATE, numThreads: 1, debug: 0 }, BUFFER_S)
  }
}

/**
 * Finds the intervals of speech in one stream.
 *
 *   quiet ──speech──▶ speaking ──pause, too long, or `finish`──▶ quiet
 */
export class VoiceDetector implements Disposable {
  readonly #vad: Vad
  readonly #options: VoiceDetectorOptions
  readonly #release: () => void
  #position = 0
  #start = 0
  /** End of the last interval. */
  #endMs = 0
  #speaking = false

  constructor(vad: Vad, options: VoiceDetectorOptions, release: () => void) {
    this.#vad = vad
    this.#options = options
    this.#release = release
  }

  get speaking(): boolean {
    return this.#speaking
  }

  /** Start of the interval in progress (ms). */
  get startMs(): number {
    return Math.max(this.#endMs, Math.round(durationMs(this.#start)))
  }

  /** Length of the interval in progress (samples). */
  get held(): number {
    return this.#speaking ? this.#position - this.#start : 0
  }

  /** Accepts `WINDOW` samples. Returns the interval that ends with them. */
  accept(window: Float32Array): SpokenInterval | undefined {
    this.#vad.acceptWaveform(window)
    this.#position += window.length
    if (!this.#speaking && this.#vad.isDetected()) {
      this.#speaking = true
      this.#start = Math.max(0, this.#position - ONSET_DELAY)
    }
    if (this.#speaking && durationMs(this.held) > this.#options.maxUtteranceMs * HARD_CUT) this.#vad.flush()
    return this.#take()
  }

  /** Ends the interval in progress, as the audio has stopped. */
  finish(): SpokenInterval | undefined {
    if (!this.#speaking) return undefined
    this.#vad.flush()
    const interval = this.#take()
    this.#vad.reset()
    this.#speaking = false
    return interval
  }

  [Symbol.dispose](): void {
    this.#release()
  }

  #take(): SpokenInterval | undefined {
    if (this.#vad.isEmpty()) return undefined
    const { samples } = this.#vad.front(false)
    this.#vad.pop()
    const { startMs } = this
    this.#speaking = false
    const endMs = Math.round(durationMs(Math.min(this.#position, this.#start + samples.length)))
    this.#endMs = Math.max(endMs, startMs + 1)
    return { samples, startMs, endMs: this.#endMs }
  }
}

/** Collects audio of any length in windows, as the detector expects them. */
export class WindowBuffer {
  readonly #samples = new Float32Array(WINDOW)
  #filled = 0

  /** Calls `each` with every complete window of `pcm` and what remained before; the window is used again afterwards. */
  write(pcm: Int16Array, each: (window: Float32Array) => void): void {
    for (const sample of pcm) {
      this.#samples[this.#filled++] = sample / 32_768
      if (this.#filled < WINDOW) continue
      this.#filled = 0
      each(this.#samples)
    }
  }

  /** Drops an incomplete window. */
  clear(): void {
    this.#filled = 0
  }
}
