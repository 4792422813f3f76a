import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../src/common/clock.ts'
import { PHONE_PROFILES } from '../src/simulator/index.ts'
import { placeCall, type SimulatedCall } from '../src/simulator/twilio/phone/call.ts'
import { PhoneLine } from '../src/simulator/twilio/phone/line.ts'
import { BYTES_PER_MS } from '../src/simulator/twilio/phone/play-queue.ts'
import { PACKET_MS, SILENT_PACKET, type Voice, voiceOf } from '../src/simulator/twilio/phone/voice.ts'
import { SAMPLE_RATE } from '../src/transcode/pcm.ts'
import type { Callers } from './callers.ts'
import type { Signature } from './messages.ts'
import { levelOf } from './probe.ts'
import type { Recorder } from './recorder.ts'
import { numberOf } from './subject.ts'

/** Lines of phones: each has a separate grid of 5 ms, so that calls do not speak in step. */
const LINES = 4
/** Offset between speakers in the recording (packets). */
const VOICE_STEP = 37

/** All phones of one run: each talks without end, or is silent, and is followed by its probe. */
export class Crowd implements Callers {
  readonly #recorder: Recorder
  readonly #voice: Voice | undefined
  readonly #packets: number
  /** Length of one turn in packets, if two take turns. */
  readonly #turn: number | undefined
  readonly #calls: SimulatedCall[] = []

  /**
   * `pcm`: the speech of all phones, 16 kHz, each with a different offset; undefined: silence. `turnMs`: phones 2n and
   * 2n+1 take turns of this length.
   */
  constructor(recorder: Recorder, pcm: Int16Array | undefined, turnMs?: number) {
    this.#recorder = recorder
    this.#turn = turnMs === undefined ? undefined : turnMs / PACKET_MS
    this.#voice = pcm && voiceOf(pcm, SAMPLE_RATE, { loop: true })
    this.#packets = Math.floor((pcm?.length ?? 0) / (SAMPLE_RATE / 1000) / PACKET_MS)
  }

  /** Places `legs` calls, evenly over `rampMs`. */
  async call(port: number, legs: number, rampMs: number, signature?: Signature): Promise<void> {
    const webhook = `http://127.0.0.1:${port}/${signature?.carrier ?? 'twilio'}/voice`
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

  lost(): number {
    const silent = (index: number) => this.#voice !== undefined && this.#recorder.probe(index).messages === 0
    return this.#calls.filter((call, index) => !call.live || silent(index)).length
  }

  refused(): number {
    return this.#calls.reduce((sum, call) => sum + call.report().warnings.length, 0)
  }

  async hangUp(): Promise<void> {
    await Promise.all(this.#calls.map(call => call.hangUp()))
  }

  async #place(
    webhook: string,
    index: number,
    line: PhoneLine,
    { carrier = 'twilio', ...signature }: Partial<Signature> = {},
  ): Promise<void> {
    const probe = this.#recorder.probe(index)
    const call = await placeCall({
      webhook,
      ...signature,
      profile: PHONE_PROFILES[carrier],
      allowInsecureStream: true,
      to: numberOf(index),
      line,
      record: false,
      onSent: (due, now, timestampMs) => probe.spoke(timestampMs / PACKET_MS, due, now),
      onMedia: (now, bytes, payload) =>
        probe.heard(levelOf(Buffer.from(payload, 'base64')), bytes / BYTES_PER_MS, now),
    })
    this.#calls[index] = call
    const voice = this.#voice
    if (!voice) return
    const first = (index * VOICE_STEP) % this.#packets
    const turn = this.#turn
    const listens = (at: number) => turn !== undefined && Math.floor(at / turn) % 2 !== index % 2
    void call.say({ packet: at => (listens(at) ? SILENT_PACKET : voice.packet(first + at)) })
  }
}
