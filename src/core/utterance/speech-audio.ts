import { FADE_SAMPLES } from '../../transcode/fade.ts'
import { FRAME_MS, FRAME_SAMPLES } from '../../transcode/pcm.ts'

/** Frames in one block: a fifth of a second, 6.4 kB. */
const BLOCK_FRAMES = 10
const BLOCK_SAMPLES = BLOCK_FRAMES * FRAME_SAMPLES
/** Blocks kept for later utterances: 3.3 MB. What that saves: see `FragmentPool`. */
const SPARE_BLOCKS = 512

const spare: Int16Array[] = []

/**
 * The voice of one utterance at 16 kHz, written once, shared by its listeners: each has a reader, which is a position. What all
 * readers have passed is freed.
 */
export class SpeechAudio {
  /** The first blocks are undefined once they are freed. */
  readonly #blocks: (Int16Array | undefined)[] = []
  readonly #readers = new Set<SpeechReader>()
  readonly #abandoned: () => void
  #samples = 0
  #freed = 0
  #complete = false

  /** `abandoned` is called when its last reader has left. */
  constructor(abandoned: () => void = () => {}) {
    this.#abandoned = abandoned
  }

  /** True once nothing more follows, so that its length is final. */
  get complete(): boolean {
    return this.#complete
  }

  /** Frames that can be read. The last samples are held back until it is known if they are faded out. */
  get frames(): number {
    return this.#complete
      ? Math.ceil(this.#samples / FRAME_SAMPLES)
      : Math.floor(Math.max(0, this.#samples - FADE_SAMPLES) / FRAME_SAMPLES)
  }

  /** Frames that the reader furthest ahead can still read. */
  get ahead(): number {
    let furthest = 0
    for (const { at } of this.#readers) furthest = Math.max(furthest, at)
    return this.frames - furthest
  }

  /** Length so far (ms). */
  get durationMs(): number {
    return (this.#samples / FRAME_SAMPLES) * FRAME_MS
  }

  /** Creates a reader at its start, which another reader must have kept. The caller closes it. */
  reader(): SpeechReader {
    if (this.#freed > 0)
      throw new RangeError(`the start must be kept by a reader, but ${this.#freed} blocks were freed`)
    const reader = new SpeechReader(this)
    this.#readers.add(reader)
    return reader
  }

  /** Appends a copy of 16 kHz samples. */
  append(pcm: Int16Array): void {
    if (this.#complete) return
    for (let from = 0; from < pcm.length; ) {
      const at = this.#samples % BLOCK_SAMPLES
      if (at === 0) this.#blocks.push(spare.pop() ?? new Int16Array(BLOCK_SAMPLES))
      const count = Math.min(pcm.length - from, BLOCK_SAMPLES - at)
      const block = this.#blocks.at(-1)!
      block.set(pcm.subarray(from, from + count), at)
      for (let n = this.#samples; n < Math.min(FADE_SAMPLES, this.#samples + count); n++)
        block[n] = Math.round((block[n]! * n) / FADE_SAMPLES)
      this.#samples += count
      from += count
    }
  }

  /** Completes it: fades it out, and pads its last frame with silence. Idempotent. */
  finish(): void {
    if (this.#complete) return
    this.#complete = true
    const end = this.#samples % BLOCK_SAMPLES
    if (end > 0) this.#blocks.at(-1)!.fill(0, end)
    const length = Math.min(FADE_SAMPLES, this.#samples)
    for (let n = 0; n < length; n++) {
      const at = this.#samples - 1 - n
      const block = this.#blocks[Math.floor(at / BLOCK_SAMPLES)]
      if (block) block[at % BLOCK_SAMPLES] = Math.round((block[at % BLOCK_SAMPLES]! * n) / length)
    }
  }

  /** Returns frame `index`, for readers. */
  frame(index: number): Int16Array | undefined {
    if (index >= this.frames) return undefined
    const at = (index % BLOCK_FRAMES) * FRAME_SAMPLES
    return this.#blocks[Math.floor(index / BLOCK_FRAMES)]?.subarray(at, at + FRAME_SAMPLES)
  }

  /** A reader has passed a block: frees those that all readers have passed. */
  passed(): void {
    // The block being written stays.
    let passed = this.#complete ? this.#blocks.length : Math.floor(this.#samples / BLOCK_SAMPLES)
    for (const { kept } of this.#readers) passed = Math.min(passed, Math.floor(kept / BLOCK_FRAMES))
    for (; this.#freed < passed; this.#freed++) {
      const block = this.#blocks[this.#freed]!
      this.#blocks[this.#freed] = undefined
      if (spare.length < SPARE_BLOCKS) spare.push(block)
    }
  }

  /** `reader` is closed. */
  left(reader: SpeechReader): void {
    if (!this.#readers.delete(reader)) return
    if (this.#readers.size === 0) this.#abandoned()
    this.passed()
  }
}

/** One position in an utterance; what follows is kept for it. */
export class SpeechReader {
  readonly #audio: SpeechAudio
  #at = 0
  #kept = 0

  constructor(audio: SpeechAudio) {
    this.#audio = audio
  }

  /** Frames read or skipped so far. */
  get at(): number {
    return this.#at
  }

  /** The first frame that must not change: the last one returned. */
  get kept(): number {
    return this.#kept
  }

  /** True if all frames were read and no more follow. */
  get done(): boolean {
    return this.#audio.complete && this.#at >= this.#audio.frames
  }

  /** Returns the next frame, valid until the following call; undefined if it is not available yet. */
  next(): Int16Array | undefined {
    this.#keep()
    const frame = this.#audio.frame(this.#at)
    if (frame) this.#at++
    return frame
  }

  /** Moves forwards to frame `at`. */
  skipTo(at: number): void {
    this.#at = Math.max(this.#at, at)
    this.#keep()
  }

  /** Returns a copy of what follows so far, and does not move. */
  rest(): Int16Array {
    const pcm = new Int16Array(Math.max(0, this.#audio.frames - this.#at) * FRAME_SAMPLES)
    for (let at = 0; at < pcm.length; at += FRAME_SAMPLES)
      pcm.set(this.#audio.frame(this.#at + at / FRAME_SAMPLES)!, at)
    return pcm
  }

  /** Idempotent. */
  close(): void {
    this.#audio.left(this)
  }

  #keep(): void {
    const before = this.#kept
    this.#kept = this.#at
    if (Math.floor(this.#at / BLOCK_FRAMES) > Math.floor(before / BLOCK_FRAMES)) this.#audio.passed()
  }
}
