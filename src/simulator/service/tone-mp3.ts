import { createMp3Encoder } from 'wasm-media-encoders'
import { SAMPLE_RATE } from '../../transcode/pcm.ts'

/** Sample rates of mp3. */
export type Mp3Rate = 8000 | 11025 | 12000 | 16000 | 22050 | 24000 | 32000 | 44100 | 48000

const PEAK = 8000
const FADE_MS = 10

/** Returns the frequency that represents a language: 400–3100 Hz, constant, and different for different languages. */
export function toneOf(languageId: string): number {
  const index = (languageId.charCodeAt(0) - 97) * 26 + (languageId.charCodeAt(1) - 97)
  return 400 + 4 * ((((index * 253) % 676) + 676) % 676)
}

/** Returns a tone of `hz` for `ms`, faded at both ends to avoid clicks. */
export function tone(hz: number, ms: number, rate: number = SAMPLE_RATE, peak = PEAK): Int16Array {
  const pcm = new Int16Array(Math.round((ms * rate) / 1000))
  const fade = Math.max(1, Math.min(pcm.length / 2, (FADE_MS * rate) / 1000))
  for (let i = 0; i < pcm.length; i++) {
    const gain = Math.min(1, (i + 1) / fade, (pcm.length - i) / fade)
    pcm[i] = Math.round(peak * gain * Math.sin((2 * Math.PI * hz * i) / rate))
  }
  return pcm
}

/** Encodes mp3 for simulated services: mono, constant bit rate, one encoder, with tones cached. */
export class Mp3Maker {
  readonly #encoder: Awaited<ReturnType<typeof createMp3Encoder>>
  readonly #tones = new Map<string, Uint8Array>()

  private constructor(encoder: Awaited<ReturnType<typeof createMp3Encoder>>) {
    this.#encoder = encoder
  }

  static async create(): Promise<Mp3Maker> {
    return new Mp3Maker(await createMp3Encoder())
  }

  /**
   * Encodes `pcm` of `rate` Hz as mp3: 32 kbit/s up to 24 kHz, 64 above, unless `kbps` is set. The caller owns the
   * result.
   */
  encode(pcm: Int16Array, rate: Mp3Rate = SAMPLE_RATE, kbps?: 32 | 48 | 64 | 128): Uint8Array {
    const bitrate = kbps ?? (rate <= 24_000 ? 32 : 64)
    this.#encoder.configure({ sampleRate: rate, channels: 1, outputSampleRate: rate, bitrate })
    const samples = Float32Array.from(pcm, sample => sample / 32_768)
    const body = this.#encoder.encode([samples]).slice()
    const tail = this.#encoder.finalize()
    const mp3 = new Uint8Array(body.length + tail.length)
    mp3.set(body)
    mp3.set(tail, body.length)
    return mp3
  }

  /** Returns a tone of `hz` for `ms` as mp3. The result is shared between callers: never write into it. */
  tone(hz: number, ms: number, rate: Mp3Rate = SAMPLE_RATE): Uint8Array {
    const key = `${hz}/${ms}/${rate}`
    let mp3 = this.#tones.get(key)
    if (!mp3) {
      mp3 = this.encode(tone(hz, ms, rate), rate)
      this.#tones.set(key, mp3)
    }
    return mp3
  }
}
