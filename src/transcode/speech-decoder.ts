import { ChannelMixer } from './channel-mixer.ts'
import { audioKind, beginsMp3, TELLING_BYTES } from './container/audio-kind.ts'
import { peak } from './level.ts'
import { declaresDelay, id3Length, startsMp3File, TAG_BYTES } from './mp3/file-start.ts'
import { mp3HeaderAt, mp3ReachBack } from './mp3/header.ts'
import { Mp3Decoder, mp3Ready } from './mp3/mp3-decoder.ts'
import { concat, SAMPLE_RATE } from './pcm.ts'
import type { Resampler } from './resample/resampler.ts'
import { createResampler, RATES } from './resample/resampler.ts'
import { isWav, wavCoding } from './wav-format.ts'
import { type WavAudio, WavReader } from './wav-reader.ts'

/** Bytes decoded at a time: half a second of usual speech, in less than half a millisecond. */
export const SLICE_BYTES = 2_048
/** Bytes from which headerless samples are detected: 32 ms at 16 kHz. */
const PCM_BYTES = 1_024
/** Bytes of a WAV within which its format follows, even after titles. */
const WAV_BYTES = 65_536
/** Samples that encoder and decoder put before the sound, if the file does not declare them: those of LAME. */
const USUAL_DELAY = 576 + 529
/** Samples of them that are silent, even if an abrupt sound follows, and their maximum level (−30 dBFS). */
const SILENT_DELAY = 800
const SOFT = 1_000
const NO_BYTES = new Uint8Array(0)

/**
 * Speech as it arrives in, 16 kHz mono out: mp3, WAV files or headerless 16-bit samples, detected from the first bytes; none of
 * anything else. What encoders put before the sound is dropped. The owner closes it.
 */
export class SpeechDecoder {
  /** Samples emitted. */
  samples = 0
  readonly #onPcm: (pcm: Int16Array) => void
  readonly #rawRate: number
  /** Bytes whose format is not known yet. */
  #held = NO_BYTES
  #closed = false
  #mp3: Mp3Decoder | undefined
  #wav: WavReader | undefined
  /** Bytes of an ID3 tag that follow. */
  #tagLeft = 0
  /** The first frame of the mp3 follows. */
  #fresh = false
  /** Samples of the mp3 that precede the sound. */
  #lead = 0
  #mixer = new ChannelMixer(1)
  #resampler: Resampler | undefined
  /** Output of the resampler that precedes the sound (samples). */
  #late = 0

  /** `onPcm` receives samples during calls, for that call only. `rawRate`: of headerless samples (Hz). */
  constructor(onPcm: (pcm: Int16Array) => void, rawRate = SAMPLE_RATE) {
    this.#onPcm = onPcm
    this.#rawRate = RATES.includes(rawRate) ? rawRate : SAMPLE_RATE
  }

  /**
   * Decodes the next bytes, at most `SLICE_BYTES` for a bounded time. `begins`: a result of a service, which can be a file of
   * its own, starts with them. Returns false, and takes nothing, if no mp3 decoder is free: await `mp3Ready`.
   */
  write(bytes: Uint8Array, begins: boolean): boolean {
    if (this.#closed || bytes.length === 0) return true
    if (this.#wav) {
      if (begins) this.#wav.begin()
      this.#playWav(this.#wav.push(bytes))
      return true
    }
    if (this.#mp3) {
      if (begins && (startsMp3File(bytes) || beginsSoftly(bytes))) {
        this.#mp3.reset()
        this.#beginMp3(bytes)
      }
      this.#decodeMp3(bytes)
      return true
    }
    const start = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes])
    if (!this.#open(start, false)) return false
    this.#held = this.#mp3 || this.#wav || this.#closed ? NO_BYTES : start.slice()
    return true
  }

