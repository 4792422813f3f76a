import { type FileHandle, open } from 'node:fs/promises'
import { bytesOf, FRAME_SAMPLES, SAMPLE_RATE } from '../transcode/pcm.ts'
import { wavHeader } from '../transcode/wav.ts'

/** Number of samples per write: one second. */
const PIECE_SAMPLES = SAMPLE_RATE
/** Maximum number of pieces queued for the disk; audio above it is dropped and counted. */
const MOST_WAITING = 8
const HEADER_BYTES = 44
/** Maximum size that a header can describe (bytes of audio, 4 GiB: 37 hours). */
const MOST_BYTES = 0xffff_ffff - 36 - 2 * PIECE_SAMPLES

/** Result of a track. */
export interface TrackEnd {
  /** Duration of the file, including silence (ms). */
  readonly durationMs: number
  /** Audio dropped because the disk was too slow, replaced with silence (ms). */
  readonly lostMs: number
  /** The disk failed: the file ends early. */
  readonly failed: boolean
}

/** Callbacks for problems of a track, called at once. */
export interface TrackTrouble {
  /** The disk failed with this code: the file ends here. */
  failed(code: string): void
  /** The disk was too slow for this much audio (ms). */
  lost(ms: number): void
}

const UNTOLD: TrackTrouble = { failed() {}, lost() {} }

/**
 * Writes one track of a recording to a WAV file as it arrives: frames at their position in the track’s time, silence
 * between them. Buffers a few seconds at most, regardless of the disk. Until it is closed, the header marks the length
 * as unknown, so that players can read the file after a crash.
 */
export class TrackFile {
  readonly path: string
  readonly #file: Promise<FileHandle>
  readonly #trouble: TrackTrouble
  readonly #idle: Int16Array[] = []
  #piece: Int16Array<ArrayBufferLike> = new Int16Array(PIECE_SAMPLES)
  /** `#piece` contains audio. */
  #sounds = false
  /** Samples before `#piece`. */
  #before = 0
  /** Samples in `#piece`. */
  #filled = 0
  #waiting = 0
  #writing: Promise<void>
  #lost = 0
  #failed = false
  #closed: Promise<TrackEnd> | undefined

  /** Opens the file, which must not exist. Failures are reported to `trouble` and in the result of the track. */
  constructor(path: string, trouble: TrackTrouble = UNTOLD) {
    this.path = path
    this.#trouble = trouble
    this.#file = open(path, 'wx', 0o600)
    this.#writing = this.#file
      .then(file => file.write(wavHeader(SAMPLE_RATE, 1, Infinity), 0, HEADER_BYTES, 0))
      .then(
        () => {},
        error => this.#fail(error),
      )
  }

  /** Current duration (ms). */
  get durationMs(): number {
    return ((this.#before + this.#filled) * 1000) / SAMPLE_RATE
  }

  /**
   * Writes a (borrowed) frame at `atMs` of the track. A frame that starts before the current end, as after a short
   * clock jump, is appended.
   */
  write(atMs: number, frame: Int16Array): void {
    if (this.#closed || this.#failed) return
    this.silenceTo(atMs)
    this.#put(frame)
  }

  /**
   * Fills with silence up to `atMs`. Gaps of less than `least` samples are ignored, since clocks are not exact to a
   * frame.
   */
  silenceTo(atMs: number, least = FRAME_SAMPLES): void {
    if (this.#closed || this.#failed) return
    let missing = Math.round((atMs * SAMPLE_RATE) / 1000) - this.#before - this.#filled
    if (missing < least) return
    while (missing > 0 && !this.#failed) {
      const count = Math.min(missing, PIECE_SAMPLES - this.#filled)
      this.#piece.fill(0, this.#filled, this.#filled + count)
      this.#advance(count)
      missing -= count
    }
  }

  /** Writes the remaining audio and the header, and closes the file. Idempotent, never rejects. */
  close(): Promise<TrackEnd> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  #fail(error: unknown): void {
    if (this.#failed) return
    this.#failed = true
    this.#trouble.failed(error instanceof Error && 'code' in error ? String(error.code) : 'unknown')
  }

  #put(pcm: Int16Array): void {
    for (let at = 0; at < pcm.length; ) {
      const count = Math.min(pcm.length - at, PIECE_SAMPLES - this.#filled)
      this.#piece.set(pcm.subarray(at, at + count), this.#filled)
      this.#sounds = true
      this.#advance(count)
      at += count
    }
  }

  #advance(count: number): void {
    this.#filled += count
    if (this.#filled === PIECE_SAMPLES) this.#send()
  }

  /** Passes the piece to the disk and starts another. */
  #send(): void {
    const count = this.#filled
    const at = this.#before
    this.#before += count
    this.#filled = 0
    // Holes in a file read as zeros.
    if (!this.#sounds) return
    this.#sounds = false
    if (this.#waiting === MOST_WAITING || this.#before * 2 > MOST_BYTES) {
      this.#lost += count
      this.#trouble.lost((count * 1000) / SAMPLE_RATE)
      return
    }
    const piece = this.#piece
    this.#piece = this.#idle.pop() ?? new Int16Array(PIECE_SAMPLES)
    this.#waiting++
    this.#writing = this.#writing.then(async () => {
      await this.#toDisk(piece, count, at)
      this.#waiting--
      this.#idle.push(piece)
    })
  }

  async #toDisk(piece: Int16Array, count: number, at: number): Promise<void> {
    if (this.#failed) return
    try {
      const file = await this.#file
      await file.write(bytesOf(piece), 0, count * 2, HEADER_BYTES + at * 2)
    } catch (error) {
      this.#fail(error)
    }
  }

  async #close(): Promise<TrackEnd> {
    if (this.#filled > 0) this.#send()
    await this.#writing
    const samples = this.#before
    try {
      const file = await this.#file
      try {
        if (!this.#failed) {
          await file.truncate(HEADER_BYTES + samples * 2)
          await file.write(wavHeader(SAMPLE_RATE, 1, samples), 0, HEADER_BYTES, 0)
        }
      } finally {
        await file.close()
      }
    } catch (error) {
      this.#fail(error)
    }
    return {
      durationMs: (samples * 1000) / SAMPLE_RATE,
      lostMs: (this.#lost * 1000) / SAMPLE_RATE,
      failed: this.#failed,
    }
  }
}
