import { FRAME_MS, FRAME_SAMPLES } from '../transcode/pcm.ts'

/** Frames in one block: a fifth of a second, 6.4 kB. */
const BLOCK_FRAMES = 10
const BLOCK_SAMPLES = BLOCK_FRAMES * FRAME_SAMPLES
/** Blocks kept for later utterances: 3.3 MB. */
const SPARE_BLOCKS = 512

/** Ramp at both edges of an utterance, so that neither clicks (samples). */
const FADE_SAMPLES = 80

/** A piece of memory with a view of each of its frames, so that reading makes no garbage. */
interface Block {
  readonly pcm: Int16Array
  readonly frames: readonly Int16Array[]
}

const spare: Block[] = []

function newBlock(): Block {
  const pcm = new Int16Array(BLOCK_SAMPLES)
  const frames = Array.from({ length: BLOCK_FRAMES }, (_, n) =>
    pcm.subarray(n * FRAME_SAMPLES, (n + 1) * FRAME_SAMPLES),
  )
  return { pcm, frames }
}

/** One listener's place in an utterance. */
export interface UtteranceReader {
  /** Frames taken so far. */
  readonly at: number
  /** The next frame, valid until the one after it is asked for; undefined when it is not there (yet). */
  next(): Int16Array | undefined
  /** Needs no more. Idempotent. */
  close(): void
}

/**
 * The voice of one utterance as frames of 16 kHz: written once as it is decoded, read by every listener at their own
 * pace. Listeners take their place before the first is read on; what all of them have passed is given back at once,
 * so a long translation needs little memory.
 */
export class UtteranceAudio {
  /** The first ones are undefined once passed by all. */
  readonly #blocks: (Block | undefined)[] = []
  readonly #readers = new Set<Reader>()
  #samples = 0
  #freed = 0
  #complete = false
  /** Somebody took a place. */
  #read = false

  /** Frames that may be read. The last samples are held back until it is known whether they are faded out. */
  get frames(): number {
    return this.#complete
      ? Math.ceil(this.#samples / FRAME_SAMPLES)
      : Math.floor(Math.max(0, this.#samples - FADE_SAMPLES) / FRAME_SAMPLES)
  }

  /** Nothing will be added. */
  get complete(): boolean {
    return this.#complete
  }

  /** It had readers, and all of them have left. Readers that come late start with those that are there, so no more come. */
  get abandoned(): boolean {
    return this.#read && this.#readers.size === 0
  }

  /** Length known so far (ms). */
  get durationMs(): number {
    return (this.#samples / FRAME_SAMPLES) * FRAME_MS
  }

  /** Takes a place at the beginning. Throws once the beginning has been given back. */
  reader(): UtteranceReader {
    if (this.#freed > 0) throw new RangeError(`${this.#freed} blocks of this audio were given back already`)
    const reader = new Reader(this, r => this.#left(r))
    this.#readers.add(reader)
    this.#read = true
    return reader
  }

  /** Adds samples of 16 kHz; they are copied. */
  append(pcm: Int16Array): void {
    if (this.#complete) return
    let from = 0
    while (from < pcm.length) {
      const at = this.#samples % BLOCK_SAMPLES
      if (at === 0) this.#blocks.push(spare.pop() ?? newBlock())
      const count = Math.min(pcm.length - from, BLOCK_SAMPLES - at)
      const block = this.#blocks[this.#blocks.length - 1]!.pcm
      block.set(pcm.subarray(from, from + count), at)
      this.#fadeIn(block, at, count)
      this.#samples += count
      from += count
    }
  }

  /** No more comes: the last frame is filled up with silence behind a short fade. Idempotent. */
  finish(): void {
    if (this.#complete) return
    this.#complete = true
    const at = this.#samples % BLOCK_SAMPLES || BLOCK_SAMPLES
    this.#blocks.at(-1)?.pcm.fill(0, at, Math.ceil(at / FRAME_SAMPLES) * FRAME_SAMPLES)
    this.#fadeOut()
    this.#free()
  }

  /** Frame `index`, for readers. */
  frame(index: number): Int16Array | undefined {
    if (index >= this.frames) return undefined
    return this.#blocks[Math.floor(index / BLOCK_FRAMES)]?.frames[index % BLOCK_FRAMES]
  }

  /** A reader begins a new block: those before it may be of no more use. */
  passed(at: number): void {
    if (at % BLOCK_FRAMES === 0) this.#free()
  }

  #left(reader: Reader): void {
    this.#readers.delete(reader)
    this.#free()
  }

  /** Gives back what every reader has passed; when the last has left, everything once nothing is added. */
  #free(): void {
    if (!this.#read || (this.#readers.size === 0 && !this.#complete)) return
    let passed = this.#blocks.length
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

  /** The fade may reach back into the block before the last. */
  #fadeOut(): void {
    const length = Math.min(FADE_SAMPLES, this.#samples)
    for (let n = 0; n < length; n++) {
      const at = this.#samples - 1 - n
      const block = this.#blocks[Math.floor(at / BLOCK_SAMPLES)]?.pcm
      if (block) block[at % BLOCK_SAMPLES] = Math.round((block[at % BLOCK_SAMPLES]! * n) / length)
    }
  }
}

class Reader implements UtteranceReader {
  at = 0
  /** The first frame that must stay as it is: the one lent last. */
  from = 0
  readonly #audio: UtteranceAudio
  readonly #leave: (reader: Reader) => void

  constructor(audio: UtteranceAudio, leave: (reader: Reader) => void) {
    this.#audio = audio
    this.#leave = leave
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
