import type { Mp3Tag } from './mp3-tag.ts'

/** Delay of every layer III decoder in samples: 528 of the filter bank and one more (LAME's technical FAQ). */
export const DECODER_DELAY = 529

/**
 * Default number of silent samples before the audio of a file: LAME's 576 and the decoder's 529. It is also right for
 * all encoders based on LAME, which are nearly all.
 */
export const USUAL_DELAY = 576 + DECODER_DELAY

/**
 * Trims the samples that encoder and decoder add to the audio of a file: the delay at its start and, if the file
 * declares its length, the padding of its last frame. Positions are in samples at the file's own rate.
 */
export class Mp3Trim {
  /** Samples to drop at the start. */
  #lead = USUAL_DELAY
  /** Samples until the end of the audio, including those to drop at the start; Infinity if unknown. */
  #left = Infinity
  /** Samples to drop after that. */
  #filling = 0

  /** Starts a file with its `tag`, if any, and `samples` per frame. */
  start(tag: Mp3Tag | undefined, samples: number): void {
    this.#lead = tag?.delay === undefined ? USUAL_DELAY : tag.delay + DECODER_DELAY
    this.#left = Infinity
    this.#filling = 0
    if (tag?.frames === undefined || tag.padding === undefined) return
    // The decoder still holds its delay when the last frame is out, so it is subtracted from the padding.
    this.#filling = Math.min(Math.max(0, tag.padding - DECODER_DELAY), tag.frames * samples)
    this.#left = tag.frames * samples - this.#filling
  }

  /** Returns the audio part of the next decoded samples: `pcm` itself or a view into it. */
  cut(pcm: Int16Array): Int16Array {
    // The file continues beyond its declared length, so its end is unknown.
    if (this.#left === 0 && this.#filling === 0) this.#left = Infinity
    const from = Math.min(this.#lead, pcm.length)
    const sound = Math.min(this.#left, pcm.length)
    this.#lead -= from
    this.#left -= sound
    this.#filling -= Math.min(this.#filling, pcm.length - sound)
    const to = Math.max(from, sound)
    return from === 0 && to === pcm.length ? pcm : pcm.subarray(from, to)
  }
}
