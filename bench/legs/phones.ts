import { setTimeout as sleep } from 'node:timers/promises'
import { placeCall, type SimulatedCall } from '../../simulator/twilio/phone/call.ts'
import { PhoneLine } from '../../simulator/twilio/phone/line.ts'
import { BYTES_PER_MS } from '../../simulator/twilio/phone/play-queue.ts'
import { PACKET_MS, type Voice, voiceOf } from '../../simulator/twilio/phone/voice.ts'
import { systemClock } from '../../src/common/clock.ts'
import { SAMPLE_RATE } from '../../src/transcode/pcm.ts'
import { numberOf } from './numbers.ts'
import { levelOf } from './probe.ts'
import type { Recorder } from './recorder.ts'
import type { Signature } from './served.ts'

/** Lines of phones: each has a separate grid of 5 ms, so that calls do not speak in step. */
const LINES = 4
/** Offset between speakers in the recording (packets). */
const VOICE_STEP = 37

/** All phones of one run: each talks without end, or is silent, and is followed by its probe. */
export class Phones {
  readonly #recorder: Recorder
  readonly #voice: Voice | undefined
  readonly #packets: number
  readonly #calls: SimulatedCall[] = []

  /** `pcm`: the speech of all phones, 16 kHz, each with a different offset; undefined: silence. */
  constructor(recorder: Recorder, pcm: Int16Array | undefined) {
    this.#recorder = recorder
    this.#voice = pcm && voiceOf(pcm, SAMPLE_RATE, { loop: true })
    this.#packets = Math.floor((pcm?.length ?? 0) / (SAMPLE_RATE / 1000) / PACKET_MS)
  }

  /** Places `legs` calls to the bridge on `port`, evenly over `rampMs`. */
  async call(port: number, legs: number, rampMs: number, signature?: Signature): Promise<void> {
    const webhook = `http://127.0.0.1:${port}/twilio/voice`
    const lines: PhoneLine[] = []
    const placed: Promise<void>[] = []
    for (let index = 0; index < legs; index++) {
      lines[index % LINES] ??= new PhoneLine(systemClock)
      placed.push(this.#place(webhook, index, lines[index % LINES]!, signature))
      // Slightly off the grid: otherwise all lines would tick in the same millisecond.
      await sleep(rampMs / legs + (index < LINES ? 5 / LINES : 0))
    }
    await Promise.all(placed)
  }

  /** Number of legs that ended without a hang-up, or were always silent although they speak. */
  lost(): number {
    const silent = (index: number) => this.#voice !== undefined && this.#recorder.probe(index).messages === 0
    return this.#calls.filter((call, index) => !call.live || silent(index)).length
  }

  async hangUp(): Promise<void> {
    await Promise.all(this.#calls.map(call => call.hangUp()))
  }

  async #place(webhook: string, index: number, line: PhoneLine, signature?: Signature): Promise<void> {
    const probe = this.#recorder.probe(index)
    const call = await placeCall({
      webhook,
      ...signature,
      allowInsecureStream: true,
      to: numberOf(index),
      line,
      record: false,
      onSent: (due, now, timestampMs) => probe.spoke(timestampMs / PACKET_MS, due, now),
      onMedia: (now, bytes, payload, audible) =>
        probe.heard(audible ? levelOf(Buffer.from(payload, 'base64')) : 0, bytes / BYTES_PER_MS, now),
    })
    this.#calls[index] = call
    const voice = this.#voice
    if (!voice) return
    const first = (index * VOICE_STEP) % this.#packets
    void call.say({ packet: at => voice.packet(first + at) })
  }
}
