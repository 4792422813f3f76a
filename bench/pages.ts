import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { HEADER_BYTES, writeHeader } from '../src/bridges/browser/audio-packet.ts'
import { systemClock, Ticker } from '../src/common/clock.ts'
import { FRAME_MS, FRAME_SAMPLES } from '../src/transcode/pcm.ts'
import type { Callers } from './callers.ts'
import { type LegProbe, LOUD } from './probe.ts'
import type { Recorder } from './recorder.ts'
import { languageOf } from './subject.ts'

/** Groups of pages that send in the same moment, like the lines of phones. */
const GROUPS = 4
/** Offset between speakers in the recording (frames). */
const VOICE_STEP = 37
/** Mean magnitude of samples that is as loud as `LOUD` on a phone. */
const LOUD_SAMPLE = 164
const BYTES_PER_MS = 32

/**
 * All talk pages of one run, without a browser: each sends a message every 20 ms, plays what it receives in real time,
 * and is followed by its probe.
 */
export class Pages implements Callers {
  readonly #recorder: Recorder
  readonly #said: Int16Array | undefined
  readonly #pages: Page[] = []
  readonly #tickers: Ticker[] = []

  /** `said`: the speech of all pages, 16 kHz, each with a different offset; undefined: silence. */
  constructor(recorder: Recorder, said: Int16Array | undefined) {
    this.#recorder = recorder
    this.#said = said
  }

  /** Opens `legs` pages at the bridge on `port`, evenly over `rampMs`. */
  async call(port: number, legs: number, rampMs: number): Promise<void> {
    const groups: Page[][] = Array.from({ length: GROUPS }, () => [])
    for (const group of groups) {
      this.#tickers.push(
        new Ticker(systemClock, FRAME_MS, now => {
          for (const page of group) page.speak(now)
        }),
      )
      await sleep(FRAME_MS / GROUPS)
    }
    for (let index = 0; index < legs; index++) {
      const page = await Page.open(port, index, this.#recorder.probe(index), this.#said)
      this.#pages[index] = page
      groups[index % GROUPS]!.push(page)
      await sleep(rampMs / legs)
    }
  }

  lost(): number {
    const silent = (page: Page) => this.#said !== undefined && page.probe.messages === 0
    return this.#pages.filter(page => !page.live || silent(page)).length
  }

  refused(): number {
    return this.#pages.reduce((sum, page) => sum + page.refused, 0)
  }

  async hangUp(): Promise<void> {
    for (const ticker of this.#tickers.splice(0)) ticker[Symbol.dispose]()
    await Promise.all(this.#pages.map(page => page.close()))
  }
}

class Page {
  readonly probe: LegProbe
  /** Messages that say that something was rejected. */
  refused = 0
  readonly #socket: WebSocket
  /** A page sends no audio before it is admitted. */
  readonly #admitted = Promise.withResolvers<void>()
  readonly #said: Int16Array | undefined
  readonly #message = Buffer.alloc(HEADER_BYTES + FRAME_SAMPLES * 2)
  readonly #view = new DataView(this.#message.buffer, this.#message.byteOffset, HEADER_BYTES)
  #frames: number
  #sent = 0
  #firstAt = Number.NaN
  /** End of everything received (ms). */
  #dryAt = 0

  private constructor(socket: WebSocket, index: number, probe: LegProbe, said: Int16Array | undefined) {
    this.#socket = socket
    this.probe = probe
    this.#said = said
    this.#frames = index * VOICE_STEP
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) this.#hear(data)
      else this.#told(JSON.parse(data.toString()) as { kind: string; id?: number })
    })
  }

  static async open(
    port: number,
    index: number,
    probe: LegProbe,
    said: Int16Array | undefined,
  ): Promise<Page> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/talk/socket`)
    await once(socket, 'open')
    const page = new Page(socket, index, probe, said)
    const language = languageOf(index)
    socket.send(JSON.stringify({ kind: 'hello', speaks: 'en-us', hears: language, alone: language }))
    await page.#admitted.promise
    return page
  }

  get live(): boolean {
    return this.#socket.readyState === WebSocket.OPEN
  }

  /** Sends one frame, due at `now`. */
  speak(now: number): void {
    if (!this.live) return
    if (this.#sent === 0) this.#firstAt = now
    writeHeader(this.#view, this.#sent, this.#sent * FRAME_SAMPLES)
    const said = this.#said
    const frames = said ? Math.floor(said.length / FRAME_SAMPLES) : 0
    if (said) {
      const at = (this.#frames++ % frames) * FRAME_SAMPLES
      this.#message.set(
        new Uint8Array(said.buffer, said.byteOffset + at * 2, FRAME_SAMPLES * 2),
        HEADER_BYTES,
      )
    }
    this.probe.spoke(this.#sent, this.#firstAt + this.#sent * FRAME_MS, now)
    this.#sent++
    // The socket keeps the bytes until they are written.
    this.#socket.send(Buffer.from(this.#message))
  }

  async close(): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return
    const closed = once(this.#socket, 'close')
    this.#socket.close(1000)
    await closed
  }

  #hear(data: Buffer): void {
    const now = performance.now()
    const bytes = data.length - HEADER_BYTES
    let sum = 0
    for (let at = HEADER_BYTES; at + 1 < data.length; at += 2) sum += Math.abs(data.readInt16LE(at))
    const level = (sum / (bytes / 2) / LOUD_SAMPLE) * LOUD
    this.probe.heard(level, bytes / BYTES_PER_MS, now)
    this.#dryAt = Math.max(this.#dryAt, now) + bytes / BYTES_PER_MS
  }

  #told({ kind, id }: { kind: string; id?: number }): void {
    if (kind === 'refused' || kind === 'sorry') this.refused++
    if (kind === 'welcome' || kind === 'refused') this.#admitted.resolve()
    if (kind === 'flush') this.#dryAt = 0
    // A mark is confirmed once everything before it has been played.
    if (kind === 'mark')
      setTimeout(
        () => this.live && this.#socket.send(JSON.stringify({ kind, id })),
        this.#dryAt - performance.now(),
      )
  }
}
