import type { SpeechHold, UtteranceReader } from './utterance-audio.ts'
import type { VoicePass } from './voice-pass.ts'

/** Frames between two comparisons of the readers' positions: 200 ms. */
const COMPARE_FRAMES = 10
/**
 * Frames after which a missing one is decoded at once. Before, the start of a voice waits for one tick, because its level is
 * found from as much of it as possible.
 */
const PATIENT_FRAMES = 10
/** Attempts to decode a frame that is needed at once: the first samples of a file are not audible. */
const MOST_URGENT = 4

/** The part of a voice that readers and holds use. */
export interface VoiceHost {
  /** Finds a run of the decoder for `reader`. */
  attach(reader: SharedReader): void
  /** Decodes more. */
  pull(pass: VoicePass): void
  moved(reader: SharedReader): void
  left(reader: SharedReader, pass: VoicePass | undefined): void
  released(hold: SharedHold): void
  trimmed(): void
  /** Frames of the voice. */
  frames(): number
  /** It is kept from its start. */
  whole(): boolean
  /** Nothing remains from which samples could be decoded. */
  over(): boolean
}

/** A reader that changes to another run of the decoder when it has to. */
export class SharedReader implements UtteranceReader {
  at = 0
  readonly #host: VoiceHost
  #pass: VoicePass | undefined
  #reader: UtteranceReader | undefined
  #closed = false
  /** The next frame was missing. */
  #missed = false

  constructor(host: VoiceHost) {
    this.#host = host
  }

  /** The run of the decoder from which it reads. */
  get pass(): VoicePass | undefined {
    return this.#pass
  }

  get done(): boolean {
    return this.#reader?.done ?? this.#host.over()
  }

  next(): Int16Array | undefined {
    if (this.#closed) return undefined
    if (!this.#pass) this.#host.attach(this)
    if (!this.#pass || !this.#reader) return undefined
    let frame = this.#reader.next()
    const urgent = this.at >= PATIENT_FRAMES || this.#missed
    this.#missed = !frame
    for (let n = 0; urgent && !frame && n < MOST_URGENT && !this.#pass.dry; n++) {
      this.#host.pull(this.#pass)
      frame = this.#reader.next()
    }
    if (!frame) return undefined
    this.at++
    if (this.at % COMPARE_FRAMES === 0) this.#host.moved(this)
    return frame
  }

  join(pass: VoicePass): void {
    this.#pass = pass
    this.#reader = pass.audio.reader(this.at)
  }

  leave(): void {
    this.#reader?.close()
    this.#reader = undefined
    this.#pass = undefined
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    const pass = this.#pass
    this.leave()
    this.#host.left(this, pass)
  }
}

export class SharedHold implements SpeechHold {
  /** Frames kept at the end. */
  frames = Number.POSITIVE_INFINITY
  readonly #host: VoiceHost

  constructor(host: VoiceHost) {
    this.#host = host
  }

  get whole(): boolean {
    return this.frames === Number.POSITIVE_INFINITY && this.#host.whole()
  }

  keepEnd(frames: number): void {
    if (this.#host.frames() <= frames) return
    this.frames = frames
    this.#host.trimmed()
  }

  close(): void {
    this.#host.released(this)
  }
}
