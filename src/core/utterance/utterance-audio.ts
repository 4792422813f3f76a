import type { Mp3Length } from '../../transcode/encoded-voice.ts'
import type { LoudnessNormalizer } from '../../transcode/loudness-normalizer.ts'
import { FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE } from '../../transcode/pcm.ts'
import { VoiceDecoder, type VoiceDecoderOptions } from '../../transcode/voice-decoder.ts'
import type { UtteranceReader } from './speech-audio.ts'

/** Frames in one block: a fifth of a second, 6.4 kB. */
const BLOCK_FRAMES = 10
const BLOCK_SAMPLES = BLOCK_FRAMES * FRAME_SAMPLES
/** Blocks kept for later utterances: 3.3 MB. */
const SPARE_BLOCKS = 512

/** Fade at both edges of an utterance, which prevents clicks (samples). */
const FADE_SAMPLES = 80

const spare: Int16Array[] = []

/**
 * The voice of one utterance as frames of 16 kHz: written once while it is decoded, read by every listener at their own
 * pace. Readers must be created before reading starts; audio that all of them have read is freed at once, so a long
 * translation needs little memory.
 */
export class UtteranceAudio {
  /** The first blocks are undefined once all readers have read them. */
  readonly #blocks: (Int16Array | undefined)[] = []
  readonly #readers = new Set<FrameReader>()
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

  /** Creates a reader at its start. Throws once that has been freed. */
  reader(): UtteranceReader {
    const reader = new FrameReader()
    reader.join(this)
    return reader
  }

  /** From now on, `reader` reads here. Throws if its frame has been freed. */
  enter(reader: FrameReader): void {
    if (!this.reaches(reader.at))
      throw new RangeError(`${this.#freed} blocks of this audio were given back already`)
    this.#readers.add(reader)
    this.#read = true
  }

