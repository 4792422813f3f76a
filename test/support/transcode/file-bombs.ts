import { EBML, elementOf } from '../../../src/transcode/container/webm-opus.ts'
import { encodeWav } from '../../../src/transcode/wav.ts'
import { oggFile, oggPage, opusHead, tonePackets, webmFile } from './opus-containers.ts'

/** `piece` as often as it fits `bytes`. */
function times(bytes: number, piece: Uint8Array): Buffer {
  const count = Math.floor(bytes / piece.length)
  return Buffer.alloc(count * piece.length, piece)
}

const VOID = Buffer.of(0xec, 0x80)
const id = (of: number) => Buffer.from(of.toString(16), 'hex')
/** An open element of unknown size. */
const opened = (of: number) => Buffer.concat([id(of), Buffer.from('01ffffffffffffff', 'hex')])
/** An element of any size. */
function element(of: number, data: Buffer): Buffer {
  const size = Buffer.alloc(8)
  size.writeBigUInt64BE(BigInt(data.length))
  size[0] = 1
  return Buffer.concat([id(of), size, data])
}

const TONE = tonePackets(1_000)
/** A whole WebM of a second, so that what follows is at the top level of its last cluster. */
const WEBM = webmFile(TONE)
const WEBM_START = Buffer.concat([elementOf(EBML.head, Buffer.alloc(0)), opened(EBML.segment)])
const TRACK = webmFile([])
const SMALL_TRACK = Buffer.concat([
  elementOf(EBML.trackNumber, Buffer.of(1)),
  elementOf(EBML.trackType, Buffer.of(2)),
  elementOf(EBML.codecId, Buffer.from('A_OPUS')),
])

const OGG_START = oggPage([opusHead()], { flags: 2 })
const OGG_STREAM = Buffer.concat([
  oggPage([opusHead({ channels: 8, family: 255, streams: 1 })], { flags: 2 }),
  oggPage([TONE[0]!], { flags: 4, position: 960 }),
])
const emptyPage = oggPage([])
const otherPage = oggPage([Buffer.alloc(0)], { serial: 99 })
/** 255 packets without bytes. */
const manyEmpty = oggPage(Array<Buffer>(255).fill(Buffer.alloc(0)))
/** A page whose only packet never ends. */
const endless = oggPage([Buffer.alloc(255 * 255, 1)], { flags: 1 }, true)

const WAV = Buffer.from(encodeWav(new Int16Array(1_600), 16_000))
const riff = WAV.subarray(0, 12)
const format = WAV.subarray(12, 36)
const list = Buffer.from('LIST\0\0\0\0', 'latin1')
const tiny = Buffer.from('data\u0002\0\0\0RR', 'latin1')

/** Valid headers of mp3, MPEG 2, 24 kHz, 8 kbit/s, whose frames contain `fill`. */
function frames(fill: number): Buffer {
  const frame = Buffer.alloc(24, fill)
  frame.set([0xff, 0xf3, 0x14, 0xc0])
  return frame
}
/** Frames of 320 kbit/s with bits set at random. */
function wildFrame(): Buffer {
  const frame = Buffer.alloc(1_044, 0)
  for (let n = 4, seed = 9; n < frame.length; n++) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    frame[n] = seed >>> 24
  }
  frame.set([0xff, 0xfb, 0xe0, 0xc0])
  return frame
}
const FREE = Buffer.of(0xff, 0xf3, 0x04, 0xc0)
const id3 = Buffer.from('ID3\u0004\0\0\0\0\0\0', 'latin1')
const ape = Buffer.concat([Buffer.from('APETAGEX'), Buffer.alloc(24)])

