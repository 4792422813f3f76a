import type { EndReason } from '../core/errors.ts'
import type { Leg, LegUplink } from '../core/leg.ts'
import { assertFrames, FRAME_SAMPLES } from '../transcode/pcm.ts'

/** A leg without a channel: a test speaks into it and reads what it was played. */
export class FakeLeg implements Leg {
  readonly id: string
  readonly channel = 'fake'
  readonly ended: Promise<EndReason>
  /** Everything played, in order; one entry a call. */
  readonly played: Int16Array[] = []
  /** Marks asked for, with the samples played before each. */
  readonly marks: { name: string; atSample: number }[] = []
  flushes = 0
  congested = false
  uplink: LegUplink | undefined
  #samples = 0
  #end!: (reason: EndReason) => void

  constructor(id: string) {
    this.id = id
    this.ended = new Promise(resolve => {
      this.#end = resolve
    })
  }

  attach(uplink: LegUplink): void {
    if (this.uplink) throw new RangeError(`leg ${this.id} is attached already`)
    this.uplink = uplink
  }

  play(frames: Int16Array): void {
    assertFrames(frames)
    this.played.push(frames.slice())
    this.#samples += frames.length
  }

  mark(name: string): void {
    this.marks.push({ name, atSample: this.#samples })
  }

  flush(): void {
    this.flushes++
  }

  async close(reason: EndReason): Promise<void> {
    this.#end(reason)
  }

  /** The party says `pcm` (whole frames) at once. */
  say(pcm: Int16Array): void {
    assertFrames(pcm)
    for (let at = 0; at < pcm.length; at += FRAME_SAMPLES)
      this.uplink?.write(pcm.subarray(at, at + FRAME_SAMPLES))
  }

  /** All that was played, as one piece. */
  heard(): Int16Array {
    const all = new Int16Array(this.#samples)
    let at = 0
    for (const piece of this.played) {
      all.set(piece, at)
      at += piece.length
    }
    return all
  }
}
