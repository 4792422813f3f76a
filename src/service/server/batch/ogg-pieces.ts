import { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis'
import { OggOpusDecoder } from 'ogg-opus-decoder'
import { saturate } from '../../../transcode/saturate.ts'
import { ServiceError } from '../service-error.ts'
import { oggCodec } from './ogg-pages.ts'
import { FILE_RATES, type SoundResampler, soundResampler } from './sound-resampler.ts'

/** Bytes decoded before others get their turn; little, since silence may take hardly any. */
const PIECE_BYTES = 8 * 1024

/** Packets that cannot be decoded, beyond which it is no recording any more; the decoder writes a line about each. */
const MOST_ERRORS = 20

/** What the decoders give, as far as it is used here. */
interface Decoded {
  readonly channelData: readonly Float32Array[]
  readonly samplesDecoded: number
  readonly sampleRate: number
  readonly errors: readonly unknown[]
}

/** The sound of an Ogg file (Opus, Vorbis) at 16 kHz mono, in pieces. Throws a `ServiceError`. */
export async function* oggPieces(bytes: Uint8Array): AsyncGenerator<Int16Array> {
  const decoder = oggCodec(bytes) === 'opus' ? new OggOpusDecoder() : new OggVorbisDecoder()
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
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      yield sixteen(await attempt(() => decoder.decode(bytes.subarray(at, at + PIECE_BYTES))))
      await new Promise(setImmediate)
    }
    yield sixteen(await attempt(() => decoder.flush()))
    if (!resampler) throw new ServiceError('file_damaged', 'nothing of the ogg file can be decoded')
    yield resampler.flush()
  } finally {
    decoder.free()
  }
}

/** Damage shows as anything that a decoder throws. */
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

/** The mean of all channels, as 16-bit samples. */
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
