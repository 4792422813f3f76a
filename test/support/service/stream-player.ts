import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Samples of 16 kHz in a window of 20 ms. */
const WINDOW = 320

/** An ordinary player (ffmpeg) at a URL, and its output. */
export class Player {
  readonly #process
  readonly #ended: Promise<unknown>
  #rest = Buffer.alloc(0)
  /** Peak of each 20 ms played so far. */
  readonly peaks: number[] = []
  /** `performance.now()` at the output of each of them. */
  readonly at: number[] = []
  /** Its error output. */
  complaints = ''

  /** `hasty`: skips most of ffmpeg’s format detection. */
  constructor(url: string, hasty = true) {
    const look = hasty ? ['-probesize', '32', '-analyzeduration', '0'] : []
    this.#process = spawn(
      'ffmpeg',
      [
        '-v',
        'error',
        ...look,
        '-i',
        url,
        '-f',
        's16le',
        '-ar',
        '16000',
        '-ac',
        '1',
        '-flush_packets',
        '1',
        '-',
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    this.#ended = once(this.#process, 'close')
    this.#process.stdout.on('data', (bytes: Buffer) => this.#play(bytes))
    this.#process.stderr.on('data', (bytes: Buffer) => {
      this.complaints += bytes
    })
  }

  /** Milliseconds played. */
  get ms(): number {
    return this.peaks.length * 20
  }

  /** `performance.now()` of the first speech played after `since`; undefined before. */
  voiceSince(since: number): number | undefined {
    return this.at.find((at, index) => at >= since && this.peaks[index]! > 1_000)
  }

  /** Number of stretches of voice separated by more than a third of a second of silence. */
  get stretches(): number {
    const loud = this.peaks.flatMap((peak, index) => (peak > 500 ? [index] : []))
    return loud.filter((index, at) => at === 0 || index - loud[at - 1]! > 17).length
  }

  /** Waits until it ends; returns its exit code. */
  async ended(): Promise<number | null> {
    await this.#ended
    return this.#process.exitCode
  }

  close(): void {
    this.#process.kill('SIGKILL')
  }

  #play(bytes: Buffer): void {
    const all = Buffer.concat([this.#rest, bytes])
    const windows = Math.floor(all.length / (2 * WINDOW))
    for (let n = 0; n < windows; n++) {
      let peak = 0
      for (let i = 0; i < WINDOW; i++) peak = Math.max(peak, Math.abs(all.readInt16LE(2 * (n * WINDOW + i))))
      this.peaks.push(peak)
      this.at.push(performance.now())
    }
    this.#rest = all.subarray(windows * 2 * WINDOW)
  }
}
