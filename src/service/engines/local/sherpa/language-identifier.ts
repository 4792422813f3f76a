import { SAMPLE_RATE } from '../../../../transcode/pcm.ts'
import type { LanguageIdentification, SherpaPackage } from './native-package.ts'

/** Speech by which the language is identified (6 s): more costs time and adds little. */
const ENOUGH = 6 * SAMPLE_RATE

/** Identifies the spoken language with a multilingual Whisper model. Blocks its thread, like the model it accompanies. */
export class LanguageIdentifier {
  readonly #native: LanguageIdentification

  constructor(sherpa: SherpaPackage, files: Readonly<Record<string, string>>, threads: number) {
    this.#native = new sherpa.SpokenLanguageIdentification({
      whisper: { encoder: files.encoder, decoder: files.decoder },
      numThreads: threads,
      provider: 'cpu',
      debug: 0,
    })
  }

  /** Returns the ISO 639-1 code of the language of `samples` (16 kHz); undefined if it is unknown. */
  identify(samples: Float32Array): string | undefined {
    const stream = this.#native.createStream()
    stream.acceptWaveform({ sampleRate: SAMPLE_RATE, samples: samples.subarray(0, ENOUGH) })
    return this.#native.compute(stream) || undefined
  }
}
