import { FRAME_MS, FRAME_SAMPLES } from '../../transcode/pcm.ts'

/** Frames in one block: a fifth of a second, 6.4 kB. */
const BLOCK_FRAMES = 10
const BLOCK_SAMPLES = BLOCK_FRAMES * FRAME_SAMPLES
/** Blocks kept for later utterances: 3.3 MB. */
const SPARE_BLOCKS = 512

/** Fade at both edges of an utterance, which prevents clicks (samples). */
const FADE_SAMPLES = 80

const spare: Int16Array[] = []

/** One listener's position in an utterance. */
export interface UtteranceReader {
  /** Frames read so far. */
  readonly at: number
  /** True if all frames were read and no more follow. */
  readonly done: boolean
  /** Returns the next frame, valid until the following call; undefined if it is not available yet. */
  next(): Int16Array | undefined
  /** Releases the reader. Idempotent. */
  close(): void
}

/** Keeps an utterance available without its samples. */
export interface SpeechHold {
  /** True if it can be played from its start. */
  readonly whole: boolean
  /** From now on, only the last `frames` frames are kept. */
  keepEnd(frames: number): void
  /** Idempotent. */
  close(): void
}

/** The audio of an utterance, as playback sees it. */
export interface SpeechAudio {
  /** True once its length is final. */
  readonly complete: boolean
  /** Frames decoded so far; all of them if it is complete. */
  readonly frames: number
  /** Length received so far (ms). */
  readonly durationMs: number
  /** Encoded bytes held. */
  readonly bytes: number
  /** Creates a reader at its start, which must have been kept by a reader or hold. */
  reader(): UtteranceReader
  hold(): SpeechHold
  /** Returns a copy of the last `most` frames, or of all. It fills over the next ticks, faster than it is played. */
  copy(most: number): Int16Array
}

/**
 * The voice of one utterance as frames of 16 kHz: written once while it is decoded, read by every listener at their own
 * pace. Readers must be created before reading starts; audio that all of them have read is freed at once, so a long
 * translation needs little memory.
 */
export class UtteranceAudio {
  /** The first blocks are undefined once all readers have read them. */
  readonly #blocks: (Int16Array | undefined)[] = []
  readonly #readers = new Set<Reader>()
  #samples = 0
  #freed = 0
  #complete = false
  /** A reader was created. */
  #read = false

