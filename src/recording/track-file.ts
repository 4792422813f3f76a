import { type FileHandle, open } from 'node:fs/promises'
import { bytesOf, FRAME_SAMPLES, SAMPLE_RATE } from '../transcode/pcm.ts'
import { wavHeader } from '../transcode/wav.ts'

/** Samples collected before they go to the disk: one second. */
const PIECE_SAMPLES = SAMPLE_RATE
/** Pieces that may wait for the disk; beyond them sound is left out, and counted. */
const MOST_WAITING = 8
const HEADER_BYTES = 44
/** A header holds no more (bytes of sound, 4 GiB: 37 hours). */
const MOST_BYTES = 0xffff_ffff - 36 - 2 * PIECE_SAMPLES

/** What became of a track. */
export interface TrackEnd {
  /** Sound and silence in the file (ms). */
  readonly durationMs: number
  /** Sound that the disk was too slow for; silence stands in its place (ms). */
  readonly lostMs: number
  /** The disk failed: the file ends early. */
  readonly failed: boolean
}

/** What goes wrong with a track, told at once. */
export interface TrackTrouble {
  /** The disk failed, with this code: the file ends here. */
  failed(code: string): void
  /** The disk was too slow for so much sound (ms). */
  lost(ms: number): void
}

const UNTOLD: TrackTrouble = { failed() {}, lost() {} }

/**
 * One track of a recording, written to a wav file as it comes: frames at their place on the track's own timeline,
 * silence between them. Holds a few seconds at most, whatever the disk does. Until it is closed the header says that
 * the length is not known yet, so that a crash leaves a file that players read.
 */
export class TrackFile {
  readonly path: string
  readonly #file: Promise<FileHandle>
  readonly #trouble: TrackTrouble
  readonly #idle: Int16Array[] = []
  #piece: Int16Array<ArrayBufferLike> = new Int16Array(PIECE_SAMPLES)
  /** There is sound in `#piece`. */
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

  /** Opens the file, which must not exist; failing is told to `trouble`, and shows in the end of the track. */
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

  /** Length so far (ms). */
  get durationMs(): number {
    return ((this.#before + this.#filled) * 1000) / SAMPLE_RATE
  }

  /**
   * Puts a frame (borrowed) at `atMs` of the timeline. One that comes before the end of what is there, as after a
   * short jump of the clock, is put at that end.
   */
  write(atMs: number, frame: Int16Array): void {
    if (this.#closed || this.#failed) return
    this.silenceTo(atMs)
    this.#put(frame)
  }

  /** Fills up with silence to `atMs`; less than `least` samples is let pass: a frame, as clocks are not that exact. */
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

  /** Writes what is left and the header, and closes the file. Idempotent, never rejects. */
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

  /** Gives the piece to the disk and begins another. */
  #send(): void {
    const count = this.#filled
    const at = this.#before
    this.#before += count
    this.#filled = 0
    // A hole in a file reads as zeros.
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
