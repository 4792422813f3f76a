/**
 * Audio processing without any network: converts a recording as the phone network does, prints its level before and
 * after, and plays the result a quarter faster at its own pitch.
 *
 *   npm run example examples/transcode.ts [file.wav] [folder]
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  createResampler,
  dbfs,
  decodeMulaw,
  encodeMulaw,
  encodeWav,
  FRAME_SAMPLES,
  mono,
  readWav,
  rms,
  SAMPLE_RATE,
  TimeStretcher,
} from 'dragoman/transcode'

const PHONE_RATE = 8_000
const [file = 'recordings/sense-and-sensibility-2.wav', folder = 'transcoded'] = process.argv.slice(2)

const wav = readWav(await readFile(file))
const voice = converted(mono(wav), wav.rate, SAMPLE_RATE)

// The format of the phone network: 8 kHz, one byte per sample.
const narrow = converted(voice, SAMPLE_RATE, PHONE_RATE)
const line = new Uint8Array(narrow.length)
encodeMulaw(narrow, line)
decodeMulaw(line, narrow)
const heard = converted(narrow, PHONE_RATE, SAMPLE_RATE)

await mkdir(folder, { recursive: true })
for (const [name, pcm] of Object.entries({ voice, heard, faster: hurried(heard, 1.25) })) {
  await writeFile(join(folder, `${name}.wav`), encodeWav(pcm, SAMPLE_RATE))
  console.log(`${name}.wav: ${(pcm.length / SAMPLE_RATE).toFixed(2)} s, ${dbfs(rms(pcm)).toFixed(1)} dBFS`)
}
console.log(`On the line it was ${line.length} bytes.`)

/** Converts all of `pcm` to another rate. */
function converted(pcm: Int16Array, from: number, to: number): Int16Array {
  const resampler = createResampler(from, to)
  // The result is a view into the resampler, valid until its next call.
  const body = resampler.process(pcm).slice()
  const rest = resampler.flush()
  const whole = new Int16Array(body.length + rest.length)
  whole.set(body)
  whole.set(rest, body.length)
  return whole
}

/** Plays all of `pcm` `factor` times as fast: frame by frame, as a listener would request it. */
function hurried(pcm: Int16Array, factor: number): Int16Array {
  let at = 0
  const stretch = new TimeStretcher(() => {
    const next = pcm.subarray(at, at + FRAME_SAMPLES)
    at += next.length
    return next.length > 0 ? next : undefined
  })
  stretch.factor = factor
  const out = new Int16Array(pcm.length)
  const frame = new Int16Array(FRAME_SAMPLES)
  let length = 0
  for (let count = stretch.read(frame); count > 0; count = stretch.read(frame)) {
    out.set(frame.subarray(0, count), length)
    length += count
  }
  return out.subarray(0, length)
}
