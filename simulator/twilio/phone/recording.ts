import { decodeMulaw } from '../../../src/transcode/g711.ts'
import { rms } from '../../../src/transcode/level.ts'
import { AUDIBLE_RMS } from '../../phone/phone-audio.ts'

/** Sample rate of the phone (Hz). */
export const PHONE_RATE = 8000
const SAMPLES_PER_MS = PHONE_RATE / 1000

interface Piece {
  /** First sample, counted from the start of the recording. */
  readonly at: number
  /** Number of its samples that were played. */
  length: number
  /** µ-law in base64; decoded only on demand. */
  readonly payload: string
}

/** Audio that a participant heard, each piece at its time, with silence where nothing played. */
export class Recording {
  readonly startedAt: number
  readonly #pieces: Piece[] = []
  #audibleUntil = Number.NEGATIVE_INFINITY

  /** `startedAt`: the moment of the first sample, in milliseconds of the call's clock. */
  constructor(startedAt: number) {
    this.startedAt = startedAt
  }

  /** End of the last audible audio (milliseconds of the call's clock), possibly in the future. */
  get audibleUntil(): number {
    return this.#audibleUntil
  }

  /** Adds `payload` (base64 of `bytes` µ-law samples), which starts to play at `at`; `audible`: see `isAudible`. */
  add(at: number, bytes: number, payload: string, audible: boolean): void {
    const last = this.#pieces.at(-1)
    const end = last ? last.at + last.length : 0
    const start = Math.max(end, Math.round((at - this.startedAt) * SAMPLES_PER_MS))
    this.#pieces.push({ at: start, length: bytes, payload })
    if (audible) this.#audibleUntil = at + bytes / SAMPLES_PER_MS
  }

  /** Removes the audio after `at`: it was never heard. */
  cut(at: number): void {
    this.#audibleUntil = Math.min(this.#audibleUntil, at)
    const end = Math.round((at - this.startedAt) * SAMPLES_PER_MS)
    for (let last = this.#pieces.at(-1); last && last.at + last.length > end; last = this.#pieces.at(-1)) {
      if (last.at >= end) this.#pieces.pop()
      else last.length = end - last.at
    }
  }

  /** Returns everything heard from `startedAt` until `until`: 8 kHz, mono. */
  pcm(until: number): Int16Array {
    return this.between(this.startedAt, until)
  }

  /** Returns the audio heard from `from` until `until`, with silence where audio was not played or is forgotten: 8 kHz, mono. */
  between(from: number, until: number): Int16Array {
    const first = Math.round((from - this.startedAt) * SAMPLES_PER_MS)
    const out = new Int16Array(Math.max(0, Math.round((until - this.startedAt) * SAMPLES_PER_MS) - first))
    for (const { at, length, payload } of this.#pieces) {
      const place = at - first
      if (place >= out.length) break
      if (place + length <= 0) continue
      const mulaw = Buffer.from(payload, 'base64').subarray(
        Math.max(0, -place),
        Math.min(length, out.length - place),
      )
      const start = Math.max(0, place)
      decodeMulaw(mulaw, out.subarray(start, start + mulaw.length))
    }
    return out
  }

  /** Discards the audio that had been heard to its end by `at`. */
  forget(at: number): void {
    const end = Math.round((at - this.startedAt) * SAMPLES_PER_MS)
    const kept = this.#pieces.findIndex(piece => piece.at + piece.length > end)
    this.#pieces.splice(0, kept < 0 ? this.#pieces.length : kept)
  }
}

/** Returns false for silence and comfort noise: µ-law in base64 below −50 dBFS. */
export function isAudible(payload: string): boolean {
  const mulaw = Buffer.from(payload, 'base64')
  const pcm = new Int16Array(mulaw.length)
  decodeMulaw(mulaw, pcm)
  return rms(pcm) >= AUDIBLE_RMS
}
