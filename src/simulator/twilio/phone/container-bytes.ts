/** Sample rates of MPEG-1 layer III by index; MPEG-2 has half, MPEG-2.5 a quarter of them. */
const RATES = [44_100, 48_000, 32_000]
const KBPS_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const KBPS_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
/** Number of consecutive headers that do not occur in µ-law by chance. */
const PROOF = 3

/**
 * Returns the file type that a payload (canonical base64) starts with, or undefined for probable µ-law. Quiet µ-law is
 * full of 0xFF, so one MPEG header proves nothing: the first frame must contain an encoder's tag, or two more headers
 * of the same kind must follow at the offsets given by the headers before them.
 */
export function containerOf(payload: string): 'WAV' | 'ID3' | 'MP3' | undefined {
  if (payload.startsWith('UklGR')) return 'WAV'
  if (payload.startsWith('SUQz')) return 'ID3'
  if (!payload.startsWith('//')) return undefined
  const bytes = Buffer.from(payload, 'base64')
  let at = 0
  for (let header = 0; header < PROOF; header++) {
    const length = bytes[at + 1] === bytes[1] ? mpegFrameLength(bytes, at) : undefined
    if (length === undefined) return undefined
    if (header === 0 && /Xing|Info|LAME/.test(bytes.toString('latin1', 0, length))) return 'MP3'
    at += length
  }
  return 'MP3'
}

/** Returns the length in bytes of the layer III frame whose header is at `at`, or undefined without a header. */
function mpegFrameLength(bytes: Uint8Array, at: number): number | undefined {
  const [sync, second, third] = [bytes[at], bytes[at + 1], bytes[at + 2]]
  if (sync !== 0xff || second === undefined || third === undefined || (second & 0xe6) !== 0xe2)
    return undefined
  const version = (second >> 3) & 3
  const rate = RATES[(third >> 2) & 3]
  const kbps = (version === 3 ? KBPS_1 : KBPS_2)[third >> 4]
  if (version === 1 || !rate || !kbps) return undefined
  const hz = version === 3 ? rate : version === 2 ? rate / 2 : rate / 4
  return Math.floor(((version === 3 ? 144_000 : 72_000) * kbps) / hz) + ((third >> 1) & 1)
}
