import type { EndReason } from '../../src/common/lifecycle.ts'
import type { Leg, LegUplink } from '../../src/core/model/leg.ts'
import { assertFrames, concat, FRAME_SAMPLES } from '../../src/transcode/pcm.ts'

/** A leg without a channel: a test speaks into it and reads what was played to it. */
export class FakeLeg implements Leg {
  readonly id: string
  readonly channel: string = 'fake'
  readonly call: string | undefined
  readonly ended: Promise<EndReason>
  /** Everything played, in order; one entry per call. */
  readonly played: Int16Array[] = []
  /** Requested marks, with the number of samples played before each. */
  readonly marks: { name: string; atSample: number }[] = []
  flushes = 0
  congested = false
  comfortNoise = false
  messageMs: number | undefined
  uplink: LegUplink | undefined
  #samples = 0
  /** Not heard by the participant yet: frames, and the names of marks between them. */
  #waiting: (Int16Array | string)[] = []
  readonly #sounded: Int16Array[] = []
  #over = false
  #end!: (reason: EndReason) => void

  /** A leg with the `call` of another leg, which broke, belongs to the same participant. */
  constructor(id: string, call?: string) {
    this.id = id
    this.call = call
    this.ended = new Promise(resolve => {
      this.#end = resolve
    })
  }

  /** True after the end of the leg. */
  get over(): boolean {
    return this.#over
  }

  attach(uplink: LegUplink): void {
    if (this.uplink) throw new RangeError(`leg ${this.id} is attached already`)
    this.uplink = uplink
  }

  play(frames: Int16Array): void {
    assertFrames(frames)
    if (this.#over) return
    const copy = frames.slice()
    this.played.push(copy)
    this.#waiting.push(copy)
    this.#samples += frames.length
  }

  mark(name: string): void {
    if (this.#over) return
    this.marks.push({ name, atSample: this.#samples })
    this.#waiting.push(name)
  }

  flush(): void {
    if (this.#over) return
    this.flushes++
    this.#waiting = []
  }

  async close(reason: EndReason): Promise<void> {
    this.#over = true
    this.#end(reason)
  }

  /** The participant says `pcm` (whole frames) at once. */
  say(pcm: Int16Array): void {
    assertFrames(pcm)
    if (this.#over) return
    for (let at = 0; at < pcm.length; at += FRAME_SAMPLES)
      this.uplink?.write(pcm.subarray(at, at + FRAME_SAMPLES))
  }

  /** The participant presses a key. */
  press(digit: string): void {
    if (!this.#over) this.uplink?.dtmf(digit)
  }

  /** The participant hears everything that was not flushed and confirms the marks in it. */
  hear(): void {
    if (this.#over) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const each of waiting)
      if (typeof each === 'string') this.uplink?.marked(each)
      else this.#sounded.push(each)
  }

  /** Everything played, as one piece. */
  heard(): Int16Array {
    return concat(this.played)
  }

  /** Everything that the participant confirmed with `hear`, without what was flushed before. */
  sounded(): Int16Array {
    return concat(this.#sounded)
  }
}
