import type { Inbound } from '../ports/media-dialect.ts'
import { END, FAULT, PlainJson } from './plain-json.ts'

// Each leg receives fifty media messages a second, so they are read and decoded byte by byte: JSON.parse, with the strings
// and objects it creates, takes several times as long. The order of the members does not matter.

const EVENT = bytesOf('event')
const MEDIA = bytesOf('media')
const TRACK = bytesOf('track')
const OUTBOUND = bytesOf('outbound')
const CHUNK = bytesOf('chunk')
const TIMESTAMP = bytesOf('timestamp')
const PAYLOAD = bytesOf('payload')
const EQUALS = 0x3d
const MAX_DIGITS = 15

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
/** The six bits of a base64 character; negative for any other byte. */
const SIX_BITS = new Int8Array(256).fill(-1)
for (let bits = 0; bits < ALPHABET.length; bits++) SIX_BITS[ALPHABET.charCodeAt(bits)] = bits

// Valid until the next message, as the contract of `MediaDialect.parse` allows.
const AUDIO = Buffer.allocUnsafeSlow(1_600)
/** Views of the first bytes, by length: 160 for 20 ms of µ-law. */
const VIEWS: Buffer[] = []

type Media = Extract<Inbound, { kind: 'media' }>

/** The members that a carrier’s media messages have next to `event`, `media`, `track` and `payload`. */
export interface MediaMembers {
  /** Name of the stream’s ID, next to `media`. */
  readonly stream: string
  /** `media.timestamp` is a position in the stream. Default true. */
  readonly timed?: boolean
  /** `media.chunk` numbers the messages of a track, which arrive in any order. Default false. */
  readonly numbered?: boolean
}

/**
 * Returns a reader of media messages of the inbound track, for carriers whose messages are JSON. It returns undefined for any
 * message that needs a complete parser. Its result is reused: it is valid until the next call.
 */
export function mediaReader({ stream, timed = true, numbered = false }: MediaMembers) {
  const json = new PlainJson()
  const streamName = bytesOf(stream)
  const media: { -readonly [K in keyof Media]: Media[K] } = {
    kind: 'media',
    streamId: '',
    track: 'inbound',
    timestampMs: Number.NaN,
    payload: AUDIO,
    ...(numbered ? { sequence: Number.NaN } : {}),
  }

  return (data: Buffer): Media | undefined => {
    media.timestampMs = Number.NaN
    if (numbered) media.sequence = Number.NaN
    if (!json.start(data)) return undefined
    let isMedia = false
    let length = -1
    let [idFrom, idTo] = [0, 0]
    for (let step = json.name(); step !== END; step = json.name()) {
      if (step === FAULT) return undefined
      if (json.is(MEDIA)) {
        // Of two members of a name, the last one counts, with none of the first one’s.
        if (length >= 0) return undefined
        length = readAudio(data)
        if (length < 0) return undefined
        continue
      }
      const isEvent = json.is(EVENT)
      const isStream = json.is(streamName)
      if (!json.value()) return undefined
      if (isEvent) {
        isMedia = json.quoted && json.is(MEDIA)
        if (!isMedia) return undefined
      } else if (isStream) {
        if (!json.quoted) return undefined
        idFrom = json.from
        idTo = json.to
      }
    }
    if (!isMedia || length < 0 || !json.finished()) return undefined
    media.streamId = idTo > idFrom ? data.toString('latin1', idFrom, idTo) : ''
    media.payload = VIEWS[length] ??= AUDIO.subarray(0, length)
    return media
  }

  /** Reads the object `media` and decodes its payload; returns the bytes of it, or a negative number. */
  function readAudio(data: Buffer): number {
    if (!json.enter()) return -1
    let length = -1
    for (let step = json.name(); step !== END; step = json.name()) {
      if (step === FAULT) return -1
      if (json.is(PAYLOAD)) {
        if (!json.unchecked()) return -1
        length = decodeBase64(data, json.from, json.to)
        if (length < 0) return -1
        continue
      }
      const isTrack = json.is(TRACK)
      const isTime = timed && json.is(TIMESTAMP)
      const isNumber = numbered && json.is(CHUNK)
      if (!json.value() || (isTrack && json.is(OUTBOUND))) return -1
      if (!isTime && !isNumber) continue
      const number = json.whole(MAX_DIGITS)
      if (number < 0) return -1
      if (isTime) media.timestampMs = number
      else media.sequence = number
    }
    return length
  }
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, character => character.charCodeAt(0))
}

/**
 * Decodes into `AUDIO` and returns the number of bytes: -1 if a character is not of base64, if there are too many, or
 * if one remains. Padding is optional.
 */
function decodeBase64(data: Buffer, from: number, to: number): number {
  let end = to
  if (end > from && data[end - 1] === EQUALS) end--
  if (end > from && data[end - 1] === EQUALS) end--
  const rest = (end - from) % 4
  const length = ((end - from) * 3) >> 2
  if (rest === 1 || length > AUDIO.length) return -1
  let seen = 0
  let out = 0
  let at = from
  for (const whole = end - rest; at < whole; at += 4) {
    const a = SIX_BITS[data[at]!]!
    const b = SIX_BITS[data[at + 1]!]!
    const c = SIX_BITS[data[at + 2]!]!
    const d = SIX_BITS[data[at + 3]!]!
    seen |= a | b | c | d
    AUDIO[out] = (a << 2) | (b >> 4)
    AUDIO[out + 1] = (b << 4) | (c >> 2)
    AUDIO[out + 2] = (c << 6) | d
    out += 3
  }
  if (rest > 0) {
    const a = SIX_BITS[data[at]!]!
    const b = SIX_BITS[data[at + 1]!]!
    const c = rest === 3 ? SIX_BITS[data[at + 2]!]! : 0
    seen |= a | b | c
    AUDIO[out] = (a << 2) | (b >> 4)
    if (rest === 3) AUDIO[out + 1] = (b << 4) | (c >> 2)
  }
  return seen < 0 ? -1 : length
}