  /** No more bytes follow: emits the rest. Returns false if no mp3 decoder is free: await `mp3Ready`. */
  finish(): boolean {
    if (this.#held.length > 0 && !this.#open(this.#held, true)) return false
    if (this.#wav) this.#playWav(this.#wav.end())
    if (this.#resampler) this.#emit(this.#resampler.flush())
    this.close()
    return true
  }

  /** Frees the decoder; what follows is ignored. Idempotent. */
  close(): void {
    this.#closed = true
    this.#mp3?.free()
    this.#mp3 = undefined
    this.#wav = undefined
    this.#resampler = undefined
    this.#held = NO_BYTES
  }

  /** Decodes the first bytes once their format is known; `whole`: no more follow. Returns false if no mp3 decoder is free. */
  #open(bytes: Uint8Array, whole: boolean): boolean {
    const kind = kindOf(bytes, whole)
    if (kind === 'mp3') {
      this.#mp3 = Mp3Decoder.create()
      if (!this.#mp3) return false
      this.#beginMp3(bytes)
      this.#decodeMp3(bytes)
    } else if (kind === 'samples') {
      // An unreadable file is silent.
      this.#wav = new WavReader(this.#rawRate, () => {})
      this.#playWav(this.#wav.push(bytes))
    } else if (kind === 'none') this.close()
    return true
  }

  #beginMp3(bytes: Uint8Array): void {
    this.#tagLeft = id3Length(bytes)
    this.#fresh = true
  }

  #decodeMp3(bytes: Uint8Array): void {
    const tag = Math.min(this.#tagLeft, bytes.length)
    this.#tagLeft -= tag
    if (tag === bytes.length) return
    const frames = bytes.subarray(tag)
    if (this.#fresh) this.#lead = declaresDelay(frames) ? 0 : USUAL_DELAY
    this.#fresh = false
    for (let at = 0; at < frames.length; at += SLICE_BYTES)
      this.#mp3?.decode(frames.subarray(at, at + SLICE_BYTES), this.#playMp3)
  }

  readonly #playMp3 = (pcm: Int16Array, rate: number): void => {
    const early = Math.min(this.#lead, pcm.length)
    this.#lead -= early
    if (early < pcm.length) this.#play(early === 0 ? pcm : pcm.subarray(early), rate)
  }

  #playWav(found: readonly WavAudio[]): void {
    for (const { format, view, at, bytes } of found) {
      if (this.#mixer.channels !== format.channels) this.#mixer = new ChannelMixer(format.channels)
      this.#play(this.#mixer.mix(format.decode(view, at, bytes)), format.rate)
    }
  }

  #play(pcm: Int16Array, rate: number): void {
    if (this.#resampler?.from !== rate) {
      if (!RATES.includes(rate)) return
      if (this.#resampler) this.#emit(this.#resampler.flush())
      this.#resampler = createResampler(rate, SAMPLE_RATE)
      this.#late = Math.round((this.#resampler.delayMs * SAMPLE_RATE) / 1_000)
    }
    this.#emit(this.#resampler.process(pcm))
  }

  #emit(pcm: Int16Array): void {
    const late = Math.min(this.#late, pcm.length)
    this.#late -= late
    if (late === pcm.length) return
    this.samples += pcm.length - late
    this.#onPcm(late === 0 ? pcm : pcm.subarray(late))
  }
}

/**
 * Returns the format of a voice that starts with `bytes`; undefined if more are needed. `whole`: no more follow. Anything else,
 * such as text or Ogg, would sound like noise.
 */
function kindOf(bytes: Uint8Array, whole: boolean): 'mp3' | 'samples' | 'none' | undefined {
  if (!whole) {
    if (bytes.length < TAG_BYTES) return undefined
    // A WAV can contain mp3, which its format chunk tells.
    if (isWav(bytes)) {
      if (wavCoding(bytes) === undefined && bytes.length < WAV_BYTES) return undefined
    } else if (!beginsMp3(bytes) && bytes.length < PCM_BYTES) return undefined
  }
  const kind = audioKind(bytes)
  if (kind) return kind === 'mp3' ? 'mp3' : 'samples'
  return whole || bytes.length >= TELLING_BYTES ? 'none' : undefined
}

/**
 * True if an mp3 file without a tag starts here. It looks like a piece of one whose frames do not refer back to earlier ones,
 * but has the silence of the encoder's delay. If a piece starts in a pause instead, that is shortened a little.
 */
function beginsSoftly(bytes: Uint8Array): boolean {
  const header = mp3HeaderAt(bytes, 0)
  if (!header || mp3ReachBack(bytes, 0, header) > 0) return false
  const decoder = Mp3Decoder.create()
  if (!decoder) return false
  const pieces: Int16Array[] = []
  decoder.decode(bytes, pcm => pieces.push(pcm.slice()))
  decoder.free()
  const start = concat(pieces).subarray(0, SILENT_DELAY)
  return start.length === SILENT_DELAY && peak(start) <= SOFT
}

/** Slices decoded before yielding to the event loop. */
const TURN_SLICES = 4

/**
 * Decodes all of `bytes` to 16 kHz mono, for audio that is not live: pieces that the receiver owns, none if there is no audio.
 * Yields to the event loop.
 */
export async function* speechPieces(bytes: Uint8Array): AsyncGenerator<Int16Array> {
  const pieces: Int16Array[] = []
  const decoder = new SpeechDecoder(pcm => pieces.push(pcm.slice()))
  try {
    for (let at = 0, slices = 0; at < bytes.length; at += SLICE_BYTES) {
      const slice = bytes.subarray(at, at + SLICE_BYTES)
      while (!decoder.write(slice, at === 0)) await mp3Ready()
      if (++slices % TURN_SLICES !== 0) continue
      yield* pieces.splice(0)
      await new Promise(setImmediate)
    }
    while (!decoder.finish()) await mp3Ready()
    yield* pieces
  } finally {
    decoder.close()
  }
}

/** Decodes `bytes` as {@link speechPieces} does, and stops soon after `maxSeconds` of audio. */
export async function decodeSpeech(bytes: Uint8Array, maxSeconds: number): Promise<Int16Array> {
  const pieces: Int16Array[] = []
  let samples = 0
  for await (const pcm of speechPieces(bytes)) {
    pieces.push(pcm)
    samples += pcm.length
    if (samples >= maxSeconds * SAMPLE_RATE) break
  }
  return concat(pieces)
}
