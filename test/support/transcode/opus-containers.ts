import { opusEncoder } from '../../../simulator/discord/voice/speech.ts'
import { checksum } from '../../../src/transcode/container/ogg-pages.ts'
import { EBML, elementOf } from '../../../src/transcode/container/webm-opus.ts'
import { sine } from './tone.ts'

/** Opus packets of 20 ms with a tone of 440 Hz. */
export function tonePackets(ms: number): Buffer[] {
  const encoder = opusEncoder(1)
  const pcm = sine(440, ms, 12_000, 48_000)
  return Array.from({ length: ms / 20 }, (_, n) => encoder.encode(pcm.slice(n * 960, (n + 1) * 960)))
}

export function opusHead({ channels = 1, preSkip = 312, family = 0, streams = 1, coupled = 0 } = {}): Buffer {
  const head = Buffer.alloc(family === 0 ? 19 : 21 + channels)
  head.write('OpusHead\u0001', 'latin1')
  head[9] = channels
  head.writeUInt16LE(preSkip, 10)
  head.writeUInt32LE(48_000, 12)
  head[18] = family
  if (family !== 0) {
    head[19] = streams
    head[20] = coupled
    for (let n = 0; n < channels; n++) head[21 + n] = n % (streams + coupled)
  }
  return head
}

export interface PageOptions {
  readonly flags?: number
  readonly serial?: number
  readonly position?: number
}

/** A page of whole packets; `open`: its last one continues in the next page. */
export function oggPage(
  packets: readonly Buffer[],
  { flags = 0, serial = 7, position = 0 }: PageOptions = {},
  open = false,
): Buffer {
  const lacing = packets.flatMap(({ length }, n) => {
    const full = Array<number>(Math.floor(length / 255)).fill(255)
    return open && n === packets.length - 1 ? full : [...full, length % 255]
  })
  if (lacing.length > 255) throw new RangeError(`${lacing.length} segments do not fit a page`)
  const head = Buffer.alloc(27)
  head.write('OggS', 'latin1')
  head[5] = flags
  head.writeBigInt64LE(BigInt(position), 6)
  head.writeUInt32LE(serial, 14)
  head[26] = lacing.length
  const page = Buffer.concat([head, Buffer.from(lacing), ...packets])
  page.writeUInt32LE(checksum(page), 22)
  return page
}

/** An Ogg file of one stream, `perPage` packets of 20 ms on a page. */
export function oggFile(
  packets: readonly Buffer[],
  { head = opusHead(), perPage = 50, serial = 7 } = {},
): Buffer {
  const pages = [
    oggPage([head], { flags: 2, serial }),
    oggPage([Buffer.from('OpusTags\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000')], { serial }),
  ]
  for (let at = 0; at < packets.length; at += perPage) {
    const end = Math.min(packets.length, at + perPage)
    pages.push(
      oggPage(packets.slice(at, end), {
        serial,
        position: end * 960,
        flags: end === packets.length ? 4 : 0,
      }),
    )
  }
  return Buffer.concat(pages)
}

export interface WebmOptions {
  readonly head?: Buffer
  readonly codec?: string
  /** Like the recordings of browsers: the length is unknown. */
  readonly unknownSizes?: boolean
  /** Blocks in groups, as other writers make them. */
  readonly groups?: boolean
  /** The number of the track, and before it one of a picture. */
  readonly track?: number
  readonly picture?: boolean
  readonly lacing?: number
}

const unknown = (id: number) =>
  Buffer.concat([Buffer.from(id.toString(16), 'hex'), Buffer.from('01ffffffffffffff', 'hex')])

/** A WebM file, 50 packets in a cluster. */
export function webmFile(
  packets: readonly Buffer[],
  {
    head = opusHead(),
    codec = 'A_OPUS',
    unknownSizes = true,
    groups,
    track = 1,
    picture,
    lacing = 0,
  }: WebmOptions = {},
): Buffer {
  const master = (id: number, ...children: Buffer[]) =>
    unknownSizes && (id === EBML.segment || id === EBML.cluster)
      ? Buffer.concat([unknown(id), ...children])
      : elementOf(id, Buffer.concat(children))
  const number = track < 128 ? Buffer.of(0x80 + track) : Buffer.of(0x40 + (track >> 8), track & 255)
  const entry = (type: number, own: number, codecId: string, more: Buffer) =>
    elementOf(
      EBML.trackEntry,
      Buffer.concat([
        elementOf(EBML.trackNumber, own < 256 ? Buffer.of(own) : Buffer.of(own >> 8, own & 255)),
        elementOf(EBML.trackType, Buffer.of(type)),
        elementOf(EBML.codecId, Buffer.from(codecId)),
        elementOf(EBML.codecPrivate, more),
      ]),
    )
  const block = (packet: Buffer, n: number, of = number) => {
    const data = Buffer.concat([of, Buffer.of((n * 20) >> 8, (n * 20) & 255, lacing), packet])
    return groups
      ? elementOf(EBML.blockGroup, elementOf(EBML.block, data))
      : elementOf(EBML.simpleBlock, data)
  }
  const clusters: Buffer[] = []
  for (let at = 0; at < packets.length; at += 50) {
    const blocks = packets
      .slice(at, at + 50)
      .flatMap((packet, n) => [
        ...(picture ? [block(Buffer.from('a picture'), n, Buffer.of(0x81))] : []),
        block(packet, n),
      ])
    clusters.push(master(EBML.cluster, elementOf(0xe7, Buffer.of(0)), ...blocks))
  }
  const tracks = [
    ...(picture ? [entry(1, 1, 'V_VP9', Buffer.from('a picture'))] : []),
    entry(2, track, codec, head),
  ]
  return Buffer.concat([
    elementOf(EBML.head, elementOf(0x4282, Buffer.from('webm'))),
    master(
      EBML.segment,
      elementOf(0x1549a966, Buffer.from('2ad7b1830f4240', 'hex')),
      elementOf(EBML.tracks, Buffer.concat(tracks)),
      ...clusters,
    ),
  ])
}
