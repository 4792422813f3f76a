import type { FakeConnection } from '../../../simulator/fakes/fake-translator.ts'
import type { Invitation } from '../../../src/core/model/invitation.ts'
import type { LegUplink } from '../../../src/core/model/leg.ts'
import { decodeMulaw, encodeMulaw } from '../../../src/transcode/g711.ts'
import { rms } from '../../../src/transcode/level.ts'
import { FRAME_SAMPLES, samplesOf, saturate } from '../../../src/transcode/pcm.ts'
import { LiveLeg } from './live-leg.ts'
import { rooms } from './rooms.ts'

/** The path from a participant's loudspeaker into their microphone. */
export interface EchoWay {
  /** Level of the echo (dB). */
  readonly db: number
  /** Delay of the echo (ms). */
  readonly delayMs: number
  /** Later reflections: ms after the first, and their gain relative to it. */
  readonly reflections?: readonly (readonly [number, number])[]
  /** Through a phone's codec. */
  readonly mulaw?: boolean
}

/** A small room, and a large one with hard walls. */
export const ROOMS = {
  none: [],
  small: [
    [3.1, 0.5],
    [7.7, -0.35],
    [15.3, 0.2],
    [31.9, -0.1],
    [55.1, 0.05],
  ],
  large: [
    [5.3, 0.6],
    [13.1, -0.5],
    [27.7, 0.45],
    [48.9, -0.3],
    [83.3, 0.2],
    [131.9, -0.12],
    [190.3, 0.06],
  ],
} as const

/** A leg whose participant hears in real time, and whose microphone picks that up. */
export class EchoLeg extends LiveLeg {
  /** The current path; it can be changed. */
  way: EchoWay | undefined
  /** Other legs that are audible in the same place. */
  around: readonly LiveLeg[] = []
  #noise = 1

  override attach(uplink: LegUplink): void {
    super.attach({
      write: frame => uplink.write(this.#picked(frame)),
      marked: name => uplink.marked(name),
      dtmf: digit => uplink.dtmf(digit),
    })
  }

  #picked(frame: Int16Array): Int16Array {
    const sum = new Float64Array(frame.length)
    for (let n = 0; n < sum.length; n++) sum[n] = frame[n]! + this.#hiss()
    if (this.way) {
      const { db, delayMs, reflections = [] } = this.way
      const gain = 10 ** (db / 20)
      for (const leg of [this, ...this.around]) {
        add(sum, leg, delayMs, gain)
        for (const [later, part] of reflections) add(sum, leg, delayMs + later, gain * part)
      }
    }
    const pcm = new Int16Array(sum.length)
    for (let n = 0; n < sum.length; n++) pcm[n] = saturate(sum[n]!)
    if (this.way?.mulaw) {
      const bytes = new Uint8Array(pcm.length)
      encodeMulaw(pcm, bytes)
      decodeMulaw(bytes, pcm)
    }
    return pcm
  }

  /** A line is never completely silent: −76 dBFS, always the same. */
  #hiss(): number {
    this.#noise = (Math.imul(this.#noise, 1_664_525) + 1_013_904_223) >>> 0
    return (this.#noise / 2 ** 32 - 0.5) * 16
  }
}

function add(sum: Float64Array, leg: LiveLeg, delayMs: number, gain: number): void {
  const end = leg.age - delayMs
  if (end < FRAME_SAMPLES / 16) return
  const played = leg.between(end - FRAME_SAMPLES / 16, end)
  for (let n = 0; n < FRAME_SAMPLES; n++) sum[n]! += gain * (played[n] ?? 0)
}

/** Level from which audio counts as speech (RMS: −55 dBFS), and silence that ends an utterance (frames: 500 ms). */
const HEARS = 58
const END_FRAMES = 25

/** The recognizer of one connection. */
class GateBuffers {
  readonly connection: FakeConnection
  #read = 0
  #silent = 0
  #loud = 0

  constructor(connection: FakeConnection) {
    this.connection = connection
  }

  /** Processes new fragments; true when an utterance is over. */
  listen(): boolean {
    let over = false
    for (; this.#read < this.connection.sent.length; this.#read++) {
      const pcm = samplesOf(this.connection.sent[this.#read]!.bytes)
      for (let at = 0; at + FRAME_SAMPLES <= pcm.length; at += FRAME_SAMPLES) {
        if (rms(pcm.subarray(at, at + FRAME_SAMPLES)) >= HEARS) {
          this.#loud++
          this.#silent = 0
        } else if (this.#loud > 0 && ++this.#silent === END_FRAMES) over = true
      }
    }
    return over
  }

  /** Returns the number of loud frames in the utterance; the next one starts. */
  take(): number {
    const loud = this.#loud
    this.#loud = 0
    this.#silent = 0
    return loud
  }
}

/** One recognized utterance. */
export interface Understood {
  readonly from: string
  readonly to: string
  /** Length of its loud frames. */
  readonly ms: number
}

export interface EchoRoomOptions {
  readonly relay?: Parameters<typeof rooms>[0]
  /** Audio of the translations, one after the other. */
  readonly voices: readonly Int16Array[]
  /** The recognized text; default: a number. */
  readonly text?: (understood: Understood, count: number) => { text: string; translation: string }
}

/** Rooms whose microphones pick up the played audio, and a service that recognizes everything above −55 dBFS. */
export async function echoRoom({ relay, voices, text = numbered }: EchoRoomOptions) {
  const r = await rooms(relay)
  const ears = new Map<FakeConnection, GateBuffers>()
  const understood: Understood[] = []
  const mp3s = voices.map(voice => r.maker.encode(voice, 16_000, 64))
  const join = (id: string, invitation: Partial<Invitation>, way?: EchoWay) => {
    const leg = new EchoLeg(id, r.clock)
    leg.way = way
    r.legs.set(id, leg)
    r.relay.admit(leg, { room: 'r', ...invitation })
    return leg
  }
  const answer = (connection: FakeConnection, loud: number) => {
    const { from, to } = connection.request
    const what = { from, to, ms: loud * 20 }
    understood.push(what)
    const count = understood.length
    connection.sink.result({
      utterance: String(count),
      final: true,
      ...text(what, count),
      audio: mp3s[(count - 1) % mp3s.length]!,
    })
    connection.sink.endOfSpeech()
  }
  const run = async (ms: number) => {
    for (let at = 0; at < ms; at += 20) {
      await r.run(20)
      for (const connection of r.translator.connections) {
        const mine = ears.get(connection) ?? new GateBuffers(connection)
        ears.set(connection, mine)
        if (!mine.listen()) continue
        answer(connection, mine.take())
      }
    }
  }
  return { ...r, join, run, understood }
}

function numbered({ from, to }: Understood, count: number) {
  return { text: `${from} ${count}`, translation: `${to} ${count}` }
}
