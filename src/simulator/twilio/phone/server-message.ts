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

/** A message from the server on a bidirectional stream, or the reason why it is invalid. */
export type FromServer =
  | { kind: 'media'; payload: string; bytes: number }
  | { kind: 'mark'; name: string }
  | { kind: 'clear' }
  | { kind: 'wrong'; code: 31950 | 31951; why: string }

const NOT_BASE64 = /[^A-Za-z0-9+/]/
/** The last digit before `==` carries 2 bits, before `=` 4 bits: canonical text has zeros in the others. */
const LAST_OF_TWO = 'AQgw'
const LAST_OF_THREE = 'AEIMQUYcgkosw048'

/** Returns true for base64 as RFC 4648 section 4 writes it, with padding and without stray bits. */
export function isCanonicalBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false
  const padding = paddingOf(text)
  // Searches for invalid characters, because a pattern for valid text exhausts the stack on minutes of audio.
  if (NOT_BASE64.test(text.slice(0, text.length - padding))) return false
  if (padding === 0) return true
  const last = text.charAt(text.length - padding - 1)
  return (padding === 2 ? LAST_OF_TWO : LAST_OF_THREE).includes(last)
}

/** Number of bytes in canonical base64. */
export function bytesOfBase64(text: string): number {
  return (text.length / 4) * 3 - paddingOf(text)
}

function paddingOf(text: string): number {
  return text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
}

const USUAL_TAIL = '"}}'

/**
 * Reads the messages of one stream as strictly as Twilio documents them ("Media Streams: WebSocket messages to
 * Twilio"): text frames, one JSON object each, exactly the fields of the event, the stream's own `streamSid`.
 */
export class MessageReader {
  readonly #streamSid: string
  readonly #usualHead: string

  constructor(streamSid: string) {
    this.#streamSid = streamSid
    this.#usualHead = `{"event":"media","streamSid":${JSON.stringify(streamSid)},"media":{"payload":"`
  }

  /** Reads the content of one frame. Never throws. */
  read(data: Uint8Array, isBinary: boolean): FromServer {
    if (isBinary) return { kind: 'wrong', code: 31950, why: 'a binary frame' }
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    return this.#readUsual(bytes) ?? readText(bytes.toString('utf8'), this.#streamSid)
  }

  /** Recognizes the most common message by its exact text: the same result as `readText`, without creating objects. */
  #readUsual(bytes: Buffer): FromServer | undefined {
    const text = bytes.toString('latin1')
    if (!text.startsWith(this.#usualHead) || !text.endsWith(USUAL_TAIL)) return undefined
    const payload = text.slice(this.#usualHead.length, -USUAL_TAIL.length)
    return payload !== '' && isCanonicalBase64(payload)
      ? { kind: 'media', payload, bytes: bytesOfBase64(payload) }
      : undefined
  }
}

function readText(text: string, streamSid: string): FromServer {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return wrong('not JSON')
  }
  if (!isObject(message)) return wrong('not a JSON object')
  const { event } = message
  if (event !== 'media' && event !== 'mark' && event !== 'clear') return wrong(`event ${show(event)}`)
  const fields = event === 'clear' ? ['event', 'streamSid'] : ['event', 'streamSid', event]
  const odd = oddField(message, fields)
  if (odd) return wrong(`${event}: ${odd}`)
  if (message.streamSid !== streamSid)
    return wrong(`${event}: streamSid ${show(message.streamSid)}, expected ${streamSid}`)
  if (event === 'clear') return { kind: 'clear' }
  return event === 'media' ? readMedia(message.media) : readMark(message.mark)
}

function readMedia(media: unknown): FromServer {
  if (!isObject(media)) return wrong('media.media is not an object')
  const odd = oddField(media, ['payload'])
  if (odd) return wrong(`media.media: ${odd}`)
  const { payload } = media
  if (typeof payload !== 'string' || payload === '') return wrong('media.payload is not a string with audio')
  if (!isCanonicalBase64(payload)) return wrong('media.payload is not canonical base64')
  return { kind: 'media', payload, bytes: bytesOfBase64(payload) }
}

function readMark(mark: unknown): FromServer {
  if (!isObject(mark)) return wrong('mark.mark is not an object')
  const odd = oddField(mark, ['name'])
  if (odd) return wrong(`mark.mark: ${odd}`)
  const { name } = mark
  return typeof name === 'string' && name !== ''
    ? { kind: 'mark', name }
    : wrong('mark.name is not a string with text')
}

/** Returns the first missing or unknown field, in words. */
function oddField(object: Record<string, unknown>, fields: readonly string[]): string | undefined {
  for (const field of fields) if (!Object.hasOwn(object, field)) return `field ${field} is missing`
  for (const field of Object.keys(object))
    if (!fields.includes(field)) return `field ${show(field)} is unknown`
  return undefined
}

function wrong(why: string): FromServer {
  return { kind: 'wrong', code: 31951, why }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').slice(0, 60)
}