  left(reader: FrameReader): void {
    this.#readers.delete(reader)
    this.#free()
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

/** Frames between two comparisons of the readers' positions: 200 ms. */
const COMPARE_FRAMES = 10
/**
 * Frames after which a missing one is decoded at once. Before, the start of a voice waits for one tick, because its level is
 * found from as much of it as possible.
 */
const PATIENT_FRAMES = 10
/** Attempts to decode a frame that is needed at once: the first samples of a file are not audible. */
const MOST_URGENT = 4

/** Provides the readers of a voice with decoded audio. */
export interface AudioSupply {
  /** Finds audio that `reader` joins, if there is any. */
  attach(reader: FrameReader): void
  /** Decodes more of `audio`, for a reader that has nothing to read. Returns false if that is not possible now. */
  pull(audio: UtteranceAudio): boolean
  /** `reader` has read another 200 ms. */
  moved(reader: FrameReader): void
  /** `reader` was closed; it has read from `audio`. */
  left(reader: FrameReader, audio: UtteranceAudio | undefined): void
  /** True if nothing remains from which samples could be decoded. */
  over(): boolean
}

/** A position in an utterance. With a supply, it changes to other audio of the same utterance when it has to. */
export class FrameReader implements UtteranceReader {
  at = 0
  /** The first frame that must not change: the last one returned. */
  from = 0
  readonly #supply: AudioSupply | undefined
  #audio: UtteranceAudio | undefined
  #closed = false
  /** The next frame was missing. */
  #missed = false

  constructor(supply?: AudioSupply) {
    this.#supply = supply
  }

  /** The audio from which it reads. */
  get audio(): UtteranceAudio | undefined {
    return this.#audio
  }

  get done(): boolean {
    const audio = this.#audio
    return audio ? audio.complete && this.at >= audio.frames : (this.#supply?.over() ?? true)
  }

  next(): Int16Array | undefined {
    if (this.#closed) return undefined
    const supply = this.#supply
    if (!this.#audio) supply?.attach(this)
    const audio = this.#audio
    if (!audio) return undefined
    this.from = this.at
    audio.passed(this.at)
    let frame = audio.frame(this.at)
    const urgent = this.at >= PATIENT_FRAMES || this.#missed
    this.#missed = !frame
    for (let n = 0; supply && urgent && !frame && n < MOST_URGENT && supply.pull(audio); n++)
      frame = audio.frame(this.at)
    if (!frame) return undefined
    this.at++
    if (this.at % COMPARE_FRAMES === 0) supply?.moved(this)
    return frame
  }

  join(audio: UtteranceAudio): void {
    this.#audio = audio
    this.from = this.at
    audio.enter(this)
  }

  leave(): void {
    this.#audio?.left(this)
    this.#audio = undefined
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    const audio = this.#audio
    this.leave()
    this.#supply?.left(this, audio)
  }
}

/**
 * Decoding continues when the reader furthest ahead has less than this left, and stops above the second amount (frames: 0.2
 * and 0.24 s). As a slice is more than half a second, 0.8 s remain at most.
 */
const LEAST_AHEAD = 10
const MOST_AHEAD = 12
/** With less than this ahead, decoding is urgent (frames: 80 ms). */
const URGENT_AHEAD = 4

/** mp3 frames in the first slice of a voice: about 150 ms, so that it can be played at once. */
export const FIRST_SLICE = 4
/** mp3 frames in every other slice: more than half a second of audio, less than 0.5 ms of work. */
export const SLICE = 16

export interface VoicePassOptions extends Omit<VoiceDecoderOptions, 'onPcm'> {
  /** Used by this pass only. */
  readonly leveler?: LoudnessNormalizer | undefined
  /** Samples to skip at the start. */
  readonly skip?: number
}

/** One run of the decoder through a voice. It decodes up to 0.8 s more than its readers have read. */
export class VoicePass {
  readonly audio = new UtteranceAudio()
  readonly #decoder: VoiceDecoder
  readonly #leveler: LoudnessNormalizer | undefined
  #skip: number
  /** More is decoded until enough is ahead. */
  #filling = true

  constructor({ leveler, skip = 0, ...decoding }: VoicePassOptions) {
    this.#leveler = leveler
    this.#skip = skip
    this.#decoder = new VoiceDecoder({ ...decoding, onPcm: pcm => this.#play(pcm) })
  }

  get stats(): VoiceDecoder['stats'] {
    return this.#decoder.stats
  }

  get format(): VoiceDecoder['format'] {
    return this.#decoder.format
  }

  get runs(): VoiceDecoder['runs'] {
    return this.#decoder.runs
  }

  /** Position of the next byte to be read. */
  get at(): number {
    return this.#decoder.at
  }

  /** Length of the audio received and not yet decoded (ms); `length` measures mp3. */
  leftMs(length: Mp3Length): number {
    if (this.audio.complete) return 0
    return Math.max(0, this.#decoder.leftMs(length) - (this.#skip / SAMPLE_RATE) * 1_000)
  }

  /** True if no more can be decoded until more bytes arrive. */
  get dry(): boolean {
    return this.audio.complete || this.#decoder.dry
  }

  /** True if the readers need more audio, and possibly more can be decoded. */
  get due(): boolean {
    return !this.dry && (this.#filling || this.audio.ahead < LEAST_AHEAD)
  }

  /** True if a reader needs more audio soon. */
  get urgent(): boolean {
    return this.audio.ahead < URGENT_AHEAD && !this.dry
  }

  /** Decodes at most `slices` mp3 frames or as much of samples. Returns false once all has been decoded. */
  decode(slices: number): boolean {
    if (this.audio.complete) return false
    if (this.dry) return true
    const more = this.#decoder.decode(slices)
    if (this.#leveler) this.audio.append(this.#leveler.take())
    this.#filling = this.audio.ahead < MOST_AHEAD
    if (!this.due) this.#decoder.park()
    if (!more) this.close()
    return more
  }

  /** Ends with what has been decoded, which stays available to the readers. Idempotent. */
  close(): void {
    this.#decoder.close()
    this.audio.finish()
  }

  #play(pcm: Int16Array): void {
    const left = Math.min(this.#skip, pcm.length)
    this.#skip -= left
    const rest = left === 0 ? pcm : pcm.subarray(left)
    if (this.#leveler) this.#leveler.write(rest)
    else this.audio.append(rest)
  }
}
