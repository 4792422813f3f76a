import { rms } from '../../transcode/level.ts'
import { decodeMulaw } from '../../transcode/mulaw.ts'

/** The telephone's samples a second. */
export const PHONE_RATE = 8000
const SAMPLES_PER_MS = PHONE_RATE / 1000
/** Audio below this level (RMS of 16-bit samples, −50 dBFS) is silence to a listener. */
const AUDIBLE_RMS = 104

interface Piece {
  /** First sample, counted from the beginning of the recording. */
  readonly at: number
  /** Samples that were heard of it. */
  length: number
  /** µ-law in base64; decoded only when somebody listens. */
  readonly payload: string
}

/** What a party heard, each piece at the moment it was heard, silence where nothing played. */
export class Recording {
  readonly startedAt: number
  readonly #pieces: Piece[] = []
  #audibleUntil = Number.NEGATIVE_INFINITY

  /** `startedAt`: the moment of the first sample, in milliseconds of the call's clock. */
  constructor(startedAt: number) {
    this.startedAt = startedAt
  }

  /** The end of the last audio that was more than silence (milliseconds of the call's clock), which may be still to come. */
  get audibleUntil(): number {
    return this.#audibleUntil
  }

  /** `payload` (base64 of `bytes` µ-law samples) begins to be heard at `at`. */
  add(at: number, bytes: number, payload: string): void {
    const last = this.#pieces.at(-1)
    const end = last ? last.at + last.length : 0
    const start = Math.max(end, Math.round((at - this.startedAt) * SAMPLES_PER_MS))
    this.#pieces.push({ at: start, length: bytes, payload })
    if (isAudible(payload)) this.#audibleUntil = at + bytes / SAMPLES_PER_MS
  }

  /** What would have been heard after `at` never was. */
  cut(at: number): void {
    this.#audibleUntil = Math.min(this.#audibleUntil, at)
    const end = Math.round((at - this.startedAt) * SAMPLES_PER_MS)
    for (let last = this.#pieces.at(-1); last && last.at + last.length > end; last = this.#pieces.at(-1)) {
      if (last.at >= end) this.#pieces.pop()
      else last.length = end - last.at
    }
  }

  /** Everything heard from `startedAt` until `until`: 8 kHz, mono. */
  pcm(until: number): Int16Array {
    return this.between(this.startedAt, until)
  }

  /** What was heard from `from` until `until`, silence where nothing was or it is forgotten: 8 kHz, mono. */
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

  /** Keeps nothing of what had been heard to its end by `at`. */
  forget(at: number): void {
    const end = Math.round((at - this.startedAt) * SAMPLES_PER_MS)
    const kept = this.#pieces.findIndex(piece => piece.at + piece.length > end)
    this.#pieces.splice(0, kept < 0 ? this.#pieces.length : kept)
  }
}

function isAudible(payload: string): boolean {
  const mulaw = Buffer.from(payload, 'base64')
  const pcm = new Int16Array(mulaw.length)
  decodeMulaw(mulaw, pcm)
  return rms(pcm) >= AUDIBLE_RMS
}
