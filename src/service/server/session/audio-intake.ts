import type { Clock } from '../../../common/clock.ts'
import { rms } from '../../../transcode/level.ts'
import { durationMs, FRAME_SAMPLES, samplesOf } from '../../../transcode/pcm.ts'
import { createResampler, type Resampler } from '../../../transcode/resample/resampler.ts'
import { VoiceActivity } from '../../../transcode/voice-activity.ts'
import type { SendAudio } from '../../contract.ts'
import type { SpeechStream } from '../../engines/engine.ts'
import { ServiceError } from '../errors.ts'
import type { KeyUsage } from '../keys/key-holder.ts'
import { shown } from '../query.ts'

/** Number of fragments with speech that are kept: half a minute at 60 ms each. */
const REMEMBERED = 512

/** Records when the speech of a stream arrived, to measure how long recognition takes. */
export class SpeechEnds {
  readonly #clock: Clock
  readonly #activity = new VoiceActivity()
  /** Fragments with speech: the position of its end (ms of the audio), and the arrival time (clock ms). */
  readonly #loud: { readonly toMs: number; readonly at: number }[] = []
  #samples = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Records the arrival of a 16 kHz fragment. */
  came(pcm: Int16Array): void {
    let toMs: number | undefined
    for (let at = 0; at < pcm.length; at += FRAME_SAMPLES) {
      const piece = pcm.subarray(at, at + FRAME_SAMPLES)
      this.#samples += piece.length
      const position = durationMs(this.#samples)
      if (this.#activity.frame(rms(piece), position)) toMs = position
    }
    if (toMs === undefined) return
    if (this.#loud.length >= REMEMBERED) this.#loud.shift()
    this.#loud.push({ toMs, at: this.#clock.now() })
  }

  /**
   * Returns when the last speech of the utterance ending at `endMs` of the audio arrived (clock ms), or undefined if no
   * speech was found. Forgets earlier fragments.
   */
  arrivalOf(endMs: number): number | undefined {
    let last: number | undefined
    for (let first = this.#loud[0]; first && first.toMs <= endMs; first = this.#loud[0]) {
      last = first.at
      this.#loud.shift()
    }
    return last
  }
}

export interface AudioIntakeLimits {
  readonly maxFragmentBytes: number
  readonly maxBacklogMs: number
}

/** Passes a client's fragments to the recognizer: validated, resampled to 16 kHz, and with a bounded backlog. */
export class AudioIntake {
  readonly #stream: SpeechStream
  readonly #rate: number
  readonly #resampler: Resampler
  readonly #limits: AudioIntakeLimits
  readonly #holder: Pick<KeyUsage, 'takeAudio'>
  readonly #ends: SpeechEnds
  /** Duration of the accepted audio (ms). */
  takenMs = 0

  /**
   * Writes into `stream`, which the caller still owns. The audio is counted by `holder`, and `ends` records its
   * arrival.
   */
  constructor(
    stream: SpeechStream,
    { sampleRate }: SendAudio,
    limits: AudioIntakeLimits,
    holder: Pick<KeyUsage, 'takeAudio'>,
    ends: SpeechEnds,
  ) {
    this.#stream = stream
    this.#rate = sampleRate
    this.#resampler = createResampler(sampleRate, 16_000)
    this.#limits = limits
    this.#holder = holder
    this.#ends = ends
  }

  /** Accepts one fragment, or throws a `ServiceError` without using any of it. */
  take(fragment: unknown): void {
    const bytes = bytesOfFragment(fragment)
    const { maxFragmentBytes, maxBacklogMs } = this.#limits
    if (bytes.length > maxFragmentBytes)
      throw new ServiceError(
        'fragment_too_large',
        `the fragment has ${bytes.length} bytes, at most ${maxFragmentBytes} are allowed`,
      )
    if (bytes.length % 2 !== 0)
      throw new ServiceError('odd_byte_count', `the fragment has ${bytes.length} bytes, a sample has 2`)
    const ms = (bytes.length / 2 / this.#rate) * 1000
    if (this.#stream.queuedMs + ms > maxBacklogMs)
      throw new ServiceError(
        'backlog_full',
        `${Math.round(this.#stream.queuedMs)} ms of audio are already waiting, at most ${maxBacklogMs} are allowed`,
      )
    this.#holder.takeAudio(ms)
    this.takenMs += ms
    const pcm = this.#resampler.process(samplesOf(bytes))
    this.#ends.came(pcm)
    this.#stream.write(pcm)
  }
}

function bytesOfFragment(fragment: unknown): Uint8Array {
  if (fragment instanceof Uint8Array) return fragment
  if (fragment instanceof ArrayBuffer) return new Uint8Array(fragment)
  throw new ServiceError('not_binary', `the fragment is ${shown(fragment)}, allowed: binary linear16`)
}
