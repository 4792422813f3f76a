import { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis'
import { oggPages } from '../../../transcode/container/ogg-pages.ts'
import { saturate } from '../../../transcode/saturate.ts'
import { ServiceError } from '../service-error.ts'
import { FILE_RATES, type SoundResampler, soundResampler } from './sound-resampler.ts'

/** Number of undecodable packets above which the file is rejected; the decoder writes a line about each. */
const MOST_ERRORS = 20

/** The part of a decoder result that is used here. */
interface Decoded {
  readonly channelData: readonly Float32Array[]
  readonly samplesDecoded: number
  readonly sampleRate: number
  readonly errors: readonly unknown[]
}

/**
 * Decodes an Ogg Vorbis file to 16 kHz mono, page by page: a byte can expand to 4096 samples per channel, and a page
 * has at most 255 packets, so memory is bounded for any file. Throws a `ServiceError`, or an `AudioFileError` for a
 * page.
 */
export async function* vorbisPieces(bytes: Uint8Array): AsyncGenerator<Int16Array> {
  for (const _page of oggPages(bytes)) {
    // Check the whole file before the recognizer receives any of it.
  }
  const decoder = new OggVorbisDecoder()
  let resampler: SoundResampler | undefined
  let errors = 0
  const sixteen = (decoded: Decoded): Int16Array => {
    errors += decoded.errors.length
    if (errors > MOST_ERRORS)
      throw new ServiceError(
        'file_damaged',
        `more than ${MOST_ERRORS} packets of the ogg file cannot be decoded`,
      )
    if (decoded.samplesDecoded <= 0) return new Int16Array(0)
    resampler ??= resamplerFor(decoded.sampleRate)
    return resampler.process(mixed(decoded))
  }
  try {
    await decoder.ready
    for (const page of oggPages(bytes)) {
      yield sixteen(await attempt(() => decoder.decode(page.bytes)))
      await new Promise(setImmediate)
    }
    yield sixteen(await attempt(() => decoder.flush()))
    if (!resampler) throw new ServiceError('file_damaged', 'no part of the ogg file can be decoded')
    yield resampler.flush()
  } finally {
    decoder.free()
  }
}

/** Decoders throw arbitrary values for damaged files. */
async function attempt(decode: () => Decoded | Promise<Decoded>): Promise<Decoded> {
  try {
    return await decode()
  } catch (cause) {
    throw new ServiceError('file_damaged', 'the ogg file cannot be decoded', { cause })
  }
}

function resamplerFor(rate: number): SoundResampler {
  if (FILE_RATES.includes(rate)) return soundResampler(rate)
  throw new ServiceError('coding_not_supported', `the file has ${rate} Hz, allowed: ${FILE_RATES.join(', ')}`)
}

/** Averages all channels into 16-bit samples. */
function mixed({ channelData, samplesDecoded }: Decoded): Int16Array {
  const pcm = new Int16Array(samplesDecoded)
  const scale = 32_768 / channelData.length
  for (let i = 0; i < pcm.length; i++) {
    let sum = 0
    for (const channel of channelData) sum += channel[i] ?? 0
    pcm[i] = saturate(sum * scale)
  }
  return pcm
}
