import { AudioFileError } from '../../../src/transcode/container/audio-file-error.ts'
import { oggOpusParts } from '../../../src/transcode/container/ogg-opus.ts'
import { webmOpusParts } from '../../../src/transcode/container/webm-opus.ts'
import { declaresDelay, id3Length, startsMp3File } from '../../../src/transcode/mp3/file-start.ts'
import { mp3HeaderAt } from '../../../src/transcode/mp3/header.ts'
import { mp3Ready } from '../../../src/transcode/mp3/mp3-decoder.ts'
import { SpeechDecoder } from '../../../src/transcode/speech-decoder.ts'
import { encodeWav, readWav } from '../../../src/transcode/wav.ts'
import { WavError } from '../../../src/transcode/wav-format.ts'
import { WavReader } from '../../../src/transcode/wav-reader.ts'
import { webmFile } from '../../support/transcode/opus-containers.ts'
import { allowing, type FuzzTarget, must } from '../target.ts'

/** Frames without sound: a header, zeros, and optionally a tag. MPEG 2, 16 kHz, 32 kbit/s, mono: 144 bytes. */
function frames(count: number, tag = ''): Buffer {
  const all = Array.from({ length: count }, (_, n) => {
    const frame = Buffer.alloc(144)
    frame.set([0xff, 0xf3, 0x48, 0xc4])
    if (n === 0 && tag !== '') {
      frame.write(tag, 13, 'latin1')
      frame.writeUInt32BE(0x0f, 17)
      frame.write('LAME3.100', 133 - 0, 'latin1')
    }
    return frame
  })
  return Buffer.concat(all)
}
const id3 = Buffer.concat([
  Buffer.from('ID3\u0004\u0000\u0000\u0000\u0000\u0000\u0014', 'latin1'),
  Buffer.alloc(20, 65),
])
const ape = Buffer.concat([Buffer.from('APETAGEX'), Buffer.alloc(24)])

const MP3: readonly Buffer[] = [
  frames(3),
  frames(4, 'Xing'),
  frames(2, 'Info'),
  Buffer.concat([id3, frames(3), Buffer.from('TAG'), Buffer.alloc(125)]),
  Buffer.concat([frames(2), ape, frames(2)]),
]
const MP3_WORDS = [
  '\u00ff\u00f3\u0048\u00c4',
  '\u00ff\u00fb\u0090\u0000',
  'ID3\u0003',
  'TAG',
  'APETAGEX',
  'Xing',
  'Info',
  'VBRI',
  'LAME',
]

await mp3Ready()

const speech: FuzzTarget = {
  name: 'mp3 from services',
  seeds: MP3,
  words: MP3_WORDS,
  run(input) {
    let samples = 0
    const decoder = new SpeechDecoder(pcm => {
      samples += pcm.length
    })
    for (let at = 0; at < input.length; at += 97) decoder.write(input.subarray(at, at + 97), at % 194 === 0)
    must(decoder.finish(), 'a decoder is free')
    // 24 bytes can be 576 samples at 8 kHz.
    must(samples <= 50 * input.length + 5_000, `no sample from nowhere: ${samples}`)
  },
}

const tags: FuzzTarget = {
  name: 'mp3 headers and tags',
  seeds: MP3,
  words: MP3_WORDS,
  run(input) {
    for (let at = 0; at < Math.min(input.length, 200); at++) {
      const bytes = input.subarray(at)
      const size = id3Length(bytes)
      must(size >= 0 && size <= (1 << 20) + 20, `a tag has a size: ${size}`)
      must(!startsMp3File(bytes) || size > 0 || bytes[0] === 0xff, 'a file starts with a tag or a frame')
      declaresDelay(bytes)
      const header = mp3HeaderAt(input, at)
      if (header === undefined) continue
      must(header.bytes >= 24 && header.bytes <= 1_441 && header.dataAt < 40, 'a frame has a size')
    }
  },
}

const tones = Int16Array.from({ length: 80 }, (_, n) => n * 300)
const chunked = Buffer.concat([
  Buffer.from(
    'RIFF\u0000\u0000\u0000\u0000WAVEfact\u0004\u0000\u0000\u0000\u0000\u0000\u0000\u0000',
    'latin1',
  ),
  Buffer.from(encodeWav(tones, 8_000)).subarray(12),
])

const WAV: readonly Buffer[] = [Buffer.from(encodeWav(tones, 16_000)), chunked]
const WAV_WORDS = [
  'RIFF',
  'RF64',
  'WAVE',
  'fmt ',
  'data',
  'LIST',
  '\u00fe\u00ff',
  '\u0003\u0000',
  '\u0007\u0000',
]

const wav: FuzzTarget = {
  name: 'wav files',
  seeds: WAV,
  words: WAV_WORDS,
  run(input) {
    const sound = allowing([WavError], () => readWav(input))
    if (sound === undefined) return
    must(sound.rate > 0 && sound.channels > 0, 'a sound has a rate and channels')
    // A byte of ADPCM is two samples.
    must(sound.pcm.length <= 2 * input.length, 'no sample from nowhere')
  },
}

const wavStream: FuzzTarget = {
  name: 'wav from services, cut anywhere',
  seeds: WAV,
  words: WAV_WORDS,
  run(input) {
    const read = (length: number) => {
      const reader = new WavReader(16_000, () => {})
      let samples = 0
      const count = (found: ReturnType<WavReader['push']>) => {
        for (const { format, bytes } of found) samples += format.samples(bytes)
      }
      for (let at = 0; at < input.length; at += length) count(reader.push(input.subarray(at, at + length)))
      count(reader.end())
      return samples
    }
    const whole = read(input.length || 1)
    must(whole === read(1 + (input.length % 31)), 'the same however it is cut')
    must(whole <= 2 * input.length, 'no sample from nowhere')
  },
}

function oggPage(body: Buffer): Buffer {
  const head = Buffer.alloc(27)
  head.write('OggS')
  head[26] = 1
  return Buffer.concat([head, Buffer.of(body.length), body])
}
const opusHead = Buffer.concat([Buffer.from('OpusHead'), Buffer.of(1, 1, 0, 0, 0x80, 0xbb, 0, 0, 0, 0, 0)])

const ogg: FuzzTarget = {
  name: 'ogg pages',
  seeds: [
    oggPage(opusHead),
    Buffer.concat([oggPage(opusHead), oggPage(Buffer.alloc(40, 7))]),
    oggPage(Buffer.concat([Buffer.from('\u0001vorbis', 'latin1'), Buffer.alloc(23, 1)])),
  ],
  words: ['OggS', 'OpusHead', '\u0001vorbis', '\u00ff\u00ff'],
  run(input) {
    allowing([AudioFileError], () => {
      for (const { packets } of oggOpusParts(input))
        must(
          packets.every(each => each.length > 0),
          'whole packets',
        )
    })
  },
}

const webm: FuzzTarget = {
  name: 'blocks of WebM',
  seeds: [webmFile([Buffer.of(0xf8, 0xff, 0xfe)]), webmFile([Buffer.of(0xf8, 0xff, 0xfe)], { groups: true })],
  words: [
    '\u001aE\u00df\u00a3',
    '\u0018S\u0080g',
    '\u0016T\u00aek',
    '\u00ae',
    '\u00a3',
    'A_OPUS',
    'OpusHead',
  ],
  run(input) {
    allowing([AudioFileError], () => {
      for (const { packets } of webmOpusParts(input))
        must(
          packets.every(each => each.length > 0),
          'whole packets',
        )
    })
  },
}

export const SOUND: readonly FuzzTarget[] = [speech, tags, wav, wavStream, ogg, webm]
