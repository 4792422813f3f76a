import alawmulaw from 'alawmulaw'
import { decodeMulaw, encodeMulaw } from '../src/transcode/g711.ts'
import { rms } from '../src/transcode/level.ts'
import { Framer, mixInto } from '../src/transcode/pcm.ts'
import { createResampler } from '../src/transcode/resample/resampler.ts'
import type { Candidate } from './alternate.ts'
import { speech } from './speech.ts'

type Group = [what: string, candidates: Candidate[]]

/** Unused results would be optimized away: everything ends up here. */
let sink = 0

const wide = frames(speech(), 320)
const narrow = wide.map(frame => Int16Array.from({ length: 160 }, (_, i) => frame[2 * i]!))

/** Every frame in turn. */
function over<T>(name: string, items: readonly T[], step: (item: T) => number): Candidate {
  return {
    name,
    frames: items.length,
    run: () => {
      for (const item of items) sink += step(item)
      if (Number.isNaN(sink)) throw new Error(`${name} gives no numbers`)
    },
  }
}

/** The first 200 frames that are not silent. */
function frames(pcm: Int16Array, samples: number): Int16Array[] {
  const cut: Int16Array[] = []
  new Framer(samples, frame => {
    if (cut.length < 200 && rms(frame) > 300) cut.push(frame.slice())
  }).write(pcm)
  return cut
}

export function mulawCandidates(): Group[] {
  const { mulaw } = alawmulaw
  const coded = narrow.map(frame => mulaw.encode(frame))
  const pcm = new Int16Array(160)
  const bytes = new Uint8Array(160)
  return [
    [
      'µ-law in',
      [
        over('decodeMulaw', coded, frame => {
          decodeMulaw(frame, pcm)
          return pcm[0]!
        }),
        over('alawmulaw.decode', coded, frame => mulaw.decode(frame)[0]!),
      ],
    ],
    [
      'µ-law out',
      [
        over('encodeMulaw', narrow, frame => {
          encodeMulaw(frame, bytes)
          return bytes[0]!
        }),
        over('alawmulaw.encode', narrow, frame => mulaw.encode(frame)[0]!),
      ],
    ],
  ]
}

export function base64Candidates(): Group[] {
  const text = narrow.map(frame => Buffer.from(alawmulaw.mulaw.encode(frame)).toString('base64'))
  const room = Buffer.alloc(160)
  return [
    [
      'base64 in',
      [
        over('write into one buffer', text, payload => room.write(payload, 'base64')),
        over('Buffer.from', text, payload => Buffer.from(payload, 'base64').length),
        over('atob, charCodeAt', text, payload => {
          const letters = atob(payload)
          for (let i = 0; i < letters.length; i++) room[i] = letters.charCodeAt(i)
          return letters.length
        }),
      ],
    ],
  ]
}

export function resampleCandidates(): Group[] {
  const pairs = [
    [8000, 16_000],
    [16_000, 8000],
    [24_000, 16_000],
    [44_100, 16_000],
    [48_000, 16_000],
  ] as const
  return pairs.map(([from, to]) => {
    const source = frames(createResampler(16_000, from).process(speech()), from / 50)
    const resampler = createResampler(from, to)
    return [
      `${from / 1000} → ${to / 1000} kHz`,
      [
        over('createResampler', source, frame => resampler.process(frame).length),
        over('linear interpolation', source, frame => linear(frame, from, to)[1]!),
        over('drop or repeat', source, frame => nearest(frame, from, to)[1]!),
      ],
    ]
  })
}

function linear(pcm: Int16Array, from: number, to: number): Int16Array {
  const out = new Int16Array((pcm.length * to) / from)
  for (let i = 0; i < out.length; i++) {
    const at = (i * from) / to
    const before = Math.floor(at)
    const a = pcm[before]!
    const b = pcm[Math.min(before + 1, pcm.length - 1)]!
    out[i] = a + (b - a) * (at - before)
  }
  return out
}

function nearest(pcm: Int16Array, from: number, to: number): Int16Array {
  const out = new Int16Array((pcm.length * to) / from)
  for (let i = 0; i < out.length; i++) out[i] = pcm[Math.floor((i * from) / to)]!
  return out
}

export function frameCandidates(): Group[] {
  const target = new Int16Array(320)
  const framer = new Framer(320, frame => {
    sink += frame[0]!
  })
  let waiting = Buffer.alloc(0)
  return [
    [
      'mix with a ramp',
      [
        over('mixInto', wide, frame => {
          mixInto(target, frame, 0.2, 0.3)
          return target[0]!
        }),
        over('map, Math.min, Math.max, Math.round', wide, frame => {
          const mixed = frame.map((sample, i) => {
            const gain = 0.2 + (0.1 * i) / 320
            return Math.max(-32_768, Math.min(32_767, Math.round(target[i]! + sample * gain)))
          })
          return mixed[0]!
        }),
      ],
    ],
    [
      'level',
      [
        over('rms', wide, rms),
        over('reduce', wide, frame =>
          Math.sqrt(frame.reduce((sum, sample) => sum + sample ** 2, 0) / frame.length),
        ),
      ],
    ],
    [
      'frames of pieces',
      [
        over('Framer', wide, frame => {
          framer.write(frame.subarray(0, 100))
          framer.write(frame.subarray(100))
          return 0
        }),
        over('Buffer.concat', wide, frame => {
          for (const piece of [frame.subarray(0, 100), frame.subarray(100)]) {
            waiting = Buffer.concat([waiting, Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)])
            while (waiting.length >= 640) waiting = waiting.subarray(640)
          }
          return waiting.length
        }),
      ],
    ],
  ]
}