  /** Readable frames. The last samples are held back until it is known if they are faded out. */
  get frames(): number {
    return this.#complete
      ? Math.ceil(this.#samples / FRAME_SAMPLES)
      : Math.floor(Math.max(0, this.#samples - FADE_SAMPLES) / FRAME_SAMPLES)
  }

  /** Frames that the reader furthest ahead can still read; negative if it skipped frames that are not decoded yet. */
  get ahead(): number {
    let furthest = 0
    for (const { at } of this.#readers) furthest = Math.max(furthest, at)
    return this.frames - furthest
  }

  /** Samples so far. */
  get samples(): number {
    return this.#samples
  }

  /** True if the audio is complete. */
  get complete(): boolean {
    return this.#complete
  }

  /** True if it had readers and all of them have left. Its start is freed by then; late readers need another run. */
  get abandoned(): boolean {
    return this.#read && this.#readers.size === 0
  }

  /** Length known so far (ms). */
  get durationMs(): number {
    return (this.#samples / FRAME_SAMPLES) * FRAME_MS
  }

  /** True if frame `at`, and those that follow, are available now or later. */
  reaches(at: number): boolean {
    return Math.floor(at / BLOCK_FRAMES) >= this.#freed
  }

  /** Creates a reader at frame `at`. Throws once that has been freed. */
  reader(at = 0): UtteranceReader {
    if (!this.reaches(at)) throw new RangeError(`${this.#freed} blocks of this audio were given back already`)
    const reader = new Reader(this, at, r => this.#left(r))
    this.#readers.add(reader)
    this.#read = true
    return reader
  }

  /** Appends a copy of 16 kHz samples. */
  append(pcm: Int16Array): void {
    if (this.#complete) return
    let from = 0
    while (from < pcm.length) {
      const at = this.#samples % BLOCK_SAMPLES
      if (at === 0) {
        // Skipped by all readers.
        this.#free()
        this.#blocks.push(spare.pop() ?? new Int16Array(BLOCK_SAMPLES))
      }
      const count = Math.min(pcm.length - from, BLOCK_SAMPLES - at)
      const block = this.#blocks[this.#blocks.length - 1]!
      block.set(pcm.subarray(from, from + count), at)
      this.#fadeIn(block, at, count)
      this.#samples += count
      from += count
    }
  }

  /** Completes the audio: fades it out and pads the last frame with silence. Idempotent. */
  finish(): void {
    if (this.#complete) return
    this.#complete = true
    const at = this.#samples % BLOCK_SAMPLES || BLOCK_SAMPLES
    this.#blocks.at(-1)?.fill(0, at, Math.ceil(at / FRAME_SAMPLES) * FRAME_SAMPLES)
    this.#fadeOut()
    this.#free()
  }

  /** Returns frame `index`, for readers. */
  frame(index: number): Int16Array | undefined {
    if (index >= this.frames) return undefined
    // A view for each read takes 0.1 µs; ten kept with each block would be a seventh of its memory.
    const at = (index % BLOCK_FRAMES) * FRAME_SAMPLES
    return this.#blocks[Math.floor(index / BLOCK_FRAMES)]?.subarray(at, at + FRAME_SAMPLES)
  }

  /** A reader enters a new block: earlier blocks are possibly free. */
  passed(at: number): void {
    if (at % BLOCK_FRAMES === 0) this.#free()
  }

  #left(reader: Reader): void {
    this.#readers.delete(reader)
    this.#free()
  }

  /**
   * Frees the blocks that every reader has read; after the last reader has left, all blocks once the audio is complete.
   */
  #free(): void {
    if (!this.#read || (this.#readers.size === 0 && !this.#complete)) return
    // A reader can be past the block being written.
    let passed = this.#complete ? this.#blocks.length : Math.floor(this.#samples / BLOCK_SAMPLES)
    for (const { from } of this.#readers) passed = Math.min(passed, Math.floor(from / BLOCK_FRAMES))
    for (; this.#freed < passed; this.#freed++) {
      const block = this.#blocks[this.#freed]
      this.#blocks[this.#freed] = undefined
      if (block && spare.length < SPARE_BLOCKS) spare.push(block)
    }
  }

  #fadeIn(block: Int16Array, at: number, count: number): void {
    if (this.#samples >= FADE_SAMPLES) return
    const end = Math.min(count, FADE_SAMPLES - this.#samples)
    for (let n = 0; n < end; n++)
      block[at + n] = Math.round((block[at + n]! * (this.#samples + n)) / FADE_SAMPLES)
  }

  /** The fade can extend into the previous block. */
  #fadeOut(): void {
    const length = Math.min(FADE_SAMPLES, this.#samples)
    for (let n = 0; n < length; n++) {
      const at = this.#samples - 1 - n
      const block = this.#blocks[Math.floor(at / BLOCK_SAMPLES)]
      if (block) block[at % BLOCK_SAMPLES] = Math.round((block[at % BLOCK_SAMPLES]! * n) / length)
    }
  }
}

class Reader implements UtteranceReader {
  at: number
  /** The first frame that must not change: the last one returned. */
  from: number
  readonly #audio: UtteranceAudio
  readonly #leave: (reader: Reader) => void

  constructor(audio: UtteranceAudio, at: number, leave: (reader: Reader) => void) {
    this.#audio = audio
    this.at = at
    this.from = at
    this.#leave = leave
  }

  get done(): boolean {
    return this.#audio.complete && this.at >= this.#audio.frames
  }

  next(): Int16Array | undefined {
    this.from = this.at
    this.#audio.passed(this.at)
    const frame = this.#audio.frame(this.at)
    if (frame) this.at++
    return frame
  }

  close(): void {
    this.#leave(this)
  }
}
