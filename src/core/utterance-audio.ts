import { FRAME_MS, FRAME_SAMPLES } from '../transcode/pcm.ts'

/** Frames in one block: half a second, 16 kB. */
const BLOCK_FRAMES = 25
const BLOCK_SAMPLES = BLOCK_FRAMES * FRAME_SAMPLES
const SPARE_BLOCKS = 256

/** Ramp at both edges of an utterance, so that neither clicks (samples). */
const FADE_SAMPLES = 80

/** Half a second of memory with a view of each of its frames, so that reading makes no garbage. */
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

/**
 * The voice of one utterance as frames of 16 kHz: written once as it is decoded, read by every listener at their own
 * pace, however late they come. Whoever reads holds it (`retain`) and lets go (`release`); after the last one the
 * memory serves the next utterance.
 */
export class UtteranceAudio {
  readonly #blocks: Block[] = []
  #samples = 0
  #complete = false
  #holders = 1

  /** Whole frames that can be read now. */
  get frames(): number {
    return this.#complete
      ? Math.ceil(this.#samples / FRAME_SAMPLES)
      : Math.floor(this.#samples / FRAME_SAMPLES)
  }

  /** Nothing will be added. */
  get complete(): boolean {
    return this.#complete
  }

  /** Length known so far (ms). */
  get durationMs(): number {
    return (this.#samples / FRAME_SAMPLES) * FRAME_MS
  }

  /** Adds samples of 16 kHz; they are copied. */
  append(pcm: Int16Array): void {
    if (this.#complete || this.#holders === 0) return
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
    if (this.#samples === 0 || this.#holders === 0) return
    const at = this.#samples % BLOCK_SAMPLES || BLOCK_SAMPLES
    const block = this.#blocks[this.#blocks.length - 1]!.pcm
    const length = Math.min(FADE_SAMPLES, at)
    for (let n = 0; n < length; n++) block[at - 1 - n] = Math.round((block[at - 1 - n]! * n) / length)
    block.fill(0, at, Math.ceil(at / FRAME_SAMPLES) * FRAME_SAMPLES)
  }

  /** Frame `index`, as a view that holds while this is retained; undefined when it is not there (yet). */
  frame(index: number): Int16Array | undefined {
    if (index >= this.frames || index < 0) return undefined
    return this.#blocks[Math.floor(index / BLOCK_FRAMES)]?.frames[index % BLOCK_FRAMES]
  }

  retain(): void {
    if (this.#holders === 0) throw new RangeError('this audio was given back already')
    this.#holders++
  }

  /** Lets go; the last one gives the memory back. */
  release(): void {
    if (this.#holders === 0) throw new RangeError('this audio was given back already')
    if (--this.#holders > 0) return
    for (const block of this.#blocks) if (spare.length < SPARE_BLOCKS) spare.push(block)
    this.#blocks.length = 0
    this.#samples = 0
    this.#complete = true
  }

  #fadeIn(block: Int16Array, at: number, count: number): void {
    if (this.#samples >= FADE_SAMPLES) return
    const end = Math.min(count, FADE_SAMPLES - this.#samples)
    for (let n = 0; n < end; n++)
      block[at + n] = Math.round((block[at + n]! * (this.#samples + n)) / FADE_SAMPLES)
  }
}
