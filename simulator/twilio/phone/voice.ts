import { encodeMulaw, MULAW_SILENCE } from '../../../src/transcode/g711.ts'
import { createResampler } from '../../../src/transcode/resample/resampler.ts'
import { PHONE_RATE } from './recording.ts'

/** Outcome of a spoken voice. Times are milliseconds of the call's clock. */
export interface Spoken {
  /** Time when its first packet fell due; undefined if the call ended before that. */
  readonly startedAt: number | undefined
  /** Time when its last packet fell due: the end of speech, for latency measurements. */
  readonly endedAt: number
  /** False if the call ended, or `hush` was called, before the end of the voice. */
  readonly complete: boolean
}

interface Sentence {
  readonly voice: Voice
  readonly resolve: (spoken: Spoken) => void
  next: number
  startedAt: number | undefined
  endedAt: number
}

/** Speech of one participant: one voice after the other, silence between them. */
export class PhoneSpeaker {
  readonly #sentences: Sentence[] = []
  #closed = false

  /** True while a voice is spoken or waits. */
  get speaking(): boolean {
    return this.#sentences.length > 0
  }

  /** Queues `voice`. Never rejects. */
  say(voice: Voice, now: number): Promise<Spoken> {
    if (this.#closed) return Promise.resolve({ startedAt: undefined, endedAt: now, complete: false })
    return new Promise(resolve =>
      this.#sentences.push({ voice, resolve, next: 0, startedAt: undefined, endedAt: now }),
    )
  }

  /** Returns the packet that is due at `due`; undefined is silence. */
  packet(due: number): string | undefined {
    for (let sentence = this.#sentences[0]; sentence; sentence = this.#sentences[0]) {
      const packet = sentence.voice.packet(sentence.next)
      if (packet === undefined) {
        this.#finish(sentence)
        continue
      }
      sentence.next++
      sentence.startedAt ??= due
      sentence.endedAt = due
      if (sentence.next === sentence.voice.packets) this.#finish(sentence)
      return packet
    }
    return undefined
  }

  /** Drops the current and all waiting voices. */
  hush(now: number): void {
    for (const { startedAt, resolve } of this.#sentences.splice(0))
      resolve({ startedAt, endedAt: now, complete: false })
  }

  /** Like `hush`, permanently. */
  close(now: number): void {
    this.#closed = true
    this.hush(now)
  }

  #finish({ startedAt, endedAt, resolve }: Sentence): void {
    this.#sentences.shift()
    resolve({ startedAt, endedAt, complete: true })
  }
}

/** µ-law bytes of 20 ms. */
export const PACKET_BYTES = 160
/** Milliseconds of one packet. */
export const PACKET_MS = 20
/** 20 ms of µ-law silence. */
export const SILENT_PACKET: string = Buffer.alloc(PACKET_BYTES, MULAW_SILENCE).toString('base64')

/** Speech in packets of 20 ms: canonical base64 of 160 bytes of µ-law, ready for the wire. */
export interface Voice {
  /** Number of packets, if known: the speech then ends with the last one, not 20 ms later. */
  readonly packets?: number
  /** Returns the packet number `index`; undefined after the end. Called in order, once for each packet. */
  packet(index: number): string | undefined
}

/** Options of a voice. */
export interface VoiceOptions {
  /** Repeats the voice indefinitely. */
  loop?: boolean
}

/**
 * Encodes `pcm` (linear16, mono, `rate` Hz) as a voice, once: any number of phones can share it. The last packet is
 * filled up with silence.
 */
export function voiceOf(pcm: Int16Array, rate: number = PHONE_RATE, options: VoiceOptions = {}): Voice {
  const packets = packetsOf(pcm, rate)
  const count = packets.length
  if (options.loop && count > 0) return { packet: index => packets[index % count] }
  return { packets: count, packet: index => packets[index] }
}

function packetsOf(pcm: Int16Array, rate: number): string[] {
  const samples = toLine(pcm, rate)
  const packets: string[] = []
  for (let at = 0; at < samples.length; at += PACKET_BYTES)
    packets.push(packetOf(samples.subarray(at, at + PACKET_BYTES)))
  return packets
}

/**
 * Converts `pcm` of `rate` Hz to 8 kHz; returns `pcm` itself if it already is. Works in pieces, because a resampler is
 * made for a stream, not for minutes at once.
 */
export function toLine(pcm: Int16Array, rate: number): Int16Array {
  if (rate === PHONE_RATE) return pcm
  const resampler = createResampler(rate, PHONE_RATE)
  const out = new Int16Array(Math.ceil((pcm.length * PHONE_RATE) / rate) + PACKET_BYTES)
  const step = Math.round(rate / 10)
  let length = 0
  const take = (part: Int16Array) => {
    out.set(part, length)
    length += part.length
  }
  for (let at = 0; at < pcm.length; at += step) take(resampler.process(pcm.subarray(at, at + step)))
  take(resampler.flush())
  return out.subarray(0, length)
}

function packetOf(samples: Int16Array): string {
  const bytes = Buffer.alloc(PACKET_BYTES, MULAW_SILENCE)
  encodeMulaw(samples, bytes.subarray(0, samples.length))
  return bytes.toString('base64')
}
