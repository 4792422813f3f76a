import type { LineFormat, Start } from '../carrier.ts'
import { type Fields, isFields, textOf, wholeNumber } from './message-fields.ts'

/** Encodings, and the sample rate that a name implies (Hz). */
interface Encoding {
  readonly codec: 'mulaw' | 'alaw' | 'l16'
  readonly rate?: number
}

const MULAW: Encoding = { codec: 'mulaw' }
const ALAW: Encoding = { codec: 'alaw' }
const LINEAR: Encoding = { codec: 'l16' }

/**
 * Names of the encodings in lower case, without `audio/` and `x-`: media types (Twilio, Plivo, SignalWire), RTP names (Telnyx)
 * and the formats of Asterisk.
 */
const ENCODINGS = new Map<string, Encoding>([
  ...['mulaw', 'mu-law', 'ulaw', 'u-law', 'pcmu', 'basic', 'g711_ulaw'].map(name => [name, MULAW] as const),
  ...['alaw', 'a-law', 'pcma', 'g711_alaw'].map(name => [name, ALAW] as const),
  ...['l16', 'linear16', 'pcm', 'pcm16', 'pcm_s16le'].map(name => [name, LINEAR] as const),
  ['slin', { codec: 'l16', rate: 8_000 }],
  ['slin16', { codec: 'l16', rate: 16_000 }],
])

/** A name, and the rate after it: `audio/x-l16;rate=16000`, `L16@16000h`. */
const NAME = /^(?:audio\/)?(?:x-)?([a-z][a-z0-9_-]{0,31})(?:\s*;\s*rate\s*=\s*(\d{4,6})|@(\d{4,6})h?)?$/

/**
 * Returns the format that `start` announces: an object with `encoding`, `sampleRate` or `sample_rate`, and `channels`, or the
 * name of the encoding alone. What it does not say is as requested (`line`). An unknown encoding is returned as it is
 * spelled, and a number that is none as NaN, so that the stream is rejected.
 */
export function formatOf(given: unknown, line: LineFormat): Pick<Start, 'codec' | 'rate' | 'channels'> {
  const format: Fields = isFields(given) ? given : { encoding: given }
  const name = textOf(format.encoding)
  const [, base = '', inType, inCodec] = NAME.exec(name.trim().toLowerCase()) ?? []
  const encoding = ENCODINGS.get(base)
  return {
    codec: name === '' ? line.codec : encoding ? codecOf(encoding, line) : name,
    rate: numberOf(format.sampleRate ?? format.sample_rate ?? inType ?? inCodec ?? encoding?.rate, line.rate),
    channels: numberOf(format.channels, 1),
  }
}

/** The name of linear PCM does not tell its byte order. */
function codecOf({ codec }: Encoding, line: LineFormat): string {
  return codec === 'l16' && line.codec === 'l16be' ? line.codec : codec
}

function numberOf(value: unknown, otherwise: number): number {
  return value === undefined || value === null || value === '' ? otherwise : wholeNumber(value)
}
