/**
 * The four bytes at the start of every frame of MPEG audio layer III (ISO/IEC 11172-3 §2.4.1.3, ISO/IEC 13818-3;
 * version 2.5 is the common extension to a quarter of the rates).
 */

/** Content of a frame header. Shared and frozen: equal headers are the same object. */
export interface Mp3Header {
  readonly version: 1 | 2 | 2.5
  /** Hz. */
  readonly rate: number
  readonly channels: 1 | 2
  /** Bits per second, 8000 to 320 000. */
  readonly bitrate: number
  /** Length of the whole frame including its header, 24 to 1441. */
  readonly bytes: number
  /** Samples per channel: 1152, or 576 in versions 2 and 2.5. */
  readonly samples: number
  /** Offset of the audio data from the header: after the checksum, if any, and the side information. */
  readonly dataAt: number
}

/** Length of a header. */
const MP3_HEADER_BYTES = 4

// kbit/s by index 1 to 14 (table of ISO/IEC 11172-3 §2.4.2.3 and ISO/IEC 13818-3); 0 means "free", 15 is forbidden.
const BITRATES_1 = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const BITRATES_2 = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
const RATES_1 = [44_100, 48_000, 32_000]
const VERSIONS = [2.5, undefined, 2, 1] as const
const LAYER_3 = 1
const CHECKSUM_BYTES = 2
const MONO = 3
const RESERVED_EMPHASIS = 2

/** Cache of headers by their bits: a few for each stream, a few thousand at most. */
const known = new Map<number, Mp3Header>()

/**
 * Returns the header at `at` of `bytes`, or undefined without one: also for the other layers and for the "free"
 * bitrate, whose frames do not give their length.
 */
export function mp3HeaderAt(bytes: Uint8Array, at: number): Mp3Header | undefined {
  if (at + MP3_HEADER_BYTES > bytes.length) return undefined
  const second = bytes[at + 1]!
  if (bytes[at] !== 0xff || second < 0xe0) return undefined
  const fourth = bytes[at + 3]!
  if ((fourth & 3) === RESERVED_EMPHASIS) return undefined
  // Private, copyright, original and emphasis bits affect neither length nor sound.
  const bits = (second << 16) | ((bytes[at + 2]! & 0xfe) << 8) | (fourth & 0xc0)
  const met = known.get(bits)
  if (met) return met
  const header = parse(bits)
  if (header) known.set(bits, header)
  return header
}

/**
 * Returns how many bytes of earlier frames the frame of `header` at `at` refers back to (`main_data_begin`, the first 9
 * bits of the side information, 8 in versions 2 and 2.5). 0 for the first frame of every file.
 */
export function mp3ReachBack(bytes: Uint8Array, at: number, header: Mp3Header): number {
  const side = at + MP3_HEADER_BYTES + (bytes[at + 1]! & 1 ? 0 : CHECKSUM_BYTES)
  return header.version === 1 ? (bytes[side]! << 1) | (bytes[side + 1]! >> 7) : bytes[side]!
}

/** True if frames of both headers can be consecutive in one stream: same version, rate and number of channels. */
export function sameStream(a: Mp3Header, b: Mp3Header): boolean {
  return a === b || (a.rate === b.rate && a.channels === b.channels && a.version === b.version)
}

function parse(bits: number): Mp3Header | undefined {
  const version = VERSIONS[(bits >> 19) & 3]
  const layer = (bits >> 17) & 3
  const kilobits = (version === 1 ? BITRATES_1 : BITRATES_2)[((bits >> 12) & 15) - 1]
  const baseRate = RATES_1[(bits >> 10) & 3]
  if (version === undefined || layer !== LAYER_3 || kilobits === undefined || baseRate === undefined)
    return undefined
  const checksumBytes = bits & 0x1_0000 ? 0 : CHECKSUM_BYTES
  const padding = (bits >> 9) & 1
  const channels = ((bits >> 6) & 3) === MONO ? 1 : 2
  const rate = version === 1 ? baseRate : baseRate / (version === 2 ? 2 : 4)
  const samples = version === 1 ? 1152 : 576
  const sideBytes = version === 1 ? (channels === 1 ? 17 : 32) : channels === 1 ? 9 : 17
  return Object.freeze({
    version,
    rate,
    channels,
    bitrate: kilobits * 1000,
    bytes: Math.floor(((samples / 8) * kilobits * 1000) / rate) + padding,
    samples,
    dataAt: MP3_HEADER_BYTES + checksumBytes + sideBytes,
  })
}
