import { type EncodedVoice, Mp3Length } from '../../transcode/encoded-voice.ts'
import { durationMs, FRAME_MS, FRAME_SAMPLES } from '../../transcode/pcm.ts'
import type { AudioRun } from '../../transcode/pcm-stream.ts'
import type { VoicePosition } from '../../transcode/voice-decoder.ts'
import type { VoiceFormat } from '../../transcode/voice-stream.ts'
import type { UtteranceReader } from './speech-audio.ts'
import type { VoicePass } from './utterance-audio.ts'

/** Decoded before the start of a copy from the middle (frames: 1 s). */
const PREROLL_FRAMES = 50

/** A position in a voice, and the first frame decoded from there. */
export interface Cut extends VoicePosition {
  readonly frame: number
}

/** A voice of known length. */
export interface CutVoice {
  readonly voice: EncodedVoice
  readonly format: VoiceFormat
  /** The audio in a voice of samples. */
  readonly runs: readonly AudioRun[]
  /** Its frames, without the skipped ones. */
  readonly frames: number
  /** Frames skipped at its start. */
  readonly skipped: number
}

/** Returns a position in the voice from which frame `frame` can be decoded; undefined if none of it is left. */
export function cutBefore(frame: number, of: CutVoice): Cut | undefined {
  const { voice, format, frames, skipped } = of
  const from = Math.max(0, frame + skipped - PREROLL_FRAMES)
  if (format === 'samples') return cutAmongSamples(from * FRAME_MS, of)
  // Counted from the end, since its start was possibly dropped.
  const keptMs = new Mp3Length(voice).msAfter(0)
  const firstMs = voice.start === 0 ? 0 : (frames + skipped) * FRAME_MS - keptMs
  const { at, ms } = new Mp3Length(voice).seek(from * FRAME_MS - firstMs)
  return { at, start: 'mp3', frame: Math.round((firstMs + ms) / FRAME_MS - skipped) }
}

function cutAmongSamples(fromMs: number, { voice, runs, skipped }: CutVoice): Cut | undefined {
  let beforeMs = 0
  for (const { format, at, end } of runs) {
    const blockMs = durationMs(format.samples(format.blockBytes), format.rate)
    const dropped = Math.ceil((voice.start - at) / format.blockBytes)
    const blocks = Math.max(0, dropped, Math.floor((fromMs - beforeMs) / blockMs))
    const from = at + blocks * format.blockBytes
    if (from < end) {
      const frame = Math.round((beforeMs + blocks * blockMs) / FRAME_MS - skipped)
      return { at: from, start: { format, left: end - from }, frame }
    }
    beforeMs += durationMs(format.samples(end - at), format.rate)
  }
  return undefined
}

/** Copies a voice, or the end of one, faster than playback. */
export class VoiceCopy {
  readonly #pass: VoicePass
  readonly #pcm: Int16Array
  readonly #skip: number
  readonly #reader: UtteranceReader

  /** Fills `pcm` with what `pass` decodes, without the first `skip` frames. Closes `pass` at the end. */
  constructor(pass: VoicePass, pcm: Int16Array, skip: number) {
    this.#pass = pass
    this.#pcm = pcm
    this.#skip = skip
    this.#reader = pass.audio.reader()
  }

  /** Frames copied. */
  get frames(): number {
    return this.#reader.at - this.#skip
  }

  /** Decodes and copies at most `slices` mp3 frames. Returns false once all has been copied. */
  decode(slices: number): boolean {
    this.#pass.decode(slices)
    for (let frame = this.#reader.next(); frame; frame = this.#reader.next()) {
      const at = (this.frames - 1) * FRAME_SAMPLES
      if (at >= 0 && at + frame.length <= this.#pcm.length) this.#pcm.set(frame, at)
    }
    return !this.#reader.done && this.frames * FRAME_SAMPLES < this.#pcm.length
  }

  close(): void {
    this.#reader.close()
    this.#pass.close()
  }
}
