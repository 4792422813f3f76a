import { createRequire } from 'node:module'
import type * as EvanOpus from '@evan/opus'
import { rms } from '../../../src/transcode/level.ts'
import { createResampler } from '../../../src/transcode/resample/resampler.ts'

/**
 * Opus in WebAssembly: each thread that loads it has its own. The native addon of the same package keeps one buffer for
 * the whole process and mixes up the audio of two threads, and tests can run in worker threads.
 */
const { Decoder, Encoder } = createRequire(import.meta.url)('@evan/opus/wasm/index.js') as typeof EvanOpus

/** Discord's RTP clock (Hz), and the encoding rate of clients. */
export const OPUS_RATE = 48_000

/** 20 ms of silence, as Discord's clients write it; never encrypted end to end. */
export const SILENCE_FRAME = Buffer.of(0xf8, 0xff, 0xfe)

/** Discord's default for a voice channel. */
const BITRATE = 64_000

export interface OpusEncoder {
  /** `pcm` is one packet at 48 kHz, interleaved if stereo; the caller owns the result. */
  encode(pcm: Int16Array): Buffer
}

export function opusEncoder(channels: 1 | 2): OpusEncoder {
  const encoder = new Encoder({ channels, sample_rate: OPUS_RATE, application: 'voip' })
  encoder.bitrate = BITRATE
  return { encode: pcm => Buffer.from(encoder.encode(pcm)) }
}

export interface OpusDecoder {
  /** 16 kHz mono; undefined for invalid Opus. */
  decode(packet: Uint8Array): Int16Array | undefined
}

export function opusDecoder(): OpusDecoder {
  const decoder = new Decoder({ channels: 1, sample_rate: 16_000 })
  return {
    decode(packet) {
      try {
        const bytes = Uint8Array.from(decoder.decode(packet))
        return new Int16Array(bytes.buffer)
      } catch {
        return undefined
      }
    },
  }
}

/** Format of a user's speech. */
export interface SayOptions {
  /** Audio in one packet. Default 20. */
  readonly frameMs?: 10 | 20 | 40 | 60
  /** Default 1. */
  readonly channels?: 1 | 2
  /** Silence frames after the last word. Default 5, like real clients. */
  readonly silenceFrames?: number
  /** Speed of the user's clock: with 1.001 every packet takes a thousandth longer than it should. Default 1. */
  readonly pace?: number
}

export interface SpeechPacket {
  readonly frame: Buffer
  /** The header extension: the level of the voice, which Discord's clients send with speech, not with silence. */
  readonly extension: Buffer | undefined
  readonly durationMs: number
}

/** Source of a user's packets. */
export interface SpeechSource {
  readonly pace: number
  readonly done: boolean
  /** The next packet; undefined after the end. */
  next(): SpeechPacket | undefined
}

const INPUT_RATE = 16_000
const SILENCE_MS = 20
/** ID 1, one byte (RFC 8285, RFC 6464). */
const LEVEL_ID = 0x10
const FRAME_LENGTHS = [10, 20, 40, 60]

/** Speech as Opus packets, each created on demand. */
export class Speech implements SpeechSource {
  readonly pace: number
  readonly #pcm: Int16Array
  readonly #frameMs: number
  readonly #channels: 1 | 2
  readonly #encoder: ReturnType<typeof opusEncoder>
  readonly #upsampler = createResampler(INPUT_RATE, OPUS_RATE)
  #at = 0
  #silence: number

  /** `pcm` is 16 kHz mono; the last packet is filled up with silence. Throws RangeError for lengths that Opus does not have. */
  constructor(pcm: Int16Array, options: SayOptions = {}) {
    const { frameMs = 20, channels = 1, silenceFrames = 5, pace = 1 } = options
    if (!FRAME_LENGTHS.includes(frameMs))
      throw new RangeError(`frameMs is one of ${FRAME_LENGTHS.join(', ')}, got ${frameMs}`)
    if (channels !== 1 && channels !== 2) throw new RangeError(`channels is 1 or 2, got ${channels}`)
    if (!(silenceFrames >= 0)) throw new RangeError(`silenceFrames is 0 or more, got ${silenceFrames}`)
    if (!(pace > 0.5 && pace < 2)) throw new RangeError(`pace is between 0.5 and 2, got ${pace}`)
    this.pace = pace
    this.#pcm = pcm
    this.#frameMs = frameMs
    this.#channels = channels
    this.#encoder = opusEncoder(channels)
    this.#silence = silenceFrames
  }

  get done(): boolean {
    return this.#at >= this.#pcm.length && this.#silence <= 0
  }

  next(): SpeechPacket | undefined {
    if (this.#at < this.#pcm.length) return this.#speak()
    if (this.#silence <= 0) return undefined
    this.#silence--
    return { frame: SILENCE_FRAME, extension: undefined, durationMs: SILENCE_MS }
  }

  #speak(): SpeechPacket {
    const durationMs = this.#frameMs
    const samples = (INPUT_RATE * durationMs) / 1000
    const input = new Int16Array(samples)
    input.set(this.#pcm.subarray(this.#at, this.#at + samples))
    this.#at += samples
    const mono = this.#upsampler.process(input)
    const frame = this.#encoder.encode(this.#channels === 1 ? mono : doubled(mono))
    return { frame, extension: levelOf(input), durationMs }
  }
}

function doubled(mono: Int16Array): Int16Array {
  const stereo = new Int16Array(mono.length * 2)
  for (let at = 0; at < stereo.length; at++) stereo[at] = mono[at >> 1] ?? 0
  return stereo
}

/** One word: the level in −dBov and the flag that this is a voice. */
function levelOf(pcm: Int16Array): Buffer {
  const share = rms(pcm) / 32_768
  const level = share > 0 ? Math.min(127, Math.round(-20 * Math.log10(share))) : 127
  return Buffer.of(LEVEL_ID, 0x80 | level, 0, 0)
}

/**
 * Speech that is encoded once and shared, at once or repeatedly: encoding is most of the cost of a scripted user.
 * `user.say(encoded)` accepts it instead of samples.
 */
export class EncodedSpeech {
  readonly packets: readonly SpeechPacket[]
  readonly #pace: number

  /** `pcm` is 16 kHz mono. Takes about 25 ms of CPU for each second of it. */
  constructor(pcm: Int16Array, options: SayOptions = {}) {
    const speech = new Speech(pcm, options)
    const packets: SpeechPacket[] = []
    for (let packet = speech.next(); packet; packet = speech.next()) packets.push(packet)
    this.packets = packets
    this.#pace = speech.pace
  }

  /** Starts from its first packet. */
  begin(): SpeechSource {
    const { packets } = this
    let at = 0
    return {
      pace: this.#pace,
      get done() {
        return at >= packets.length
      },
      next: () => packets[at++],
    }
  }
}