/** Files of `bytes` that consist of as many elements as possible, or of the ones that are most expensive to read. */
export function fileBombs(bytes: number): ReadonlyMap<string, () => Buffer> {
  const filled = (piece: Uint8Array) => times(bytes, piece)
  return new Map<string, () => Buffer>([
    ['WebM: Voids in a block group', () => Buffer.concat([WEBM, element(EBML.blockGroup, filled(VOID))])],
    ['WebM: Voids in a segment', () => Buffer.concat([WEBM_START, filled(VOID)])],
    ['WebM: Voids after audio', () => Buffer.concat([WEBM, filled(VOID)])],
    ['WebM: Voids in tracks', () => Buffer.concat([WEBM_START, element(EBML.tracks, filled(VOID))])],
    [
      'WebM: Voids in a track',
      () => Buffer.concat([WEBM_START, element(EBML.tracks, element(EBML.trackEntry, filled(VOID)))]),
    ],
    [
      'WebM: tracks without number',
      () => Buffer.concat([WEBM_START, element(EBML.tracks, filled(elementOf(EBML.trackEntry, VOID)))]),
    ],
    ['WebM: nested segments', () => Buffer.concat([WEBM_START, filled(opened(EBML.segment))])],
    ['WebM: nested clusters', () => Buffer.concat([WEBM, filled(opened(EBML.cluster))])],
    ['WebM: empty block groups', () => Buffer.concat([WEBM, filled(elementOf(EBML.blockGroup, VOID))])],
    [
      'WebM: block groups of thirty Voids',
      () => Buffer.concat([WEBM, filled(elementOf(EBML.blockGroup, times(60, VOID)))]),
    ],
    ['WebM: tracks again and again', () => Buffer.concat([TRACK, filled(elementOf(EBML.tracks, VOID))])],
    [
      'WebM: one block',
      () => Buffer.concat([WEBM, element(EBML.simpleBlock, filled(Buffer.of(0x81, 0, 0, 0)))]),
    ],
    [
      'WebM: a head of that size',
      () => {
        const head = element(EBML.codecPrivate, filled(Buffer.of(1)))
        const entry = element(EBML.trackEntry, Buffer.concat([SMALL_TRACK, head]))
        return Buffer.concat([WEBM_START, element(EBML.tracks, entry)])
      },
    ],
    [
      'WebM: empty blocks',
      () => Buffer.concat([WEBM, filled(elementOf(EBML.simpleBlock, Buffer.of(0x81, 0, 0, 0)))]),
    ],
    ['Ogg: pages without segments', () => Buffer.concat([OGG_START, filled(emptyPage)])],
    ['Ogg: pages of another stream', () => Buffer.concat([OGG_START, filled(otherPage)])],
    ['Ogg: pages of empty packets', () => Buffer.concat([OGG_START, filled(manyEmpty)])],
    ['Ogg: a packet without end', () => Buffer.concat([OGG_START, filled(endless)])],
    ['Ogg: only heads', () => filled(OGG_START)],
    [
      'Ogg: heads of other codecs',
      () => filled(oggPage([Buffer.from('\u0080theora')], { flags: 2, serial: 3 })),
    ],
    [
      'Ogg: damaged pages',
      () =>
        Buffer.concat([
          OGG_START,
          filled(Buffer.concat([emptyPage.subarray(0, -5), Buffer.of(9, 9, 9, 9, 0)])),
        ]),
    ],
    [
      'Ogg: packets of one byte',
      () => Buffer.concat([OGG_START, filled(oggPage(Array<Buffer>(255).fill(Buffer.of(0))))]),
    ],
    ['Ogg: 64 streams, one after the other', () => times(64 * OGG_STREAM.length, OGG_STREAM)],
    ['Ogg: streams without end', () => filled(OGG_STREAM)],
    ['WAV: empty chunks', () => Buffer.concat([riff, filled(list)])],
    ['WAV: empty chunks after audio', () => Buffer.concat([WAV, filled(list)])],
    ['WAV: only starts', () => filled(riff)],
    [
      'WAV: starts of files without end',
      () => Buffer.concat([WAV.subarray(0, 40), Buffer.of(255, 255, 255, 255), filled(riff)]),
    ],
    ['WAV: formats', () => Buffer.concat([riff, filled(format)])],
    ['WAV: tiny audio', () => Buffer.concat([WAV, filled(tiny)])],
    [
      'WAV: beginnings of starts',
      () => Buffer.concat([WAV.subarray(0, 40), Buffer.of(255, 255, 255, 255), filled(Buffer.from('R'))]),
    ],
    [
      'WAV: 64 channels of ADPCM',
      () => {
        const adpcm = Buffer.from(WAV.subarray(0, 44))
        adpcm.writeUInt16LE(0x11, 20)
        adpcm.writeUInt16LE(64, 22)
        adpcm.writeUInt16LE(256, 32)
        adpcm.writeUInt32LE(0xffff_ffff, 40)
        return Buffer.concat([adpcm, filled(Buffer.of(0x77))])
      },
    ],
    ['mp3: headers without frames', () => filled(Buffer.of(0xff, 0xf3, 0x14, 0xc0))],
    // libmpg123 searches the second header of such a frame to find its length.
    ['mp3: headers of a free bitrate', () => Buffer.concat([times(2_400, frames(0)), filled(FREE)])],
    [
      'mp3: headers of a free bitrate, and sound',
      () => filled(Buffer.concat([times(120, frames(0)), times(3_000, FREE)])),
    ],
    ['mp3: frames of zeros', () => filled(frames(0))],
    ['mp3: frames of ones', () => filled(frames(0xff))],
    ['mp3: wild frames', () => filled(wildFrame())],
    [
      'mp3: bytes of ones after frames',
      () => Buffer.concat([times(2_400, frames(0)), filled(Buffer.of(0xff))]),
    ],
    [
      'mp3: two headers, then junk',
      () => filled(Buffer.concat([frames(0), frames(0), Buffer.of(0xff, 0xf3, 0, 0)])),
    ],
    ['mp3: empty ID3', () => filled(id3)],
    ['mp3: empty ID3 between frames', () => filled(Buffer.concat([frames(0), frames(0), id3]))],
    ['mp3: APE tags', () => Buffer.concat([times(2_400, frames(0)), filled(ape)])],
    [
      'mp3: ID3 of that size',
      () =>
        Buffer.concat([
          Buffer.from('ID3\u0004\0\0\u000f\u0060\u0001\u0001', 'latin1'),
          filled(Buffer.of(0xff, 0xfb)),
        ]),
    ],
  ])
}

