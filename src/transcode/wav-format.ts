import { decodeMulaw } from './g711.ts'
import { saturate } from './saturate.ts'

/**
 * Faults of a WAV file. `NOT_WAV`: not RIFF WAVE at all. `NO_FORMAT`, `NO_DATA`: the chunk is missing. `BAD_FORMAT`:
 * the format chunk is inconsistent or incomplete. `UNSUPPORTED`: an unsupported encoding.
 */
export type WavErrorCode = 'NOT_WAV' | 'NO_FORMAT' | 'NO_DATA' | 'BAD_FORMAT' | 'UNSUPPORTED'

/** An unreadable WAV file. */
export class WavError extends Error {
  override readonly name = 'WavError'
  readonly code: WavErrorCode

  constructor(code: WavErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** The parsed format chunk. */
export interface WavFormat {
  readonly rate: number
  readonly channels: number
  /** Bytes per sample of all channels. */
  readonly bytesPerMoment: number
  /** Decodes `count` samples of `view` from byte `at` on into a new array. */
  decode(view: DataView, at: number, count: number): Int16Array
}

// Format tags, of mmreg.h.
const PCM = 1
const FLOAT = 3
const MULAW = 7
const EXTENSIBLE = 0xfffe

const SMALLEST_BYTES = 16
const EXTENSIBLE_BYTES = 26

/** Reads the format chunk of `size` bytes at `at`. Throws {@link WavError}. */
export function decoderFor(view: DataView, at: number, size: number): WavFormat {
  if (size < SMALLEST_BYTES)
    throw new WavError('BAD_FORMAT', `the fmt chunk needs ${SMALLEST_BYTES} bytes, got ${size}`)
  let coding = view.getUint16(at, true)
  const channels = view.getUint16(at + 2, true)
  const rate = view.getUint32(at + 4, true)
  const align = view.getUint16(at + 12, true)
  const bits = view.getUint16(at + 14, true)
  if (coding === EXTENSIBLE) {
    if (size < EXTENSIBLE_BYTES)
      throw new WavError('BAD_FORMAT', `an extensible fmt chunk needs ${EXTENSIBLE_BYTES} bytes, got ${size}`)
    coding = view.getUint16(at + 24, true)
  }
  if (channels === 0 || rate === 0)
    throw new WavError('BAD_FORMAT', `${channels} channels at ${rate} Hz are not valid`)
  const decode = DECODERS[`${coding}/${bits}`]
  if (!decode)
    throw new WavError(
      'UNSUPPORTED',
      `cannot read format ${coding} of ${bits} bits: ${Object.keys(DECODERS).join(', ')}`,
    )
  const bytesPerMoment = channels * (bits / 8)
  if (align !== bytesPerMoment)
    throw new WavError(
      'BAD_FORMAT',
      `${channels} channels of ${bits} bits take ${bytesPerMoment} bytes, not ${align}`,
    )
  return { rate, channels, bytesPerMoment, decode }
}

type Decode = WavFormat['decode']

/** By format tag and bits per sample. */
const DECODERS: Readonly<Record<string, Decode | undefined>> = {
  // Eight bits are unsigned, unlike all other widths.
  [`${PCM}/8`]: each(1, (view, at) => (view.getUint8(at) - 128) << 8),
  [`${PCM}/16`]: each(2, (view, at) => view.getInt16(at, true)),
  [`${PCM}/24`]: each(3, (view, at) =>
    saturate(((view.getInt8(at + 2) << 16) | view.getUint16(at, true)) / 256),
  ),
  [`${PCM}/32`]: each(4, (view, at) => saturate(view.getInt32(at, true) / 65_536)),
  [`${FLOAT}/32`]: each(4, (view, at) => fromFloat(view.getFloat32(at, true))),
  [`${FLOAT}/64`]: each(8, (view, at) => fromFloat(view.getFloat64(at, true))),
  [`${MULAW}/8`]: (view, at, count) => {
    const pcm = new Int16Array(count)
    decodeMulaw(new Uint8Array(view.buffer, view.byteOffset + at, count), pcm)
    return pcm
  },
}

function each(bytes: number, sample: (view: DataView, at: number) => number): Decode {
  return (view, at, count) => {
    const pcm = new Int16Array(count)
    for (let i = 0; i < count; i++) pcm[i] = sample(view, at + i * bytes)
    return pcm
  }
}

/** Full scale is 1; NaN becomes silence. */
function fromFloat(value: number): number {
  return Number.isNaN(value) ? 0 : saturate(value * 32_768)
}
