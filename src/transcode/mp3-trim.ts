import type { Mp3Tag } from './mp3-tag.ts'

/** Samples by which any decoder of layer III lags: 528 of the filter bank and one more (LAME's technical FAQ). */
export const DECODER_DELAY = 529

/**
 * Samples of silence before the sound of a file that does not say how many: LAME's 576 and the decoder's 529. It is
 * also right for every encoder built on LAME, which are nearly all.
 */
export const USUAL_DELAY = 576 + DECODER_DELAY

/**
 * Cuts off what encoder and decoder put around the sound of a file: the delay at its start and, where the file says
 * how long it is, the filling of its last frame. Positions are in samples at the file's own rate.
 */
export class Mp3Trim {
  /** Samples still to drop at the start. */
  #lead = USUAL_DELAY
  /** Samples from here until the sound ends, counting those to drop at the start; Infinity if not known. */
  #left = Infinity
  /** Samples to drop after that. */
  #filling = 0

  /** A file begins; `tag` is its own, if it has one, and `samples` those of one of its frames. */
  start(tag: Mp3Tag | undefined, samples: number): void {
    this.#lead = tag?.delay === undefined ? USUAL_DELAY : tag.delay + DECODER_DELAY
    this.#left = Infinity
    this.#filling = 0
    if (tag?.frames === undefined || tag.padding === undefined) return
    // What the decoder lags by is still inside it when the last frame is out, so it comes off the filling.
    this.#filling = Math.min(Math.max(0, tag.padding - DECODER_DELAY), tag.frames * samples)
    this.#left = tag.frames * samples - this.#filling
  }

  /** The part of the next decoded samples that is sound: `pcm` itself or a view into it. */
  cut(pcm: Int16Array): Int16Array {
    // A file that goes on beyond what its tag promised: nothing more is known of it.
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