/** Values that parsers of sizes get wrong. */
const SIZES = [0, 1, 0x7f, 0x80, 0xff, 0x7fff_ffff, 0x8000_0000, 0xffff_fff0, 0xffff_ffff]

/** Yields `count` small files of every container in turn, damaged in structure: the same in every run. */
export function* brokenFiles(count: number): Generator<readonly [name: string, file: Buffer]> {
  const random = numbers(20_240_601)
  const sized = webmFile(TONE, { unknownSizes: false, groups: true, picture: true, track: 2 })
  const mp3 = [id3, times(24 * 50, frames(0)), id3, ape, times(24 * 50, frames(0x55))]
  const seeds: readonly (readonly [name: string, file: Buffer, names: readonly string[]])[] = [
    ['WebM', WEBM, ['\u00a3', '\u00ae', '\u001fC\u00b6u']],
    ['WebM of known sizes', sized, ['\u00a0', '\u00a1', '\u00ae', '\u001fC\u00b6u']],
    ['Ogg', oggFile(TONE, { perPage: 5 }), ['OggS']],
    ['WAV', Buffer.concat([WAV, list, WAV, tiny]), ['fmt ', 'data', 'LIST', 'RIFF']],
    ['mp3', Buffer.concat(mp3), ['\u00ff\u00f3', 'ID3', 'APE']],
  ]
  for (let n = 0; n < count; n++) {
    const [name, seed, names] = seeds[n % seeds.length]!
    const starts = names.flatMap(each => places(seed, each))
    let file = Buffer.from(seed)
    for (let changes = 1 + random(3); changes > 0; changes--) {
      const at = Math.min(starts[random(starts.length)]!, file.length)
      const end = Math.min(starts[random(starts.length)]!, file.length)
      const part = file.subarray(Math.min(at, end), Math.max(at, end))
      switch (random(5)) {
        case 0:
          // Repeats an element up to a megabyte.
          file = Buffer.concat([
            file.subarray(0, at),
            times(1 << random(21), part.length > 0 ? part : VOID),
            file.subarray(at),
          ])
          break
        case 1:
          file = Buffer.concat([file.subarray(0, Math.min(at, end)), file.subarray(Math.max(at, end))])
          break
        case 2:
          // Another size behind the name of an element.
          if (at + 12 <= file.length) file.writeUInt32LE(SIZES[random(SIZES.length)]!, at + 1 + random(7))
          break
        case 3:
          file = Buffer.concat([part, file])
          break
        default:
          file.fill(random(256), at, Math.min(at + random(60), file.length))
      }
    }
    yield [`${name} ${n}`, file]
  }
}

function places(file: Buffer, text: string): number[] {
  const found: number[] = []
  for (let at = file.indexOf(text, 0, 'latin1'); at >= 0; at = file.indexOf(text, at + 1, 'latin1'))
    found.push(at)
  return found
}

/** Returns pseudo-random numbers below a given one. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
